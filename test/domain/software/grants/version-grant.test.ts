import { describe, expect, it } from 'vitest';

import { findTarget } from '../../../../src/domain/fleet/logical-number/target.service.js';
import { planVersionGrant } from '../../../../src/domain/software/grants/grant.service.js';
import { fleet, unique } from '../../../support/fleet.js';
import { useServer } from '../../../support/server.js';

describe('a planned grant', () => {
  const server = useServer();

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
