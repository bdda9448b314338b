import { beforeAll, describe, expect, it } from 'vitest';

import { createClient, fileForm } from '../support/client.js';
import { fleet } from '../support/fleet.js';
import { createGraphql } from '../support/graphql.js';
import { create } from '../support/parity/operations.js';
import { creating, long, REFUSAL_CASES, updating } from '../support/parity/refusal-cases.js';
import type { Code, Requests } from '../support/parity/refusal-cases.js';
import { createRelatedRecords, ids, type RelatedRecords } from '../support/parity/related-records.js';
import { snakeCase } from '../support/parity/rest-spelling.js';
import { useServer, type Member } from '../support/server.js';
import { carrying } from '../support/uploading.js';

const server = useServer();
let member: Member;
let related: RelatedRecords & { readonly device: number };
beforeAll(async () => {
  member = server.acme;
  const { client } = member;
  const device = await fleet.device(client, 'taken');
  related = { ...(await createRelatedRecords(member)), device };
  for (const name of ['of someone', 'other']) await fleet.group(client, name);
  await fleet.logicalNumber(client, 'taken');
  await client.post('files', fileForm('taken.bin', 'x'));
  const owned = { name: related.groupName, key: 'taken', value: 'x' };
  for (const path of ['parameters', 'metacontents', 'apps']) {
    expect((await client.post(path, path === 'apps' ? { name: 'taken' } : owned)).status).toBe(201);
  }
});

/** Status and code in REST for each code in GraphQL. */
const IN_REST: Readonly<Record<Code, readonly [number, string]>> = {
  INVALID: [422, 'invalid'],
  TAKEN: [409, 'taken'],
  NOT_FOUND: [404, 'not_found'],
  NOT_EMPTY: [409, 'group_not_empty'],
};

/** Both surfaces refuse with the same messages; `restNames` has the fields that REST names differently. */
async function expectSameRefusal(
  { graphql, rest }: Requests,
  refusal: string,
  restNames: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [code, ...paths] = refusal.split(' ') as [Code, ...string[]];
  const { userErrors, record, deletedId } = await graphql(member);
  const { status, body, text } = await rest(member);
  expect([record ?? deletedId ?? null, status, body.code], text).toEqual([null, ...IN_REST[code]]);
  expect(userErrors.map((error) => error.code)).toEqual(userErrors.map(() => code));
  expect([...new Set(userErrors.map(({ path }) => path.join('.')))].join(' ')).toBe(paths.join(' '));
  if (code === 'NOT_EMPTY' || code === 'NOT_FOUND') {
    expect([body.errors, userErrors.map(({ message }) => message)]).toEqual([undefined, [body.message]]);
    return;
  }
  const messages: Record<string, string[]> = {};
  for (const { path, message } of userErrors) {
    const field = path.at(-1) ?? '';
    (messages[restNames[field] ?? snakeCase(field)] ??= []).push(message);
  }
  expect(messages).toStrictEqual(body.errors);
}

describe('REST and GraphQL refuse with the same messages', () => {
  it.each(REFUSAL_CASES)('%s: %s', async (_what, refusal, requests) => {
    await expectSameRefusal(requests(related), refusal);
  });

  it.each([
    ['TAKEN', 'taken.bin'],
    ['INVALID', '..'],
    ['INVALID', '-rf'],
  ] as const)('%s as the name of a file, whose path in GraphQL is the file: %s', async (code, name) => {
    const uploading = carrying(server, member, { bytes: 'x', name }, 'input.file');
    const requests: Requests = {
      graphql: () => create(uploading, 'File', {}),
      rest: ({ client }) => client.post('files', fileForm(name, 'x')),
    };
    await expectSameRefusal(requests, `${code} input.file`, { file: 'name' });
  });

  it('a long description of a file', async () => {
    const [id, description] = [related.file, long(4_001)];
    const form = fileForm('', null, { description });
    const requests = updating('File', ids.file(id), `files/${id}`, { description }, form);
    await expectSameRefusal(requests, 'INVALID input.description');
  });

  it('a missing owner, which GraphQL names by its id and REST by its name', async () => {
    const fields = { key: 'new', value: 'x' };
    const requests = creating('Parameter', 'parameters', { owner: {}, ...fields }, fields);
    const { userErrors } = await requests.graphql(member);
    const { status, body } = await requests.rest(member);
    expect(userErrors).toEqual([
      { code: 'INVALID', path: ['input', 'owner'], message: 'must be either a logical number or a group' },
    ]);
    expect([status, body.code, Object.keys(body.errors ?? {})]).toEqual([422, 'invalid', ['number', 'name']]);
  });

  it.each([
    ['without a token', null],
    ['with an unknown token', 'f'.repeat(40)],
  ])('a request %s', async (_what, token) => {
    const rest = await createClient(server.url, token).get('groups');
    const { status, headers, body } = await createGraphql(server.url, token)('{ groups { totalCount } }');
    expect([rest.status, rest.body.code, status]).toEqual([401, 'unauthenticated', 401]);
    expect(body.errors?.map((error) => [error.extensions.code, error.message])).toEqual([
      ['UNAUTHENTICATED', rest.body.message],
    ]);
    expect(headers.get('www-authenticate')).toBe(rest.headers.get('www-authenticate'));
  });
});
