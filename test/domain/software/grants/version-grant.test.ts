import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findTarget } from '../../../../src/domain/fleet/logical-number/target.service.js';
import {
  type GrantMode,
  partsOf,
  planVersionGrant,
  versionsAfterGrant,
} from '../../../../src/domain/software/grants/grant.service.js';
import { fleet } from '../../../support/fleet.js';
import { startServer, type TestServer } from '../../../support/server.js';
import { unique } from '../../../support/software.js';

describe('the versions of a logical number after a grant', () => {
  /** Versions 10 to 19 are of one app, 20 to 29 of another one, and so on. */
  const after = (mode: GrantMode, appVersionIds: readonly number[], before: readonly number[]) =>
    versionsAfterGrant({ mode, appVersionIds }, before, (id) =>
      appVersionIds.some((granted) => Math.floor(granted / 10) === Math.floor(id / 10)),
    );

  it.each<[GrantMode, readonly number[], readonly number[], readonly number[]]>([
    ['add', [12, 21], [11, 30], [11, 12, 21, 30]],
    ['add', [11], [11, 30], [11, 30]],
    ['remove', [11, 21], [11, 12, 30], [12, 30]],
    ['remove', [11], [12], [12]],
    ['replace_of_same_app', [12, 21], [10, 11, 20, 30], [12, 21, 30]],
    ['replace_of_same_app', [12], [12, 30], [12, 30]],
    ['replace_of_same_app', [12], [], [12]],
  ])('%s %j to %j makes %j', (mode, granted, before, expected) => {
    expect(after(mode, granted, before)).toEqual(expected);
  });
});

describe('the parts of a grant', () => {
  const numbers = Array.from({ length: 450 }, (_, n) => n + 1);
  const sizes = (versions: number): readonly number[] =>
    partsOf(numbers, { mode: 'add', appVersionIds: numbers.slice(0, versions) }).map(({ length }) => length);

  it('have at most 200 numbers and 1,000 links, and all numbers in their order', () => {
    for (const versions of [0, 1, 5]) expect(sizes(versions)).toEqual([200, 200, 50]);
    expect(sizes(100)).toEqual(Array.from({ length: 45 }, () => 10));
    expect(partsOf(numbers, { mode: 'add', appVersionIds: [1] }).flat()).toEqual(numbers);
    expect(partsOf([], { mode: 'add', appVersionIds: [1] })).toEqual([]);
  });
});

describe('a planned grant', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    await server.stop();
  });

  it('passes over numbers that were deleted or moved since', async () => {
    const { client, caller } = server.acme;
    const [group, other] = [await fleet.group(client, unique()), await fleet.group(client, unique())];
    const [version = 0] = await fleet.appVersions(client, 1, [group]);
    const [stays, moves, goes] = [unique(), unique(), unique()];
    for (const number of [stays, moves, goes]) await fleet.logicalNumber(client, number, { group_id: group });
    const { units } = server.app;
    const grant = { mode: 'add', appVersionIds: [version] } as const;
    const parts = await units.read(caller, async (work) =>
      planVersionGrant(work, await findTarget(work, { groupId: group }, 10), grant),
    );
    await client.put(`logical_numbers/${moves}`, { group_id: other });
    await client.delete(`logical_numbers/${goes}`);
    const counts: number[] = [];
    for (const part of parts) counts.push(await units.write(caller, part));
    expect(counts).toEqual([1]);
    const versionsOf = async (number: string): Promise<unknown> =>
      (await client.get(`logical_numbers/${number}`)).record('logical_number').app_version_ids;
    expect([await versionsOf(stays), await versionsOf(moves)]).toEqual([[version], []]);
  });

  it('has at most as many numbers as it may have', async () => {
    const { client, caller } = server.acme;
    const group = await fleet.group(client, unique());
    for (let n = 0; n < 3; n += 1) await fleet.logicalNumber(client, unique(), { group_id: group });
    const find = (limit: number) =>
      server.app.units.read(caller, (work) => findTarget(work, { groupId: group }, limit));
    expect(await find(3)).toHaveLength(3);
    await expect(find(2)).rejects.toMatchObject({
      code: 'too_many_records',
      message:
        'The target has more than 2 logical numbers, and one request changes at most 2 of them: select fewer logical numbers, or fewer app versions. Nothing was changed.',
    });
  });
});
