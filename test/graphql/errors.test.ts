import fc from 'fast-check';
import { GraphQLError, locatedError, Source } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { inDocumentOrder, maskErrors } from '../../src/graphql/execution/mask.js';
import { DomainError } from '../../src/platform/errors.js';
import { useServer } from '../support/server.js';

const MASKED = 'Something went wrong on the server.';
const INNER = /sqlite|postgres|constraint|trigger|groups_|memberships|node_modules|\.ts|\bat \w/i;

const server = useServer();
beforeAll(async () => {
  await server.acme.graphql('{ viewer { role } }');
});

describe('errors in a response', () => {
  it('GQ-11 of the database are masked and logged with the request id', async () => {
    const stopFailing = await server.place.failInserts('groups');
    const { status, body, text } = await server.acme.graphql(
      'mutation { groupCreate(input: { name: "x" }) { group { id } userErrors { message } } }',
      undefined,
      { headers: { 'x-request-id': 'fault-of-database' } },
    );
    await stopFailing();
    expect(status).toBe(200);
    expect(body.data).toBeNull();
    expect(body.errors).toEqual([
      {
        message: MASKED,
        locations: [{ line: 1, column: 12 }],
        path: ['groupCreate'],
        extensions: { code: 'INTERNAL_SERVER_ERROR', requestId: 'fault-of-database' },
      },
    ]);
    expect(text).not.toMatch(INNER);
    expect(server.logs.join('\n')).toContain('"request_id":"fault-of-database"');
  });

  it('GQ-11 leave the rest of the data as it is', async () => {
    await server.place.sql('alter table devices rename to elsewhere');
    // On PostgreSQL, a unit has no statements after one that failed, so the rest is what needs none.
    const { body, text } = await server.acme.graphql(
      '{ viewer { role } __typename device(databaseId: 1) { id } }',
    );
    await server.place.sql('alter table elsewhere rename to devices');
    expect(body.data).toEqual({ viewer: { role: 'ADMIN' }, __typename: 'Query', device: null });
    expect(body.errors).toHaveLength(1);
    expect(text).not.toMatch(INNER);
  });

  it.each<[string, unknown]>([
    ['a thrown text', locatedError('a secret', undefined, ['a'])],
    ['a thrown nothing', locatedError(undefined, undefined, ['a'])],
    ['an error of SQLite', locatedError(new Error('SQLITE_CORRUPT /var/gateway.db'), undefined, ['a'])],
    ['an answer that breaks the schema', new GraphQLError('Cannot return null for X.y.', { path: ['a'] })],
    ['an error without a place', new Error('a secret')],
  ])('GQ-11 show nothing of %s', (_what, error) => {
    const reported: unknown[] = [];
    const masked = maskErrors(
      { development: false, onError: (fault, requestId) => reported.push([fault, requestId]) },
      'r1',
      [error],
    );
    const extensions = { code: 'INTERNAL_SERVER_ERROR', requestId: 'r1' };
    expect(masked[0]).toMatchObject({ message: MASKED, extensions });
    expect(reported).toHaveLength(1);
  });

  it('keep the code of domain errors', () => {
    const masking = { development: false, onError: () => undefined };
    const refused = new DomainError('storage_full', 'The disk is full.', { retryAfter: 10 });
    expect(maskErrors(masking, 'r1', [locatedError(refused, undefined, ['a'])])).toEqual([
      { message: 'The disk is full.', path: ['a'], extensions: { code: 'STORAGE_FULL', retryAfter: 10 } },
    ]);
  });
});

