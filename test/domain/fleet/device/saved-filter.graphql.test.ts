import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, nodeId, refused } from '../../../support/dashboard.js';
import { fleet, ledgerOf, rowsIn } from '../../../support/fleet.js';
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

const ERRORS = 'userErrors { code path message rule }';
const CREATE = `mutation ($input: SavedFilterCreateInput!) {
  savedFilterCreate(input: $input) { savedFilter { id name kind filter shared own owner { databaseId } } ${ERRORS} } }`;
const UPDATE = `mutation ($id: ID!, $input: SavedFilterUpdateInput!) {
  savedFilterUpdate(id: $id, input: $input) { savedFilter { id name kind filter shared own } ${ERRORS} } }`;
const DELETE = `mutation ($id: ID!) { savedFilterDelete(id: $id) { deletedId ${ERRORS} } }`;
const BULK = `mutation ($target: DeviceTargetInput!, $dryRun: Boolean) {
  deviceBulkChange(target: $target, change: { enabled: false }, dryRun: $dryRun) { count job { id } ${ERRORS} } }`;

const STARTS = { serialNumber: { startsWith: 's ' } };

async function saved(member: Member, input: Fields): Promise<Fields & { readonly id: string }> {
  const payload = await changed<{ savedFilter: Fields & { readonly id: string } }>(member, CREATE, { input });
  expect(payload).toMatchObject({ userErrors: [] });
  return payload.savedFilter;
}

const create = (member: Member, input: Fields): Promise<Fields> => changed(member, CREATE, { input });

const names = async (member: Member, kind: string | null = 'DEVICE'): Promise<readonly unknown[]> =>
  (
    await answered<{ savedFilters: readonly Fields[] }>(
      member,
      'query ($kind: SavedFilterKind) { savedFilters(kind: $kind) { name } }',
      { kind },
    )
  ).savedFilters.map(({ name }) => name);

const errorAt = (...path: readonly string[]) => ({ userErrors: [{ code: 'INVALID', path }] });

