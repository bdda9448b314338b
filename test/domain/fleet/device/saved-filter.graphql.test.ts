import { getNamedType, isInputObjectType, type GraphQLInputType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, nodeId, refused } from '../../../support/dashboard.js';
import { actionsOf, fleet, rowsIn } from '../../../support/fleet.js';
import { expectRefused, mutated, mutationOf } from '../../../support/mutations.js';
import { schema } from '../../../support/parity/rest-spelling.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';

const server = useServer();
let other: Member;
let viewer: Member;
let admin: Member;
let group: number;
let version = 0;
beforeAll(async () => {
  const { client } = server.acme;
  [other, viewer, admin] = await Promise.all([
    server.member('acme', 'operator'),
    server.member('acme', 'viewer'),
    server.member('acme', 'admin'),
  ]);
  group = await fleet.group(client, 'saved');
  version = (await fleet.appVersions(client, 1, [group]))[0] ?? 0;
  for (const name of ['s 1', 's 2', 't 1']) {
    const number = await fleet.logicalNumber(client, name, { group_id: group });
    await fleet.device(client, name, { logical_number_id: number });
  }
});

const STARTS = { serialNumber: { startsWith: 's ' } };

const FIELDS = 'savedFilter { id name kind filter shared own owner { databaseId } }';
interface Saved extends Fields {
  readonly id: string;
}
const saved = async (member: Member, input: Fields): Promise<Saved> =>
  (await mutated<{ savedFilter: Saved }>(member, 'savedFilterCreate', { input }, FIELDS)).savedFilter;
const update = (member: Member, id: string, input: Fields) =>
  mutated(member, 'savedFilterUpdate', { id, input }, FIELDS);

const change = { enabled: false };
/** Disables devices; resolves to their number. */
const disable = async (target: Fields, dryRun?: boolean): Promise<unknown> =>
  (await mutated(server.acme, 'deviceBulkChange', { target, change, dryRun }, 'count')).count;
const expectNoTarget = (member: Member, target: Fields, refusal: string) =>
  expectRefused(member, 'deviceBulkChange', { target, change }, refusal);

const names = async (member: Member, kind: string | null = 'DEVICE'): Promise<readonly unknown[]> =>
  (
    await answered<{ savedFilters: readonly Fields[] }>(
      member,
      'query ($kind: SavedFilterKind) { savedFilters(kind: $kind) { name } }',
      { kind },
    )
  ).savedFilters.map(({ name }) => name);

