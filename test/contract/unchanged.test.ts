import { beforeAll, describe, expect, it } from 'vitest';

import { answered, nodeId } from '../support/dashboard.js';
import { fleet, rowsIn } from '../support/fleet.js';
import { mutated } from '../support/mutations.js';
import { schema } from '../support/parity/rest-spelling.js';
import { addWebhook, populate } from '../support/populated.js';
import { fileForm, useServer, type Fields, type Member } from '../support/server.js';

const server = useServer();
let member: Member;
let group: string;
let device: string;
let version: string;
beforeAll(async () => {
  member = server.acme;
  await populate(server, member, 1);
  const { client } = member;
  group = nodeId('Group', await fleet.group(client, 'unchanged'));
  device = nodeId('Device', await fleet.device(client, 'unchanged'));
  version = await firstId('appVersions');
});

async function firstId(list: string): Promise<string> {
  const query = `{ list: ${list} { nodes { id } } }`;
  const { list: found } = await answered<{ list: { nodes: { id: string }[] } }>(member, query);
  return found.nodes[0]?.id ?? `no ${list}`;
}

const update = async (list: string, input: Fields): Promise<Fields> => ({ id: await firstId(list), input });
const number = () => firstId('logicalNumbers');
const colleague = async () => nodeId('User', (await server.member('acme', 'operator')).caller.userId);
const tokenId = async () => nodeId('ApiToken', (await server.member('acme', 'admin')).caller.tokenId ?? 0);
const webhook = async () => nodeId('Webhook', await addWebhook(member));

/** Mutations that, called once more with the same variables, find everything as they want it. */
const REPEATED: Readonly<Record<string, () => Fields | Promise<Fields>>> = {
  alertAcknowledge: async () => ({ id: await firstId('alerts') }),
  // PostgreSQL keeps the keys of the condition in another order.
  alertRuleUpdate: () =>
    update('alertRules', { name: 'renamed', on: { refused: { within: '1h', count: 2 } }, recipientIds: [] }),
  apiTokenRevoke: async () => ({ id: await tokenId() }),
  apiTokenUpdate: async () => ({ id: await tokenId(), input: { name: 'renamed' } }),
  appUpdate: () => update('apps', { description: 'changed' }),
  appVersionGrant: () => ({
    appVersionIds: [version],
    mode: 'REMOVE',
    target: { logicalNumbers: ['populated 0'] },
  }),
  appVersionSetFiles: () => ({ id: version, fileIds: [] }),
  appVersionSetModules: () => ({ id: version, moduleIds: [] }),
  appVersionUpdate: () => ({ id: version, input: { number: '7.7', bytecode: 'AAAA' }, force: true }),
  companySetResponseText: () => ({ code: 'B2', text: 'Call the helpdesk' }),
  companySetCurrency: () => ({ currency: 'EUR' }),
  companySetTimeZone: () => ({ timeZone: 'America/Recife' }),
  deviceAssign: async () => ({ id: device, logicalNumberId: await number() }),
  deviceDisable: () => ({ id: device }),
  deviceEnable: () => ({ id: device }),
  deviceReport: () => ({ serialNumber: 'unchanged', input: { meta: { b: 1, a: '2' } } }),
  commandCancel: async () => ({ id: await firstId('commands') }),
  deviceTokenRevoke: () => ({ deviceId: device }),
  deviceUpdate: () => ({ id: device, input: { enabled: false, logicalNumberId: null } }),
  groupAttachAppVersions: () => ({ id: group, appVersionIds: [version] }),
  groupSetDefaultAppVersions: () => ({ id: group, appVersionIds: [version] }),
  groupDetachAppVersions: () => ({ id: group, appVersionIds: [version], force: true }),
  groupUpdate: () => ({ id: group, input: { name: 'renamed' } }),
  logicalNumberMove: async () => ({ id: await number(), groupId: group, force: true }),
  logicalNumberSetAppVersions: async () => ({ id: await number(), appVersionIds: [] }),
  logicalNumberUpdate: async () => ({ id: await number(), input: { number: 'renumbered', groupId: group } }),
  memberSetRole: async () => ({ userId: await colleague(), role: 'VIEWER' }),
  metacontentUpdate: () => update('metacontents', { value: { b: [1, null], a: 2 } }),
  notificationCancel: async () => ({ id: await firstId('notifications') }),
  parameterBulkSet: () => ({ rows: [{ owner: { groupId: group }, key: 'k', value: 'v' }] }),
  parameterUpdate: () => update('parameters', { value: 'changed', description: 'of it' }),
  savedFilterUpdate: async () => {
    const { savedFilters } = await answered<{ savedFilters: { id: string }[] }>(
      member,
      '{ savedFilters(kind: DEVICE) { id } }',
    );
    const filter = { serialNumber: { contains: 'b', startsWith: 'a' } };
    return { id: savedFilters[0]?.id, input: { name: 'renamed', shared: true, filter } };
  },
  transactionRecord: () => ({ input: sale }),
  transactionBulkRecord: () => ({ inputs: [{ ...sale, reference: 'repeated in a list' }] }),
  userDisable: async () => ({ id: await colleague() }),
  userEnable: async () => ({ id: await colleague() }),
  userUnlock: async () => ({ id: await colleague() }),
  userUpdate: async () => ({ id: await colleague(), input: { name: 'renamed', timeZone: 'Asia/Tokyo' } }),
  webhookUpdate: async () => ({
    id: await webhook(),
    input: { url: 'https://other.example/', events: ['device.*'], enabled: true },
  }),
  webhookReplay: async () => ({ id: await webhook(), fromSequence: 1 }),
  // The last one, since members join companies by their names.
  companyRename: () => ({ name: 'Acme renamed' }),
};

