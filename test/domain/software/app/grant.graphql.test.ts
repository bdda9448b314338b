import { describe, expect, it } from 'vitest';

import { findTarget } from '../../../../src/domain/fleet/logical-number/logical-number.service.js';
import { planVersionGrant } from '../../../../src/domain/software/app/grant.service.js';
import { changed, nodeId, type UserErrorShape } from '../../../support/dashboard.js';
import { audited, insertMany } from '../../../support/databases/rows.js';
import { fleet, ledgerOf, rowsIn, unique, versionIdsOf } from '../../../support/fleet.js';
import { expectRefused, mutationOf } from '../../../support/mutations.js';
import { type Fields, type Member, useServer } from '../../../support/server.js';

const server = useServer();

const GRANT = mutationOf('appVersionGrant', 'count userErrors { message path code }');

interface Grant {
  readonly count: number | null;
  readonly userErrors: readonly UserErrorShape[];
}

const variables = (versions: readonly number[], target: Fields, mode?: string): Fields => ({
  appVersionIds: versions.map((id) => nodeId('AppVersion', id)),
  target,
  ...(mode === undefined ? {} : { mode }),
});
const grant = (versions: readonly number[], target: Fields, mode?: string, member: Member = server.acme) =>
  changed<Grant>(member, GRANT, variables(versions, target, mode));
const done = (count: number): Grant => ({ count, userErrors: [] });
const invalid = (path: readonly string[], message: string): Grant => ({
  count: null,
  userErrors: [{ message, path, code: 'INVALID' }],
});

const ofGroup = (id: number): Fields => ({ groupId: nodeId('Group', id) });
const newGroup = (): Promise<number> => fleet.group(server.acme.client, unique());
const numberIn = async (group: number | null, versions: readonly number[] = []): Promise<string> => {
  const number = unique();
  await fleet.logicalNumber(server.acme.client, number, { group_id: group, app_version_ids: versions });
  return number;
};
const recordOf = async (number: string): Promise<Fields> =>
  (await server.acme.client.get(`logical_numbers/${number}`)).record('logical_number');
const versionsOf = (number: string): Promise<unknown> => versionIdsOf(server.acme.client, number);
const ledgerOfNumber = async (number: string) =>
  await ledgerOf(server, server.acme, 'logical_number', (await recordOf(number)).id as number);

/** A group with two versions of one app and one of another app, and three logical numbers without versions. */
async function smallFleet() {
  const group = await newGroup();
  const { client } = server.acme;
  const [old = 0, current = 0] = await fleet.appVersions(client, 2, [group]);
  const [other = 0] = await fleet.appVersions(client, 1, [group]);
  const numbers = [await numberIn(group), await numberIn(group), await numberIn(group)];
  return { group, old, current, other, numbers };
}

/** A group with so many logical numbers without versions, and versions of so many apps. */
async function largeFleet(count: number, versionCount = 1) {
  const group = await newGroup();
  const versions: number[] = [];
  for (let n = 0; n < versionCount; n += 1) {
    versions.push(...(await fleet.appVersions(server.acme.client, 1, [group])));
  }
  const prefix = unique();
  const { companyId, userId } = server.acme.caller;
  const ids = await insertMany(server.place, ['logical_numbers', companyId, count], (n) => ({
    number: `${prefix}-${n}`,
    group_id: group,
    ...audited(userId),
  }));
  return { group, versions, ids, prefix };
}

const links = (version: number): Promise<number> =>
  rowsIn(server, 'logical_number_app_versions', `app_version_id = ${version}`);