describe('a saved filter', () => {
  it('is kept as it was given, renamed, changed and deleted, each with an entry in the ledger', async () => {
    const filter = { or: [STARTS, { presence: { in: ['ONLINE', 'NEVER_SEEN'] } }], enabled: { eq: true } };
    const input = { name: 'First', kind: 'DEVICE', filter };
    const { id, ...first } = await saved(server.acme, input);
    const owner = { databaseId: server.acme.caller.userId };
    expect(first).toEqual({ ...input, shared: false, own: true, owner });
    expect(JSON.stringify(first.filter)).toBe(JSON.stringify(filter));
    const changes = { name: 'Second', filter: STARTS, shared: true };
    expect(await changed(server.acme, UPDATE, { id, input: changes })).toEqual({
      savedFilter: { id, kind: 'DEVICE', own: true, ...changes },
      userErrors: [],
    });
    expect(await changed(server.acme, DELETE, { id })).toEqual({ deletedId: id, userErrors: [] });
    expect(await names(server.acme)).not.toContain('Second');
    const databaseId = Number(Buffer.from(id, 'base64url').toString().split(':')[1]);
    const entries = await ledgerOf(server, server.acme, 'saved_filter', databaseId);
    expect(entries.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
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
    const payload = await create(server.acme, { name: 'Bad', kind: 'DEVICE', filter });
    expect(payload).toMatchObject({ savedFilter: null });
    const [error] = payload.userErrors as readonly { path: string[]; message: string }[];
    expect(error?.path.slice(0, 2)).toEqual(['input', 'filter']);
    expect(error?.message).toMatch(message);
    expect(await rowsIn(server, 'saved_filters')).toBe(before);
  });

  it('has a name that its owner uses once for a list', async () => {
    const input = { name: 'Twice', kind: 'DEVICE', filter: STARTS };
    await saved(server.acme, input);
    expect(await create(server.acme, input)).toMatchObject({
      userErrors: [{ code: 'TAKEN', path: ['input', 'name'] }],
    });
    await saved(server.acme, { ...input, kind: 'LOGICAL_NUMBER', filter: { number: { eq: '1' } } });
    const { id } = await saved(other, { ...input, name: 'Once' });
    const rename = (name: string) => changed(other, UPDATE, { id, input: { name } });
    expect(await rename('Twice')).toMatchObject({ userErrors: [], savedFilter: { name: 'Twice' } });
  });

  it('is seen by its owner alone until it is shared; administrators change those that are', async () => {
    const { id } = await saved(other, { name: 'Private', kind: 'DEVICE', filter: STARTS });
    const input = { name: 'Mine' };
    const target = { savedFilterId: id };
    for (const stranger of [server.acme, admin, server.beta]) {
      expect(await names(stranger)).not.toContain('Private');
      const missing = { userErrors: [{ code: 'NOT_FOUND', path: ['id'] }] };
      expect(await changed(stranger, UPDATE, { id, input })).toMatchObject(missing);
      expect(await changed(stranger, DELETE, { id })).toMatchObject(missing);
      const unknown = await changed(stranger, BULK, { target });
      expect(unknown).toMatchObject(errorAt('target', 'savedFilterId'));
      const none = { savedFilterId: nodeId('SavedFilter', 999) };
      expect(await changed(stranger, BULK, { target: none })).toEqual(unknown);
    }
    await changed(other, UPDATE, { id, input: { shared: true } });
    expect(await names(viewer)).toContain('Private');
    expect(await names(viewer, null)).toContain('Private');
    expect(await names(viewer, 'TRANSACTION')).toEqual([]);
    expect(await names(server.beta, null)).toEqual([]);
    const operator = await server.member('acme', 'operator');
    expect((await refused(operator, UPDATE, { id, input })).code).toBe('FORBIDDEN');
    expect((await refused(operator, DELETE, { id })).code).toBe('FORBIDDEN');
    expect(
      (await refused(viewer, CREATE, { input: { name: 'v', kind: 'DEVICE', filter: STARTS } })).code,
    ).toBe('FORBIDDEN');
    expect(await changed(admin, DELETE, { id })).toMatchObject({ deletedId: id });
  });
});

describe('a saved filter as a target', () => {
  it('selects the devices for which it holds when the change is made', async () => {
    const { id } = await saved(server.acme, { name: 'Target', kind: 'DEVICE', filter: STARTS });
    const target = { savedFilterId: id };
    expect(await changed(server.acme, BULK, { target, dryRun: true })).toMatchObject({ count: 2, job: null });
    await fleet.device(server.acme.client, 's 3');
    expect(await changed(server.acme, BULK, { target })).toMatchObject({ count: 3, userErrors: [] });
    await server.app.steps.idle();
    expect(await rowsIn(server, 'devices', `enabled and serial_number like 's %'`)).toBe(0);
    const both = await changed(server.acme, BULK, { target: { ...target, all: true } });
    expect(both).toMatchObject(errorAt('target'));
  });

  it('is refused where the list no longer takes it, and where it is of another list', async () => {
    const { id } = await saved(server.acme, { name: 'Old', kind: 'DEVICE', filter: STARTS });
    const change = `update saved_filters set filter = '{"colour":{"eq":"red"}}' where name = 'Old'`;
    await server.place.sql(change);
    const payload = await changed(server.acme, BULK, { target: { savedFilterId: id } });
    expect(payload).toMatchObject({ userErrors: [{ path: ['target', 'savedFilterId'], rule: 'unfit' }] });
    const numbers = { name: 'Numbers', kind: 'LOGICAL_NUMBER', filter: { number: { startsWith: 's ' } } };
    const foreign = await changed(server.acme, BULK, {
      target: { savedFilterId: (await saved(server.acme, numbers)).id },
    });
    expect(foreign).toMatchObject(errorAt('target', 'savedFilterId'));
  });

  it('gets app versions and notifications', async () => {
    const filter = { number: { startsWith: 's ' } };
    const { id } = await saved(server.acme, { name: 'Gets', kind: 'LOGICAL_NUMBER', filter });
    const grant = `mutation ($ids: [ID!]!, $target: AppVersionGrantTargetInput!) {
      appVersionGrant(appVersionIds: $ids, target: $target) { count ${ERRORS} } }`;
    const ids = [nodeId('AppVersion', version)];
    const target = { savedFilterId: id };
    expect(await changed(server.acme, grant, { ids, target })).toEqual({ count: 2, userErrors: [] });
    const two = { savedFilterId: id, groupId: nodeId('Group', group) };
    expect(await changed(server.acme, grant, { ids, target: two })).toMatchObject(errorAt('target'));
    const send = `mutation ($target: NotificationTargetInput!, $dryRun: Boolean) {
      notificationSend(input: { content: "x", target: $target }, dryRun: $dryRun) { count examples { number } ${ERRORS} } }`;
    expect(await changed(server.acme, send, { target, dryRun: true })).toMatchObject({
      count: 2,
      examples: [{ number: 's 1' }, { number: 's 2' }],
    });
    expect(await changed(server.acme, send, { target })).toMatchObject({ count: 2, userErrors: [] });
    expect(await changed(server.acme, send, { target: two })).toMatchObject(errorAt('input', 'target'));
    const missing = { savedFilterId: nodeId('SavedFilter', 999) };
    expect(await changed(server.acme, send, { target: missing })).toMatchObject(
      errorAt('input', 'target', 'savedFilterId'),
    );
  });
});