describe('a saved filter', () => {
  it('is kept as it was given, renamed, changed and deleted, each with an entry in the ledger', async () => {
    const filter = { or: [STARTS, { presence: { in: ['ONLINE', 'NEVER_SEEN'] } }], enabled: { eq: true } };
    const input = { name: 'First', kind: 'DEVICE', filter };
    const { id, ...first } = await saved(server.acme, input);
    const owner = { databaseId: server.acme.caller.userId };
    expect(first).toEqual({ ...input, shared: false, own: true, owner });
    expect(JSON.stringify(first.filter)).toBe(JSON.stringify(filter));
    const changes = { name: 'Second', filter: STARTS, shared: true };
    const second = { id, kind: 'DEVICE', own: true, owner, ...changes };
    expect(await update(server.acme, id, changes)).toEqual({ savedFilter: second });
    expect(await mutated(server.acme, 'savedFilterDelete', { id }, 'deletedId')).toEqual({ deletedId: id });
    expect(await names(server.acme)).not.toContain('Second');
    const databaseId = Number(Buffer.from(id, 'base64url').toString().split(':')[1]);
    const actions = await actionsOf(server, server.acme, 'saved_filter', databaseId);
    expect(actions).toEqual(['create', 'update', 'delete']);
  });

  it.each<[string, unknown, RegExp]>([
    ['a field that the list does not have', { colour: { eq: 'red' } }, /does not fit the list.*colour/],
    ['a value of another type', { enabled: { eq: 'yes' } }, /does not fit the list/],
    ['a value that no enum has', { presence: { eq: 'GONE' } }, /does not fit the list/],
    ['null', { serialNumber: { eq: null } }, /must not be null/],
    ['no condition', {}, /must not be empty/],
    ['an empty text', { serialNumber: { contains: '' } }, /must not be empty/],
    ['too many levels', { and: [{ and: [{ and: [{ and: [STARTS] }] }] }] }, /at most 3 levels/],
    ['a list', [STARTS], /JSON object/],
    ['too many bytes', { serialNumber: { eq: 'x'.repeat(17_000) } }, /at most 16384 bytes/],
  ])('is refused with %s, and nothing is saved', async (_what, filter, message) => {
    const before = await rowsIn(server, 'saved_filters');
    const input = { name: 'Bad', kind: 'DEVICE', filter };
    const query = mutationOf('savedFilterCreate', 'savedFilter { id } userErrors { path message }');
    const payload = await changed(server.acme, query, { input });
    expect(payload).toMatchObject({ savedFilter: null });
    const [error] = payload.userErrors;
    expect(error?.path.slice(0, 2)).toEqual(['input', 'filter']);
    expect(error?.message).toMatch(message);
    expect(await rowsIn(server, 'saved_filters')).toBe(before);
  });

  it('has a name that its owner uses once for a list', async () => {
    const input = { name: 'Twice', kind: 'DEVICE', filter: STARTS };
    await saved(server.acme, input);
    await expectRefused(server.acme, 'savedFilterCreate', { input }, 'TAKEN input.name');
    await saved(server.acme, { ...input, kind: 'LOGICAL_NUMBER', filter: { number: { eq: '1' } } });
    const { id } = await saved(other, { ...input, name: 'Once' });
    expect(await update(other, id, { name: 'Twice' })).toMatchObject({ savedFilter: { name: 'Twice' } });
  });

  it('is seen by its owner alone until it is shared; administrators change those that are', async () => {
    const { id } = await saved(other, { name: 'Private', kind: 'DEVICE', filter: STARTS });
    const input = { name: 'Mine' };
    for (const stranger of [server.acme, admin, server.beta]) {
      expect(await names(stranger)).not.toContain('Private');
      await expectRefused(stranger, 'savedFilterUpdate', { id, input }, 'NOT_FOUND id');
      await expectRefused(stranger, 'savedFilterDelete', { id }, 'NOT_FOUND id');
      for (const savedFilterId of [id, nodeId('SavedFilter', 999)])
        await expectNoTarget(stranger, { savedFilterId }, 'INVALID target.savedFilterId');
    }
    await update(other, id, { shared: true });
    expect(await names(viewer)).toContain('Private');
    expect(await names(viewer, null)).toContain('Private');
    expect(await names(viewer, 'TRANSACTION')).toEqual([]);
    expect(await names(server.beta, null)).toEqual([]);
    const operator = await server.member('acme', 'operator');
    for (const [member, mutation] of [
      [operator, 'savedFilterUpdate'],
      [operator, 'savedFilterDelete'],
      [viewer, 'savedFilterCreate'],
    ] as const) {
      const variables = { id, input: { name: 'v', kind: 'DEVICE', filter: STARTS } };
      const given = mutation === 'savedFilterUpdate' ? { id, input } : variables;
      expect((await refused(member, mutationOf(mutation), given)).code).toBe('FORBIDDEN');
    }
    await mutated(admin, 'savedFilterDelete', { id });
  });
});