describe('appVersionGrant', () => {
  it('adds versions to the logical numbers of a group, with one ledger entry for each changed number', async () => {
    const { group, old, other, numbers } = await smallFleet();
    const [first = '', second = ''] = numbers;
    expect(await grant([old], { logicalNumbers: [first] })).toEqual(done(1));
    server.clock.advance(60_000);
    expect(await grant([other, old], ofGroup(group))).toEqual(done(3));
    for (const number of numbers) expect(await versionsOf(number)).toEqual([old, other]);
    const [, one, two] = await ledgerOfNumber(first);
    expect(one).toMatchObject({ before: { appVersionIds: [] }, after: { appVersionIds: [old] } });
    expect(two).toMatchObject({
      action: 'update',
      before: { appVersionIds: [old], revision: 2 },
      after: { appVersionIds: [old, other], revision: 3 },
    });
    expect(two?.after?.updatedAt).not.toBe(two?.before?.updatedAt);
    expect(await ledgerOfNumber(second)).toHaveLength(2);
    expect(await grant([other, old], ofGroup(group), 'ADD')).toEqual(done(0));
    expect(await ledgerOfNumber(second)).toHaveLength(2);
  });

  it('removes versions, also those that are not attached to the group of a number', async () => {
    const { group, old, current, other, numbers } = await smallFleet();
    const [first = '', second = ''] = numbers;
    const [loose = 0] = await fleet.appVersions(server.acme.client, 1, []);
    await grant([old, current, other], { logicalNumbers: [first, second] });
    expect(await grant([current, other, loose], ofGroup(group), 'REMOVE')).toEqual(done(2));
    expect(await versionsOf(first)).toEqual([old]);
    expect((await ledgerOfNumber(first)).at(-1)).toMatchObject({
      before: { appVersionIds: [old, current, other] },
      after: { appVersionIds: [old] },
    });
    expect(await grant([current], ofGroup(group), 'REMOVE')).toEqual(done(0));
  });

  it('replaces other versions of the same apps, and leaves those of other apps', async () => {
    const { group, old, current, other, numbers } = await smallFleet();
    const [first = '', second = '', third = ''] = numbers;
    await grant([old, other], { logicalNumbers: [first] });
    await grant([old, current], { logicalNumbers: [second] });
    await grant([current], { logicalNumbers: [third] });
    expect(await grant([current], ofGroup(group), 'REPLACE_OF_SAME_APP')).toEqual(done(2));
    expect(await Promise.all(numbers.map(versionsOf))).toEqual([[current, other], [current], [current]]);
    expect(await grant([old, current], ofGroup(group), 'REPLACE_OF_SAME_APP')).toEqual(
      invalid(
        ['appVersionIds'],
        `must have at most one version of each app: ${old} and ${current} are of one app`,
      ),
    );
    expect(await Promise.all(numbers.map(versionsOf))).toEqual([[current, other], [current], [current]]);
  });

  it('changes the logical numbers that meet a filter', async () => {
    const { group, ids, prefix, versions } = await largeFleet(12);
    const filter = { number: { startsWith: `${prefix}-1` } };
    expect(await grant(versions, { filter })).toEqual(done(4));
    expect(await links(versions[0] ?? 0)).toBe(4);
    const some = { id: { in: ids.slice(0, 5).map((id) => nodeId('LogicalNumber', id)) } };
    expect(await grant(versions, { filter: { and: [some, { groupId: { isNull: false } }] } })).toEqual(
      done(4),
    );
    expect(await grant(versions, { filter: { number: { contains: `${prefix}-` } } })).toEqual(done(4));
    expect(await grant(versions, ofGroup(group))).toEqual(done(0));
    expect(await grant(versions, { filter: { number: { eq: 'nobody' } } })).toEqual(done(0));
  });

  it('takes exactly one target, and changes nothing otherwise', async () => {
    const { group, old, numbers } = await smallFleet();
    const message =
      'must have exactly one of groupId, logicalNumbers, filter, deviceFilter, savedFilterId and all: true';
    const filter = { number: { eq: numbers[0] } };
    for (const target of [
      {},
      { groupId: null, logicalNumbers: null, filter: null },
      { ...ofGroup(group), logicalNumbers: numbers },
      { ...ofGroup(group), filter },
      { logicalNumbers: numbers, filter },
      { logicalNumbers: numbers, all: true },
      { all: false },
    ]) {
      expect(await grant([old], target)).toEqual(invalid(['target'], message));
    }
    expect(await grant([old], { logicalNumbers: [] })).toEqual(
      invalid(['target', 'logicalNumbers'], 'must not be empty'),
    );
    expect(await links(old)).toBe(0);
  });

  it('answers for records of another company as for missing ones, and changes nothing', async () => {
    const { group, old, numbers } = await smallFleet();
    const { client } = server.beta;
    const foreign = { group: await fleet.group(client, unique()), number: unique() };
    const [version = 0] = await fleet.appVersions(client, 1, [foreign.group]);
    await fleet.logicalNumber(client, foreign.number);
    for (const id of [version, 9e6]) {
      expect(await grant([old, id], ofGroup(group))).toEqual(
        invalid(['appVersionIds'], 'must hold ids of app versions only'),
      );
    }
    for (const id of [foreign.group, 9e6]) {
      expect(await grant([old], ofGroup(id))).toEqual(
        invalid(['target', 'groupId'], 'is not the id of a group'),
      );
    }
    for (const number of [foreign.number, 'nobody']) {
      expect(await grant([old], { logicalNumbers: [...numbers, number] })).toEqual(
        invalid(['target', 'logicalNumbers'], `are not all known: ${number}`),
      );
    }
    expect(await grant([old], { filter: { number: { eq: foreign.number } } })).toEqual(done(0));
    expect(await grant([old], { groupId: nodeId('App', group) })).toEqual(
      invalid(['target', 'groupId'], 'must be the id of a group'),
    );
    expect(await links(old)).toBe(0);
  });

  it('refuses versions that are not attached to the group of each number, and changes nothing', async () => {
    const { old, numbers } = await smallFleet();
    const [loose, elsewhere] = [await numberIn(null), await numberIn(await newGroup())];
    const all = [...numbers, loose, elsewhere];
    for (const mode of ['ADD', 'REPLACE_OF_SAME_APP']) {
      const given = variables([old], { logicalNumbers: all }, mode);
      await expectRefused(server.acme, 'appVersionGrant', given, 'INVALID appVersionIds', /not for 2 of 5/);
    }
    expect(await links(old)).toBe(0);
    expect(await grant([old], { logicalNumbers: all }, 'REMOVE')).toEqual(done(0));
    expect(await grant([], { logicalNumbers: all })).toEqual(done(0));
  });

  it('refuses too many versions and too many logical numbers, and changes nothing', async () => {
    const { group, versions } = await largeFleet(1_001);
    const [version = 0] = versions;
    const ids = (count: number) => Array.from({ length: count }, (_, n) => 1e6 + n);
    expect(await grant(ids(101), ofGroup(group))).toEqual(
      invalid(['appVersionIds'], 'must have at most 100 entries'),
    );
    const many = Array.from({ length: 10_001 }, (_, n) => `number ${n}`);
    const tooMany = (given: Fields, message?: RegExp) =>
      expectRefused(server.acme, 'appVersionGrant', given, 'TOO_MANY_RECORDS', message);
    const words = /has 10001 logical numbers.*at most 10000.*Nothing was changed/;
    await tooMany(variables(versions, { logicalNumbers: many }), words);
    const hundred = await fleet.appVersions(server.acme.client, 100, [group]);
    await tooMany(variables(hundred, ofGroup(group)));
    expect([await links(version), await links(hundred[0] ?? 0)]).toEqual([0, 0]);
  });

  it('takes as many statements for 200 numbers as for two, and as many again for each further 200', async () => {
    const count = async (numbers: number, mode: string, versionCount = 1): Promise<number> => {
      const { group, versions, ids } = await largeFleet(numbers, versionCount);
      const { result, statements } = await server.statements(() => grant(versions, ofGroup(group), mode));
      expect(result.count).toBe(numbers);
      expect(await links(versions[0] ?? 0)).toBe(numbers);
      expect(await rowsIn(server, 'logical_numbers', `id in (${ids.join()}) and revision = 2`)).toBe(numbers);
      return statements.length;
    };
    for (const mode of ['ADD', 'REPLACE_OF_SAME_APP']) {
      // Fills the caches of what does not depend on the numbers.
      await count(2, mode);
      const two = await count(2, mode);
      const part = await count(200, mode);
      expect([part, await count(200, mode, 3)]).toEqual([two, two]);
      const more = (await count(400, mode)) - part;
      // Three statements find 2,500 numbers; 13 parts change them.
      expect(await count(2_500, mode)).toBe(part + 12 * more + 2);
      expect(more).toBeLessThan(20);
    }
  });

  it('loses nothing when two dashboards add different versions at the same time', async () => {
    const { group, ids, versions } = await largeFleet(450, 2);
    const [one = 0, two = 0] = versions;
    const results = await Promise.all([
      grant([one], ofGroup(group)),
      grant([two], ofGroup(group)),
      grant([one], ofGroup(group)),
    ]);
    const total = results.reduce((sum, { count }) => sum + (count ?? 0), 0);
    expect(total).toBe(900);
    expect([await links(one), await links(two)]).toEqual([450, 450]);
    expect(await rowsIn(server, 'logical_numbers', `id in (${ids.join()}) and revision = 3`)).toBe(450);
    expect(
      await rowsIn(server, 'ledger', `entity_type = 'logical_number' and entity_id in (${ids.join()})`),
    ).toBe(900);
  });
});

describe('appVersionGrant with an Idempotency-Key', () => {
  const keyed = async (key: string, given: Fields) => {
    const { body, headers } = await server.acme.graphql<{ appVersionGrant: Grant }>(GRANT, given, {
      headers: { 'idempotency-key': key },
    });
    return { body, replayed: headers.get('idempotent-replayed') === 'true' };
  };

  it('is carried out once, in all of its parts', async () => {
    const { group, versions } = await largeFleet(450);
    const given = variables(versions, ofGroup(group));
    const first = await keyed('grant-1', given);
    expect(first.body.data).toEqual({ appVersionGrant: done(450) });
    await grant(versions, ofGroup(group), 'REMOVE');
    const again = await keyed('grant-1', given);
    expect([again.body, again.replayed]).toEqual([first.body, true]);
    expect(await links(versions[0] ?? 0)).toBe(0);
    const other = await keyed('grant-1', variables(versions, ofGroup(group), 'REMOVE'));
    expect(other.body.errors).toMatchObject([{ extensions: { code: 'IDEMPOTENCY_MISMATCH' } }]);
  });
});

describe('a planned grant', () => {
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
