import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, nodeId, type UserErrorShape } from '../../../support/dashboard.js';
import { fleet, ledgerOf, softwareOf, unique, type Software } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();
let acme: Software;
beforeAll(() => {
  acme = softwareOf(server.acme.client);
});

const IDS = '{ nodes { databaseId } }';
const PAYLOAD = `{ appVersion { id databaseId uuid size crc sha256 groups ${IDS} modules ${IDS} }
  userErrors { message path code } }`;
const CREATE = `mutation ($input: AppVersionCreateInput!) { appVersionCreate(input: $input) ${PAYLOAD} }`;
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

const appId = (fields: Fields = {}): Promise<number> => fleet.app(server.acme.client, unique(), fields);
const nodes = (...ids: number[]) => ({ nodes: ids.map((databaseId) => ({ databaseId })) });
const idsOf = (typeName: string, ...ids: number[]) => ids.map((id) => nodeId(typeName, id));

async function create(input: Fields): Promise<VersionFields> {
  const { appVersion, userErrors } = await changed<VersionPayload>(server.acme, CREATE, { input });
  expect(userErrors).toEqual([]);
  if (appVersion === null) throw new Error('No version was created');
  return appVersion;
}

describe('an app version in GraphQL', () => {
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
      appId: nodeId('App', await appId()),
      number: '1',
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

  it.each<[string, string, unknown]>([
    ['an app that the company does not have', 'appId', nodeId('App', 9e6)],
    ['the id of something else', 'appId', nodeId('Group', 1)],
    ['null for its flag', 'displayable', null],
    ['null for its groups', 'groupIds', null],
  ])('is refused in userErrors with %s', async (_case, field, value) => {
    const input = { appId: nodeId('App', await appId()), number: 'N', [field]: value };
    const { appVersion, userErrors } = await changed<VersionPayload>(server.acme, CREATE, { input });
    expect(appVersion).toBeNull();
    expect(userErrors).toMatchObject([{ path: ['input', field], code: 'INVALID' }]);
  });
});
