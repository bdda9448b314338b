import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Fields } from '../../../support/client.js';
import {
  answered,
  changed,
  nodeId,
  type Page,
  refused,
  type UserErrorShape,
} from '../../../support/dashboard.js';
import { fleet, ledgerOf } from '../../../support/fleet.js';
import { startServer, type TestServer } from '../../../support/server.js';
import { type Software, softwareOf, unique } from '../../../support/software.js';

let server: TestServer;
let acme: Software;
beforeAll(async () => {
  server = await startServer();
  acme = softwareOf(server.acme.client);
});
afterAll(async () => {
  await server.stop();
});

const LINKS = 'groups { nodes { databaseId } } modules { nodes { databaseId } }';
const FIELDS = `id databaseId number displayable authorizerUrl posDisplayLabel uuid size crc sha256 createdVia
  createdBy { databaseId } app { databaseId } ${LINKS}`;
const ERRORS = 'userErrors { message path code }';
const PAYLOAD = `{ appVersion { ${FIELDS} } ${ERRORS} }`;
const CREATE = `mutation ($input: AppVersionCreateInput!) { appVersionCreate(input: $input) ${PAYLOAD} }`;
const UPDATE = `mutation ($id: ID!, $input: AppVersionUpdateInput!) {
  appVersionUpdate(id: $id, input: $input) ${PAYLOAD} }`;
const DELETE = `mutation ($id: ID!) { appVersionDelete(id: $id) { deletedId ${ERRORS} } }`;
const SET = `mutation ($id: ID!, $moduleIds: [ID!]!) {
  appVersionSetModules(id: $id, moduleIds: $moduleIds) ${PAYLOAD} }`;

/** The check value of CRC-16/XMODEM: its CRC is 31C3. */
const DIGITS = Buffer.from('123456789').toString('base64');
const DIGITS_SHA256 = '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225';

interface VersionFields extends Fields {
  readonly id: string;
  readonly databaseId: number;
}
interface VersionPayload {
  readonly appVersion: VersionFields | null;
  readonly userErrors: readonly UserErrorShape[];
}

const appId = async (fields: Fields = {}): Promise<number> =>
  (await acme.create('app', 'apps', { name: unique(), ...fields })).id as number;
const nodes = (...ids: number[]) => ({ nodes: ids.map((databaseId) => ({ databaseId })) });
const idsOf = (typeName: string, ...ids: number[]) => ids.map((id) => nodeId(typeName, id));

async function create(input: Fields): Promise<VersionFields> {
  const { appVersion, userErrors } = await changed<VersionPayload>(server.acme, CREATE, { input });
  expect(userErrors).toEqual([]);
  if (appVersion === null) throw new Error('No version was created');
  return appVersion;
}

