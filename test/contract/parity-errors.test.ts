import { print } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createClient, type Fields } from '../support/client.js';
import { refused } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import { createGraphql } from '../support/graphql.js';
import { createSetting, formWith, ids, type Setting } from '../support/parity-setting.js';
import { both, documents, long, UNKNOWN, WISHES, type Calls, type Code } from '../support/parity-wishes.js';
import { snakeCase } from '../support/parity.js';
import { startServer, type Member, type TestServer } from '../support/server.js';
import { asked } from '../support/typed.js';
import { carrying } from '../support/uploading.js';

let server: TestServer;
let member: Member;
let setting: Setting & { readonly device: number };
beforeAll(async () => {
  server = await startServer();
  member = server.acme;
  const { client } = member;
  const device = await fleet.device(client, 'taken');
  setting = { ...(await createSetting(member)), device };
  for (const name of ['of someone', 'other']) await fleet.group(client, name);
  await fleet.logicalNumber(client, 'taken');
  await client.post('files', formWith('x', 'taken.bin'));
  const owned = { name: setting.groupName, key: 'taken', value: 'x' };
  for (const path of ['parameters', 'metacontents', 'apps']) {
    expect((await client.post(path, path === 'apps' ? { name: 'taken' } : owned)).status).toBe(201);
  }
});
afterAll(async () => {
  await server.stop();
});

/** What REST answers with, where GraphQL answers with a code. */
const IN_REST: Readonly<Record<Code, readonly [number, string]>> = {
  INVALID: [422, 'invalid'],
  TAKEN: [409, 'taken'],
  NOT_FOUND: [404, 'not_found'],
  NOT_EMPTY: [409, 'group_not_empty'],
};

/** That neither surface did it, and that both say the same of it; `named` says which fields have another name. */
async function expectSameRefusal(
  { graphql, rest }: Calls,
  [code, paths]: readonly [Code, readonly string[]],
  named: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { userErrors, record, deletedId } = (await graphql(member)).done;
  const { status, body, text } = await rest(member);
  expect([record ?? deletedId ?? null, status, body.code], text).toEqual([null, ...IN_REST[code]]);
  expect(userErrors.map((error) => error.code)).toEqual(userErrors.map(() => code));
  expect([...new Set(userErrors.map(({ path }) => path.join('.')))]).toEqual(paths);
  if (code === 'NOT_EMPTY' || code === 'NOT_FOUND') {
    expect([body.errors, userErrors.map(({ message }) => message)]).toEqual([undefined, [body.message]]);
    return;
  }
  const messages: Record<string, string[]> = {};
  for (const { path, message } of userErrors) {
    const field = path.at(-1) ?? '';
    (messages[named[field] ?? snakeCase(field)] ??= []).push(message);
  }
  expect(messages).toStrictEqual(body.errors);
}

describe('REST and GraphQL refuse in the same words', () => {
  it.each(WISHES)('%s', async (_what, code, paths, make) => {
    await expectSameRefusal(make(setting), [code, paths]);
  });

  it.each([
    ['TAKEN', 'taken.bin'],
    ['INVALID', '..'],
    ['INVALID', '-rf'],
  ] as const)(
    'what is %s as the name of a file, which stands at the file in GraphQL: %s',
    async (code, name) => {
      const calls: Calls = {
        graphql: (by) =>
          asked(carrying(server, by, { bytes: 'x', name }), documents.FileCreate, { file: null }),
        rest: ({ client }) => client.post('files', formWith('x', name)),
      };
      await expectSameRefusal(calls, [code, ['input.file']], { file: 'name' });
    },
  );

  it('a long description of a file', async () => {
    const [id, description] = [setting.file, long(4_001)];
    const calls = both(documents.FileUpdate, { id: ids.file(id), input: { description } }, [
      ...(['PUT', `files/${id}`, formWith(null, '', { description })] as const),
    ]);
    await expectSameRefusal(calls, ['INVALID', ['input.description']]);
  });

  it('an owner that is none, by ids in GraphQL and by names in REST', async () => {
    const wish = { key: 'new', value: 'x' };
    const calls = both(documents.ParameterCreate, { input: { owner: {}, ...wish } }, [
      'POST',
      'parameters',
      wish,
    ]);
    const { done } = await calls.graphql(member);
    const { status, body } = await calls.rest(member);
    expect(done.userErrors).toEqual([
      { code: 'INVALID', path: ['input', 'owner'], message: 'must be either a logical number or a group' },
    ]);
    expect([status, body.code, Object.keys(body.errors ?? {})]).toEqual([422, 'invalid', ['number', 'name']]);
  });

  it("another company's record like one that never was", async () => {
    const theirs = { client: server.beta.client, name: 'of beta' };
    const id = await fleet.group(theirs.client, theirs.name);
    for (const [global, name] of [
      [ids.group(id), theirs.name],
      [ids.group(UNKNOWN), 'nobody'],
    ] as const) {
      const path = `groups/${encodeURIComponent(name)}`;
      const changed = both(documents.GroupUpdate, { id: global, input: {} }, ['PUT', path, {}]);
      await expectSameRefusal(changed, ['NOT_FOUND', ['id']]);
      await expectSameRefusal(both(documents.GroupDelete, { id: global }, ['DELETE', path]), [
        'NOT_FOUND',
        ['id'],
      ]);
    }
  });

  it('who may only read', async () => {
    const viewer = await server.member('acme', 'viewer');
    const { app: appId, version: versionId, file: fileId, device: deviceId } = setting;
    const owner = { name: setting.groupName };
    const records: readonly (readonly [string, string, Fields?, string?])[] = [
      ['Group', 'groups/other'],
      ['LogicalNumber', 'logical_numbers/taken'],
      ['Device', 'devices/taken', {}, ids.device(deviceId)],
      ['App', `apps/${appId}`, {}, ids.app(appId)],
      ['AppVersion', `apps/${appId}/versions/${versionId}`, {}, ids.version(versionId)],
      ['File', `files/${fileId}`, {}, ids.file(fileId)],
      ['Parameter', `parameters/${UNKNOWN}`, owner],
      ['Metacontent', `metacontents/${UNKNOWN}`, owner],
    ];
    for (const [type, path, body = {}, id = 'any'] of records) {
      for (const [what, method] of [
        ['Update', 'PUT'],
        ['Delete', 'DELETE'],
      ] as const) {
        const document = documents[`${type}${what}` as keyof typeof documents];
        const variables = what === 'Update' ? { id, input: {} } : { id };
        const reply = await viewer.client.request(method, path, body);
        expect([reply.status, reply.body.code], path).toEqual([403, 'forbidden']);
        expect(await refused(viewer, print(document), variables)).toEqual({
          message: reply.body.message,
          code: 'FORBIDDEN',
        });
      }
    }
    const users = await viewer.client.get('users');
    const { message, code } = await refused(viewer, print(documents.UserRead));
    expect([users.status, code, message]).toEqual([403, 'FORBIDDEN', users.body.message]);
  });

  it.each([
    ['without a token', null],
    ['with a token of nobody', 'f'.repeat(40)],
  ])('who asks %s', async (_what, token) => {
    const rest = await createClient(server.url, token).get('groups');
    const { status, headers, body } = await createGraphql(server.url, token)('{ groups { totalCount } }');
    expect([rest.status, rest.body.code, status]).toEqual([401, 'unauthenticated', 401]);
    expect(body.errors?.map((error) => [error.extensions.code, error.message])).toEqual([
      ['UNAUTHENTICATED', rest.body.message],
    ]);
    expect(headers.get('www-authenticate')).toBe(rest.headers.get('www-authenticate'));
  });
});
