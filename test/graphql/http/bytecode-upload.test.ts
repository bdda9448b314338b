import { ApolloClient, gql, InMemoryCache, type TypedDocumentNode } from '@apollo/client';
import UploadHttpLink from 'apollo-upload-client/UploadHttpLink.mjs';
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, nodeId } from '../../support/dashboard.js';
import { crcOf, fleet, unique } from '../../support/fleet.js';
import { useServer, type Fields } from '../../support/server.js';
import { carrying } from '../../support/uploading.js';

const server = useServer();
let apollo: ApolloClient;
let appId: string;
beforeAll(async () => {
  const id = await fleet.app(server.acme.client, unique());
  appId = nodeId('App', id);
  apollo = new ApolloClient({
    cache: new InMemoryCache(),
    link: new UploadHttpLink({
      uri: `${server.url}/graphql`,
      headers: { authorization: `Bearer ${server.acme.token}`, 'apollo-require-preflight': 'true' },
    }),
  });
});
afterAll(() => {
  apollo.stop();
});

const PAYLOAD =
  '{ appVersion { id databaseId number size crc sha256 bytecode } userErrors { message path code } }';
const CREATE = `mutation ($input: AppVersionCreateInput!) { appVersionCreate(input: $input) ${PAYLOAD} }`;
const UPDATE = `mutation ($id: ID!, $input: AppVersionUpdateInput!) {
  appVersionUpdate(id: $id, input: $input) ${PAYLOAD} }`;

interface Payload {
  readonly appVersion: (Fields & { readonly id: string }) | null;
  readonly userErrors: readonly Fields[];
}

/** Sends a mutation of one field with Apollo Client; returns its version. */
async function mutated(mutation: string, variables: Fields): Promise<Fields & { readonly id: string }> {
  const document: TypedDocumentNode<Record<string, Payload>, Fields> = gql(mutation);
  const { data } = await apollo.mutate({ mutation: document, variables });
  const [payload] = Object.values(data ?? {});
  expect(payload?.userErrors).toEqual([]);
  if (payload?.appVersion == null) throw new Error('There is no version');
  return payload.appVersion;
}

const fileOf = (bytes: Buffer): File => new File([new Uint8Array(bytes)], 'app.posxml');

function expectBytes({ bytecode, ...version }: Fields, bytes: Buffer): void {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(version).toMatchObject({ size: bytes.length, crc: crcOf(bytes), sha256 });
  // Compared apart, since the difference of such texts takes minutes to print.
  expect(Buffer.from(String(bytecode), 'base64').equals(bytes)).toBe(true);
}

describe('bytecodeFile', () => {
  it('UP-21 is stored, sent by Apollo Client with apollo-upload-client', async () => {
    const bytes = randomBytes(1_200_000);
    const number = unique();
    const created = await mutated(CREATE, { input: { appId, number, bytecodeFile: fileOf(bytes) } });
    expect(created.number).toBe(number);
    expectBytes(created, bytes);
    const other = randomBytes(600_000);
    const updated = await mutated(UPDATE, { id: created.id, input: { bytecodeFile: fileOf(other) } });
    expect([updated.id, updated.number]).toEqual([created.id, number]);
    expectBytes(updated, other);
    const [, , app = ''] = Buffer.from(appId, 'base64url').toString().split(/(:)/);
    const shown = await server.acme.client.get(`apps/${app}/versions/${String(created.databaseId)}`);
    expectBytes({ ...shown.record('app_version'), sha256: updated.sha256 }, other);
  });

  const kept = async (): Promise<unknown> => [
    await answered(server.acme, '{ appVersions { totalCount } }'),
    await server.app.database.reads.selectFrom('contents').select('id').execute(),
  ];
  const file = { bytes: '123456789', name: 'app.posxml' };

  it('is IN_USE at its own path if logical numbers have the version', async () => {
    const { client } = server.acme;
    const group = await fleet.group(client, unique());
    const created = await mutated(CREATE, {
      input: {
        appId,
        number: unique(),
        groupIds: [nodeId('Group', group)],
        bytecodeFile: fileOf(Buffer.from('one')),
      },
    });
    await fleet.logicalNumber(client, unique(), { group_id: group, app_version_ids: [created.databaseId] });
    const sent = carrying(server, server.acme, file, 'input.bytecodeFile');
    expect(await changed(sent, UPDATE, { id: created.id, input: {} })).toMatchObject({
      userErrors: [{ path: ['input', 'bytecodeFile'], code: 'IN_USE' }],
    });
  });

  it('is refused beside bytecode, null, or in another place, and changes nothing', async () => {
    const before = await kept();
    const sent = carrying(server, server.acme, file, 'input.bytecodeFile');
    const both = await changed(sent, CREATE, { input: { appId, number: unique(), bytecode: 'QUJD' } });
    expect(both).toEqual({
      appVersion: null,
      userErrors: [
        {
          message: 'must not be sent together with bytecode',
          path: ['input', 'bytecodeFile'],
          code: 'INVALID',
        },
      ],
    });
    const none = await changed(server.acme, CREATE, {
      input: { appId, number: unique(), bytecodeFile: null },
    });
    expect(none).toMatchObject({ userErrors: [{ path: ['input', 'bytecodeFile'], code: 'INVALID' }] });
    const text = await server.acme.graphql(CREATE, { input: { appId, number: '1', bytecodeFile: 'QUJD' } });
    expect([text.status, text.body.errors?.[0]?.extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(await kept()).toEqual(before);
  });
});