describe('an app version in GraphQL', () => {
  it('is created with the given fields and found by each of its keys', async () => {
    const app = await appId();
    const [group, module, file] = [await acme.group(), await acme.module(), await acme.file()];
    const version = await create({
      ...{ appId: nodeId('App', app), number: '1.0', displayable: true, bytecode: DIGITS },
      ...{ authorizerUrl: 'https://authorizer.example', posDisplayLabel: 'Sale' },
      groupIds: idsOf('Group', group),
      moduleIds: idsOf('AppVersion', module),
      fileIds: idsOf('File', file),
    });
    const { id, databaseId, uuid } = version;
    expect(uuid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(version).toEqual({
      ...{ id: nodeId('AppVersion', databaseId), databaseId, number: '1.0', displayable: true, uuid },
      ...{ authorizerUrl: 'https://authorizer.example', posDisplayLabel: 'Sale', size: 9, crc: '31C3' },
      ...{ sha256: DIGITS_SHA256, createdVia: 'API', createdBy: { databaseId: server.acme.caller.userId } },
      ...{ app: { databaseId: app }, groups: nodes(group), modules: nodes(module) },
    });
    const found = await answered(
      server.acme,
      `query ($id: ID!, $databaseId: Int!) { a: appVersion(id: $id) { ${FIELDS} }
        b: appVersion(databaseId: $databaseId) { ${FIELDS} } node(id: $id) { ... on AppVersion { ${FIELDS} } } }`,
      { id, databaseId },
    );
    expect(found).toEqual({ a: version, b: version, node: version });
    const rest = await server.acme.client.get(`apps/${app}/versions/${databaseId}`);
    expect(rest.record('app_version')).toMatchObject({ bytecode: DIGITS, uuid, file_ids: [file] });
  });

  it('copies absent fields from its base version', async () => {
    const app = nodeId('App', await appId());
    const groupIds = idsOf('Group', await acme.group());
    const base = await create({ appId: app, number: '1', bytecode: DIGITS, groupIds });
    const next = await create({ appId: app, number: '2', baseVersionId: base.id });
    expect(next).toMatchObject({ size: 9, crc: '31C3', sha256: DIGITS_SHA256, groups: base.groups });
    expect(next.uuid).not.toBe(base.uuid);
    const bare = await create({
      appId: app,
      number: '3',
      baseVersionId: base.id,
      bytecode: null,
      groupIds: [],
    });
    expect(bare).toMatchObject({ size: 0, crc: '0000', sha256: null, groups: nodes() });
    const other = nodeId('App', await appId());
    expect(
      await changed(server.acme, CREATE, { input: { appId: other, number: '1', baseVersionId: base.id } }),
    ).toMatchObject({
      appVersion: null,
      userErrors: [{ path: ['input', 'baseVersionId'], code: 'INVALID' }],
    });
  });

  it('keeps absent fields and clears fields that are null', async () => {
    const given = { displayable: true, authorizerUrl: '10.0.0.1', posDisplayLabel: 'Sale', bytecode: DIGITS };
    const group = await acme.group();
    const { id } = await create({
      ...{ appId: nodeId('App', await appId()), number: '1', ...given },
      groupIds: idsOf('Group', group),
    });
    const update = async (input: Fields) => await changed(server.acme, UPDATE, { id, input });
    const kept = { authorizerUrl: '10.0.0.1', posDisplayLabel: 'Sale', size: 9, crc: '31C3' };
    expect(await update({})).toMatchObject({
      appVersion: { number: '1', displayable: true, ...kept, groups: nodes(group) },
      userErrors: [],
    });
    expect(await update({ number: '2', displayable: false })).toMatchObject({
      appVersion: { number: '2', displayable: false, ...kept, groups: nodes(group) },
    });
    expect(await update({ authorizerUrl: null, posDisplayLabel: null, groupIds: [] })).toMatchObject({
      appVersion: { authorizerUrl: null, posDisplayLabel: null, size: 9, groups: nodes() },
    });
    expect(await update({ bytecode: null })).toMatchObject({
      appVersion: { size: 0, crc: '0000', sha256: null },
    });
    for (const field of ['number', 'displayable', 'groupIds']) {
      expect(await update({ [field]: null })).toMatchObject({
        appVersion: null,
        userErrors: [{ path: ['input', field], code: 'INVALID' }],
      });
    }
  });

  it('returns its bytecode unchanged, and null without bytecode', async () => {
    const app = nodeId('App', await appId());
    // Large enough to wait for the semaphore.
    const bytecode = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251)).toString('base64');
    const query = 'query ($id: ID!) { appVersion(id: $id) { bytecode size sha256 } }';
    const { id } = await create({ appId: app, number: '1', bytecode });
    expect((await answered<{ appVersion: Fields }>(server.acme, query, { id })).appVersion.bytecode).toBe(
      bytecode,
    );
    const bare = await create({ appId: app, number: '2' });
    expect(await answered(server.acme, query, { id: bare.id })).toEqual({
      appVersion: { bytecode: null, size: 0, sha256: null },
    });
    const empty = await create({ appId: app, number: '3', bytecode: '' });
    expect(await answered(server.acme, query, { id: empty.id })).toMatchObject({
      appVersion: { bytecode: '', size: 0 },
    });
  });

  it('returns the new bytecode in the payload of the change', async () => {
    const { id } = await create({ appId: nodeId('App', await appId()), number: '1', bytecode: DIGITS });
    const update = `mutation ($id: ID!, $a: Base64, $b: Base64) {
      a: appVersionUpdate(id: $id, input: { bytecode: $a }) { appVersion { bytecode crc } }
      b: appVersionUpdate(id: $id, input: { bytecode: $b }) { appVersion { bytecode crc } }
      c: appVersionUpdate(id: $id, input: { bytecode: null }) { appVersion { bytecode crc } } }`;
    expect(await answered(server.acme, update, { id, a: 'YQ==', b: DIGITS })).toMatchObject({
      a: { appVersion: { bytecode: 'YQ==' } },
      b: { appVersion: { bytecode: DIGITS, crc: '31C3' } },
      c: { appVersion: { bytecode: null, crc: '0000' } },
    });
  });

  it('replaces its modules, and accepts only versions of modules', async () => {
    const [one, two] = [await acme.module(), await acme.module()];
    const plain = (await acme.version(await acme.app())).id as number;
    const { id, databaseId } = await create({
      ...{ appId: nodeId('App', await appId()), number: '1' },
      moduleIds: idsOf('AppVersion', one),
    });
    const set = async (...ids: string[]) => await changed(server.acme, SET, { id, moduleIds: ids });
    expect(await set(nodeId('AppVersion', two))).toMatchObject({
      appVersion: { modules: nodes(two) },
      userErrors: [],
    });
    const refusals = [nodeId('AppVersion', plain), nodeId('AppVersion', 9e6), nodeId('App', two), id, 'x'];
    for (const refusedId of refusals) {
      expect(await set(nodeId('AppVersion', two), refusedId)).toMatchObject({
        appVersion: null,
        userErrors: [{ path: ['moduleIds'], code: 'INVALID' }],
      });
    }
    expect(await set()).toMatchObject({ appVersion: { modules: nodes() } });
    const entries = await ledgerOf(server, server.acme, 'app_version', databaseId);
    expect(entries.map(({ after }) => after?.moduleIds)).toEqual([[one], [two], []]);
  });

  it('is detached from the logical numbers of a group together with the group', async () => {
    const { client } = server.acme;
    const [left, stays] = [await acme.group(), await acme.group()];
    const { id, databaseId } = await create({
      ...{ appId: nodeId('App', await appId()), number: '1' },
      groupIds: idsOf('Group', left, stays),
    });
    await fleet.logicalNumber(client, 'left', { group_id: left, app_version_ids: [databaseId] });
    await fleet.logicalNumber(client, 'stays', { group_id: stays, app_version_ids: [databaseId] });
    const query =
      'query ($id: ID!) { appVersion(id: $id) { logicalNumbers { totalCount nodes { number } } } }';
    const numbers = async () =>
      (await answered<{ appVersion: { logicalNumbers: Page<Fields> } }>(server.acme, query, { id }))
        .appVersion.logicalNumbers;
    expect(await numbers()).toEqual({ totalCount: 2, nodes: [{ number: 'left' }, { number: 'stays' }] });
    await changed(server.acme, UPDATE, { id, input: { groupIds: idsOf('Group', stays) } });
    expect(await numbers()).toEqual({ totalCount: 1, nodes: [{ number: 'stays' }] });
  });

  it('is deleted, also from the records that were linked to it', async () => {
    const [group, holder] = [await acme.group(), await appId()];
    const module = await create({ appId: nodeId('App', await appId({ kind: 'module' })), number: '1' });
    const { id } = await create({
      ...{ appId: nodeId('App', holder), number: '1', groupIds: idsOf('Group', group) },
      moduleIds: [module.id],
    });
    const remove = async (version: string) => await changed(server.acme, DELETE, { id: version });
    expect(await remove(module.id)).toEqual({ deletedId: module.id, userErrors: [] });
    expect(
      await answered(server.acme, `query ($id: ID!) { appVersion(id: $id) { ${LINKS} } }`, { id }),
    ).toEqual({ appVersion: { groups: nodes(group), modules: nodes() } });
    for (const missing of [module.id, nodeId('App', holder), 'nonsense']) {
      expect(await remove(missing)).toMatchObject({
        deletedId: null,
        userErrors: [{ message: 'No such app version.', path: ['id'], code: 'NOT_FOUND' }],
      });
    }
  });

  it.each<[string, Fields, string, string]>([
    ['a number that its app has', { number: 'KNOWN' }, 'number', 'TAKEN'],
    ['no number', { number: '' }, 'number', 'INVALID'],
    ['an app that the company does not have', { appId: nodeId('App', 9e6) }, 'appId', 'INVALID'],
    ['the id of something else', { appId: nodeId('Group', 1) }, 'appId', 'INVALID'],
    ['what is no base64', { bytecode: 'not base64!' }, 'bytecode', 'INVALID'],
    ['a group that the company does not have', { groupIds: idsOf('Group', 9e6) }, 'groupIds', 'INVALID'],
    ['a file that the company does not have', { fileIds: idsOf('File', 9e6) }, 'fileIds', 'INVALID'],
    ['a flag of null', { displayable: null }, 'displayable', 'INVALID'],
  ])('is refused in userErrors with %s', async (_case, given, field, code) => {
    const app = await appId();
    await acme.version(`apps/${app}/versions`, { number: 'KNOWN' });
    const input = { appId: nodeId('App', app), number: 'N', ...given };
    const { appVersion, userErrors } = await changed<VersionPayload>(server.acme, CREATE, { input });
    expect(appVersion).toBeNull();
    expect(userErrors).toMatchObject([{ path: ['input', field], code }]);
  });

  it('can be read but not changed by viewers', async () => {
    const viewer = await server.member('acme', 'viewer');
    const { id, databaseId } = await create({ appId: nodeId('App', await appId()), number: '1' });
    expect(
      await answered(viewer, 'query ($id: Int!) { appVersion(databaseId: $id) { number } }', {
        id: databaseId,
      }),
    ).toEqual({ appVersion: { number: '1' } });
    for (const [mutation, variables] of [
      [CREATE, { input: { appId: nodeId('App', 1), number: 'V' } }],
      [UPDATE, { id, input: {} }],
      [DELETE, { id }],
      [SET, { id, moduleIds: [] }],
    ] as const) {
      expect((await refused(viewer, mutation, variables)).code).toBe('FORBIDDEN');
    }
  });
});