describe('invalid variable values', () => {
  it.each<[string, string, unknown]>([
    ['a number beyond 32 bits', 'Int!', 2_147_483_648],
    ['a fraction for a whole number', 'Int!', 1.5],
    ['a text for a number', 'Int!', '1'],
    ['an object for an id', 'ID!', {}],
    ['a list for an id', 'ID!', ['a', 'b']],
    ['a truth for an id', 'ID!', true],
    ['null where something must be', 'ID!', null],
    ['nothing where something must be', 'ID!', undefined],
    ['an unknown enumeration', 'GroupOrder!', { field: 'SECRET' }],
    ['an unknown field', 'GroupOrder!', { field: 'NAME', secret: 1 }],
    ['a number for an input', 'GroupCreateInput!', 7],
    ['a text of half a megabyte for a number', 'Int!', 'x'.repeat(500_000)],
  ])('GQ-13 are refused before anything runs: %s', async (_what, type, value) => {
    const queries: Readonly<Record<string, string>> = {
      'Int!': 'query ($v: Int!) { group(databaseId: $v) { id } }',
      'ID!': 'query ($v: ID!) { group(id: $v) { id } }',
      'GroupOrder!': 'query ($v: GroupOrder!) { groups(orderBy: $v) { totalCount } }',
      'GroupCreateInput!': 'mutation ($v: GroupCreateInput!) { groupCreate(input: $v) { group { id } } }',
    };
    const { result, statements } = await server.statements(() =>
      server.acme.graphql(queries[type] ?? '', { v: value }),
    );
    expect(result.status, result.text.slice(0, 300)).toBe(400);
    expect(result.body.data).toBeUndefined();
    expect(result.body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(result.text.length).toBeLessThan(4_096);
    expect(statements).toEqual([]);
  });

  const levels = 20_000;
  it.each<[string, string, string]>([
    ['a number too large for JSON', '$v: Int!) { group(databaseId: $v) { id }', '1e400'],
    ['a list of 20,000 levels', '$v: ID!) { group(id: $v) { id }', '['.repeat(levels) + ']'.repeat(levels)],
    [
      'a filter of twenty thousand levels',
      '$v: GroupFilter) { groups(filter: $v) { totalCount }',
      `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`,
    ],
  ])('GQ-13 are refused by their field: %s', async (_what, query, value) => {
    const reply = await server.anonymous.post(
      '/graphql',
      `{"query":"query (${query} }","variables":{"v":${value}}}`,
      { headers: { authorization: `Bearer ${server.acme.token}`, 'content-type': 'application/json' } },
    );
    expect(reply.status, reply.text).toBe(400);
    expect(reply.text).toContain('"code":"BAD_USER_INPUT"');
  });

  it.each([
    '1 OR 1=1',
    '01',
    '1',
    '',
    '\u0000',
    'R3JvdXA6MDE',
    'R3JvdXA6MQ==',
    Buffer.from('Group:1e0').toString('base64url'),
    Buffer.from('Group:-1').toString('base64url'),
    Buffer.from('Group:9007199254740993').toString('base64url'),
    Buffer.from('User:1').toString('base64url'),
    '%'.repeat(10_000),
  ])('GQ-13 a malformed id finds nothing: %j', async (id) => {
    const { status, body } = await server.acme.graphql('query ($id: ID!) { group(id: $id) { id } }', { id });
    expect([status, body.data]).toEqual([200, { group: null }]);
    const changed = await server.acme.graphql(
      'mutation ($id: ID!) { groupDelete(id: $id) { deletedId userErrors { code } } }',
      { id },
    );
    expect(changed.body.data).toEqual({
      groupDelete: { deletedId: null, userErrors: [{ code: 'NOT_FOUND' }] },
    });
  });
});

const source = new Source('{ first { inner } second }');
const errorAt = (position: number, path: (string | number)[]): GraphQLError =>
  new GraphQLError(path.join('.'), { source, positions: [position], path });

const ORDERED = [
  new GraphQLError('of the whole operation'),
  errorAt(2, ['first']),
  errorAt(10, ['first', 0, 'inner']),
  errorAt(10, ['first', 2, 'inner']),
  errorAt(10, ['first', 10, 'inner']),
  errorAt(10, ['other', 0, 'inner']),
  errorAt(18, ['second']),
];

it('errors are in the order of the document and of the lists, however they come', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(ORDERED, { minLength: ORDERED.length }), (errors) => {
      expect(inDocumentOrder(errors)).toEqual(ORDERED);
    }),
  );
});

it('errors without a field, such as those of validation, stay in their order', () => {
  const errors = ['b', 'a', 'c'].map((message) => new GraphQLError(message));
  expect(inDocumentOrder(errors)).toEqual(errors);
});