describe('a saved filter as a target', () => {
  it('selects the devices for which it holds when the change is made', async () => {
    const { id } = await saved(server.acme, { name: 'Target', kind: 'DEVICE', filter: STARTS });
    const target = { savedFilterId: id };
    expect(await disable(target, true)).toBe(2);
    await fleet.device(server.acme.client, 's 3');
    expect(await disable(target)).toBe(3);
    await server.app.steps.idle();
    expect(await rowsIn(server, 'devices', `enabled and serial_number like 's %'`)).toBe(0);
    await expectNoTarget(server.acme, { ...target, all: true }, 'INVALID target');
  });

  it('is refused where the list no longer takes it, and where it is of another list', async () => {
    const { id } = await saved(server.acme, { name: 'Old', kind: 'DEVICE', filter: STARTS });
    const unfit = `update saved_filters set filter = '{"colour":{"eq":"red"}}' where name = 'Old'`;
    await server.place.sql(unfit);
    const bulk = mutationOf('deviceBulkChange', 'userErrors { path rule }');
    expect(await changed(server.acme, bulk, { target: { savedFilterId: id }, change })).toEqual({
      userErrors: [{ path: ['target', 'savedFilterId'], rule: 'unfit' }],
    });
    const numbers = { name: 'Numbers', kind: 'LOGICAL_NUMBER', filter: { number: { startsWith: 's ' } } };
    const ofNumbers = { savedFilterId: (await saved(server.acme, numbers)).id };
    await expectNoTarget(server.acme, ofNumbers, 'INVALID target.savedFilterId');
  });

  it('gets app versions and notifications', async () => {
    const filter = { number: { startsWith: 's ' } };
    const { id } = await saved(server.acme, { name: 'Gets', kind: 'LOGICAL_NUMBER', filter });
    const appVersionIds = [nodeId('AppVersion', version)];
    const target = { savedFilterId: id };
    const two = { ...target, groupId: nodeId('Group', group) };
    const grant = { appVersionIds, target };
    expect(await mutated(server.acme, 'appVersionGrant', grant, 'count')).toEqual({ count: 2 });
    await expectRefused(server.acme, 'appVersionGrant', { ...grant, target: two }, 'INVALID target');
    const send = { input: { content: 'x', target } };
    const dry = { ...send, dryRun: true };
    expect(await mutated(server.acme, 'notificationSend', dry, 'count examples { number }')).toEqual({
      count: 2,
      examples: [{ number: 's 1' }, { number: 's 2' }],
    });
    expect(await mutated(server.acme, 'notificationSend', send, 'count')).toEqual({ count: 2 });
    for (const [wrong, path] of [
      [two, 'input.target'],
      [{ savedFilterId: nodeId('SavedFilter', 999) }, 'input.target.savedFilterId'],
    ] as const) {
      const input = { content: 'x', target: wrong };
      await expectRefused(server.acme, 'notificationSend', { input }, `INVALID ${path}`);
    }
  });

  const ownerless = { name: 'x', appVersionIds: [], waves: [{}] };
  const TARGETS: Readonly<Record<string, (savedFilterId: string) => Fields>> = {
    appVersionGrant: (savedFilterId) => ({ appVersionIds: [], target: { savedFilterId } }),
    commandSend: (savedFilterId) => ({ input: { action: 'REBOOT' }, target: { savedFilterId } }),
    deviceBulkChange: (savedFilterId) => ({ change, target: { savedFilterId } }),
    logicalNumberBulkChange: (savedFilterId) => ({ change: { groupId: null }, target: { savedFilterId } }),
    notificationSend: (savedFilterId) => ({ input: { content: 'x', target: { savedFilterId } } }),
    rolloutCreate: (savedFilterId) => ({ input: ownerless, target: { savedFilterId } }),
  };

  it('is refused by every mutation once its owner has left, which says why', async () => {
    const fields = Object.values(schema.getMutationType()?.getFields() ?? {});
    const takes = (type: GraphQLInputType): boolean => {
      const named = getNamedType(type);
      if (!isInputObjectType(named)) return false;
      const own = Object.values(named.getFields());
      return own.some(
        ({ name, type: inner }) => name === 'savedFilterId' || (name === 'target' && takes(inner)),
      );
    };
    const targeting = fields.filter(({ args }) => args.some(({ type }) => takes(type)));
    expect(targeting.map(({ name }) => name).toSorted()).toEqual(Object.keys(TARGETS));

    const leaving = await server.member('acme', 'operator');
    const shared = async (kind: string, filter: Fields): Promise<string> =>
      (await saved(leaving, { name: 'Left', kind, filter, shared: true })).id;
    const ids = {
      DEVICE: await shared('DEVICE', STARTS),
      LOGICAL_NUMBER: await shared('LOGICAL_NUMBER', { number: { startsWith: 's ' } }),
    };
    await mutated(admin, 'memberRemove', { userId: nodeId('User', leaving.caller.userId) });
    for (const [name, variables] of Object.entries(TARGETS)) {
      const id = /^(device|command)/.test(name) ? ids.DEVICE : ids.LOGICAL_NUMBER;
      const path = `${name === 'notificationSend' ? 'input.' : ''}target.savedFilterId`;
      await expectRefused(
        server.acme,
        name,
        variables(id),
        `INVALID ${path}`,
        /somebody who has left: save it/,
      );
    }
    expect(await names(server.acme)).toContain('Left');
  });
});