const sale = {
  transactionType: 'SWITCH',
  serialNumber: 'unchanged',
  logicalNumber: 'unchanged',
  appName: 'populated 0.posxml',
  status: 'SUCCESS',
  reference: 'repeated',
  startedAt: '2020-01-01T00:00:00Z',
  finishedAt: '2020-01-01T00:00:01Z',
};

/** These do more than to give a record some values: they make, delete, send, sign in, draw secrets or take a step. */
const OTHERS = new Set(
  `apiTokenRenew commandSend companySwitch deviceAdopt deviceBulkChange deviceTokenIssue emailChange
  emailConfirm exportStart fleetApply fleetImport invitationAccept invitationDecline invitationWithdraw jobCancel logicalNumberBulkChange memberAdd memberInvite memberRemove
  notificationRetry notificationSend passkeyAdd passkeyOptions passkeyRemove passwordChange
  passwordRequest passwordReset passwordSetByLink recoveryCodesRenew revert rolloutLeaveOut rolloutPassWave rolloutPause rolloutResume rolloutUndo
  sessionEnd signIn signInByLink signInByPasskey signOut transactionFinish webhookSecretRotate webhookTest`.split(
    /\s+/,
  ),
);
/** Tested elsewhere: file bytes in `parity.test.ts`, the second in `passkeys.test.ts`; the third keeps no history. */
const ELSEWHERE = ['fileUpdate', 'passkeyRename', 'preferencesSet'];

async function revisionOf(id: unknown): Promise<unknown> {
  const type = Buffer.from(String(id), 'base64url').toString('latin1').split(':')[0] ?? '';
  const named = schema.getType(type);
  if (named === undefined || !('getFields' in named) || named.getFields().revision === undefined) return null;
  const query = `query ($id: ID!) { node(id: $id) { ... on ${type} { revision updatedAt } } }`;
  return await answered(member, query, { id });
}

describe('RU-90 a change that finds everything as it wants it', () => {
  it.each(Object.entries(REPEATED))('adds no entry when %s is repeated', async (name, variablesOf) => {
    const variables = await variablesOf();
    await mutated(member, name, variables);
    await server.app.steps.idle();
    const revision = await revisionOf(variables.id);
    const entries = await rowsIn(server, 'ledger');
    server.clock.advance(60_000);
    await mutated(member, name, variables);
    await server.app.steps.idle();
    expect(await revisionOf(variables.id)).toEqual(revision);
    expect(await rowsIn(server, 'ledger')).toBe(entries);
  });

  it('is tried with every mutation that changes a record', () => {
    const names = Object.keys(schema.getMutationType()?.getFields() ?? {});
    const left = names.filter((name) => !/Create$|Delete$/.test(name) && !OTHERS.has(name));
    expect(left.sort()).toEqual([...Object.keys(REPEATED), ...ELSEWHERE].sort());
  });

  it('keeps the last change revertible, and the ETag of others valid', async () => {
    const { client } = member;
    const databaseId = await fleet.device(client, 'reverted');
    const id = nodeId('Device', databaseId);
    await mutated(member, 'deviceUpdate', { id, input: { enabled: false } });
    const { ledger } = await answered<{ ledger: { nodes: { sequence: number }[] } }>(
      member,
      '{ ledger(last: 1) { nodes { sequence } } }',
    );
    const etag = (await client.get(`devices/${databaseId}`)).headers.get('etag') ?? '';
    await client.put('devices/reverted', { enabled: false });
    await mutated(member, 'deviceUpdate', { id, input: { enabled: false }, ifMatch: 2 });
    const put = await client.put('devices/reverted', {}, { headers: { 'if-match': etag } });
    expect([put.status, put.headers.get('etag')]).toEqual([200, etag]);
    await mutated(member, 'revert', { sequence: ledger.nodes[0]?.sequence });
    expect((await client.get(`devices/${databaseId}`)).record('device').enabled).toBe(true);
  });

  it('stores the bytes of a file once', async () => {
    const { client } = member;
    const file = (await client.post('files', fileForm('same.bin', 'bytes'))).record('file');
    const contents = await rowsIn(server, 'contents');
    const same = await client.put(`files/${String(file.id)}`, fileForm('same.bin', 'bytes'));
    expect([same.status, same.record('file')]).toEqual([200, file]);
    expect(await rowsIn(server, 'contents')).toBe(contents);
  });
});
