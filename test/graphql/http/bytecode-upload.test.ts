import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, nodeId, type UserErrorShape } from '../../support/dashboard.js';
import { crcOf, fleet, unique } from '../../support/fleet.js';
import { useServer, type Fields } from '../../support/server.js';
import { carrying } from '../../support/uploading.js';

const server = useServer();
let app: number;
let appId: string;
beforeAll(async () => {
  app = await fleet.app(server.acme.client, unique());
  appId = nodeId('App', app);
});

const PAYLOAD =
  '{ appVersion { id databaseId number size crc sha256 bytecode } userErrors { message path code } }';
const CREATE = `mutation ($input: AppVersionCreateInput!) { appVersionCreate(input: $input) ${PAYLOAD} }`;
const UPDATE = `mutation ($id: ID!, $input: AppVersionUpdateInput!) {
  appVersionUpdate(id: $id, input: $input) ${PAYLOAD} }`;

const PATH = 'input.bytecodeFile';
const sending = (bytes: Buffer | string) =>
  carrying(server, server.acme, { bytes, name: 'app.posxml' }, PATH);
const errors = ({ userErrors }: { readonly userErrors: readonly UserErrorShape[] }): unknown =>
  userErrors.map(({ path, code }) => [path, code]);

/** Sends bytecode with a mutation that must succeed; resolves to the version. */
async function stored(bytes: Buffer, mutation: string, variables: Fields): Promise<Fields> {
  const payload = await changed<{ appVersion: Fields }>(sending(bytes), mutation, variables);
  expect(payload).toMatchObject({ userErrors: [] });
  const { bytecode, ...version } = payload.appVersion;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(version).toMatchObject({ size: bytes.length, crc: crcOf(bytes), sha256 });
  // Compared apart, since the difference of such texts takes minutes to print.
  expect(Buffer.from(String(bytecode), 'base64').equals(bytes)).toBe(true);
  return version;
}

describe('bytecodeFile', () => {
  it('UP-21 is stored, and replaced', async () => {
    const number = unique();
    const { id, databaseId, ...created } = await stored(randomBytes(1_200_000), CREATE, {
      input: { appId, number },
    });
    expect(created.number).toBe(number);
    const other = randomBytes(600_000);
    expect(await stored(other, UPDATE, { id, input: {} })).toMatchObject({ id, number });
    const shown = await server.acme.client.get(`apps/${app}/versions/${String(databaseId)}`);
    expect(shown.record('app_version').bytecode === other.toString('base64')).toBe(true);
  });

  it('UP-21 is named where bytecode in variables is too large', async () => {
    const input = { appId, number: unique(), bytecode: randomBytes(1_200_000).toString('base64') };
    const refused = await server.acme.graphql(CREATE, { input });
    expect(refused.status).toBe(413);
    expect(refused.body.errors?.[0]?.message).toBe(
      'The operation is larger than 1048576 bytes. Send files and bytecode as parts of multipart/form-data.',
    );
  });

  const kept = async (): Promise<unknown> => [
    await answered(server.acme, '{ appVersions { totalCount } }'),
    await server.app.database.reads.selectFrom('contents').select('id').execute(),
  ];

  it('is IN_USE at its own path if logical numbers have the version', async () => {
    const { client } = server.acme;
    const group = await fleet.group(client, unique());
    const input = { appId, number: unique(), groupIds: [nodeId('Group', group)] };
    const { id, databaseId } = await stored(Buffer.from('one'), CREATE, { input });
    await fleet.logicalNumber(client, unique(), { group_id: group, app_version_ids: [databaseId] });
    const refused = await changed(sending('123456789'), UPDATE, { id, input: {} });
    expect(errors(refused)).toEqual([[['input', 'bytecodeFile'], 'IN_USE']]);
  });

  it('is refused beside bytecode, null, or in another place, and changes nothing', async () => {
    const before = await kept();
    const input = { appId, number: unique() };
    const both = await changed(sending('123456789'), CREATE, { input: { ...input, bytecode: 'QUJD' } });
    expect(both).toMatchObject({ userErrors: [{ message: 'must not be sent together with bytecode' }] });
    const none = await changed(server.acme, CREATE, { input: { ...input, bytecodeFile: null } });
    for (const payload of [both, none]) {
      expect(errors(payload)).toEqual([[['input', 'bytecodeFile'], 'INVALID']]);
    }
    const text = await server.acme.graphql(CREATE, { input: { ...input, bytecodeFile: 'QUJD' } });
    expect([text.status, text.body.errors?.[0]?.extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(await kept()).toEqual(before);
  });
});
