import { getIntrospectionQuery } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { operationHash } from '../../../src/platform/config/parsing.js';
import { ask, openKnown, type RawSocket } from '../../support/raw-socket.js';
import { startServer } from '../../support/server.js';
import { useServer } from '../../support/use-server.js';

const server = useServer();
let socket: RawSocket;
beforeAll(async () => {
  socket = await openKnown(server, server.acme.token);
});

const repeated = (part: string, times: number): string => part.repeat(times);
const aliases = (count: number): string =>
  `{ group(databaseId: 1) { ${Array.from({ length: count }, (_, n) => `a${n}: name`).join(' ')} } }`;
const deep = `{ groups { nodes { ${repeated('logicalNumbers { nodes { group { ', 4)} name ${repeated('} } }', 4)} } } }`;
const token = (name: string): string =>
  `${name}: apiTokenCreate(input: { name: "${name}", scopes: [READ] }) { token }`;
const bomb = Array.from(
  { length: 30 },
  (_, n) => `fragment F${n} on Group { ...F${n + 1} ...F${n + 1} }`,
).join(' ');

const REFUSED: readonly [string, string, Record<string, unknown>?][] = [
  ['GQ-01 the types', '{ __schema { types { name } } }'],
  ['GQ-01 a type', '{ __type(name: "User") { name } }'],
  ['GQ-01 types through a fragment', '{ ...F } fragment F on Query { __schema { types { name } } }'],
  ['GQ-01 the whole introspection', getIntrospectionQuery()],
  ['GQ-01 a misspelt field', '{ grups { nodes { name } } }'],
  ['GQ-01 a misspelt field of a subscription', 'subscription { ledgerAppend { sequence } }'],
  [
    'GQ-01 a misspelt variable',
    'query ($o: GroupOrder) { groups(orderBy: $o) { totalCount } }',
    { o: { field: 'NAMES' } },
  ],
  ['GQ-02 depth', deep],
  [
    'GQ-02 depth in a subscription',
    `subscription { ledgerAppended { company { users { nodes { company ${repeated('{ users { nodes { company ', 4)} { name } ${repeated('} } }', 4)} } } } } }`,
  ],
  ['GQ-03 2,000 aliases', aliases(2_000)],
  ['GQ-03 31 aliases', aliases(31)],
  ['GQ-03 31 root fields', `{ ${repeated('viewer { role } ', 31)} }`],
  [
    'GQ-03 fragments that double',
    `{ group(databaseId: 1) { ...F0 } } ${bomb} fragment F30 on Group { name }`,
  ],
  [
    'GQ-04 secrets by the dozen',
    `mutation { ${Array.from({ length: 12 }, (_, n) => token(`t${n}`)).join(' ')} }`,
  ],
  [
    'GQ-05 pages of pages',
    '{ groups(first: 100) { nodes { logicalNumbers(first: 100) { nodes { parameters(first: 100) { nodes { key } } } } } } }',
  ],
  [
    'GQ-05 pages of pages by variables',
    'query ($n: Int) { groups(first: $n) { nodes { logicalNumbers(first: $n) { nodes { parameters(first: $n) { nodes { key } } } } } } }',
    { n: 100 },
  ],
  ['GQ-07 circular fragments', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'],
  ['GQ-07 5,000 directives', `{ viewer ${repeated('@a ', 5_000)} { role } }`],
  ['GQ-07 3,000 undefined fragments', `{ ${Array.from({ length: 3_000 }, (_, n) => `...F${n}`).join(' ')} }`],
  ['GQ-07 20,000 nested selections', `${repeated('{ a ', 20_000)}${repeated('}', 20_000)}`],
  ['GQ-07 20,000 nested lists', `{ nodes(ids: ${repeated('[', 20_000)}${repeated(']', 20_000)}) { id } }`],
  ['GQ-07 no document', 'x'.repeat(900_000)],
  [
    'GQ-13 deep variables',
    'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    { ids: JSON.parse(`${repeated('[', 60)}${repeated(']', 60)}`) as unknown },
  ],
  [
    'two fields of a subscription',
    'subscription { a: ledgerAppended { sequence } b: ledgerAppended { sequence } }',
  ],
  ['a subscription to nothing', 'subscription { ledgerAppended @skip(if: true) { sequence } }'],
  [
    'a subscription to what a variable leaves out',
    'subscription ($a: Boolean = true) { ...F @skip(if: $a) } fragment F on Subscription { ledgerAppended { id } }',
  ],
  [
    'a subscription to nothing within a fragment',
    'subscription { ...F } fragment F on Subscription { ... @include(if: false) { ledgerAppended { id } } }',
  ],
  ['an operation that is not named', 'query A { viewer { role } } query B { viewer { role } }'],
];

describe('GQ-15 an operation over a socket', () => {
  it.each(REFUSED)(
    'is refused before anything runs, in the words of HTTP: %s',
    async (_what, query, variables) => {
      const http = await server.acme.graphql(query, variables);
      expect(http.status).toBe(400);
      const { result, statements } = await server.statements(() => ask(socket, query, variables));
      expect(statements).toEqual([]);
      expect(JSON.stringify(result)).not.toMatch(/Did you mean|node_modules|\.ts:|\bat \w+ \(/);
      expect(JSON.stringify(result).length).toBeLessThan(4_096);
      expect(result.payload.data).toBeUndefined();
      expect(result.payload.errors).toEqual(http.body.errors);
    },
  );

  it.each<[string, string, Record<string, unknown>?]>([
    ['a query', '{ viewer { role company { name } user { email } } }'],
    ['variables', 'query ($n: Int) { groups(first: $n) { totalCount nodes { name } } }', { n: 5 }],
    ['an id that is none', '{ group(id: "nonsense") { name } }'],
    ['a page that is too long', '{ groups(first: 101) { nodes { name } } }'],
    ['a variable of no meaning', 'query ($n: Int) { groups(first: $n) { totalCount } }', { n: 'x' }],
    [
      '10,000 of them',
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      { ids: Array.from({ length: 10_000 }, () => ({})) },
    ],
    [
      'a mutation with an error to mend',
      'mutation { groupCreate(input: { name: "" }) { group { id } userErrors { message path code } } }',
    ],
    ['one out of several', 'query A { viewer { role } } query B { groups { totalCount } }'],
  ])('gets the same response as over HTTP, the cost included: %s', async (_what, query, variables) => {
    const operationName = query.startsWith('query A') ? 'B' : undefined;
    const options = operationName === undefined ? {} : { operationName };
    const http = await server.acme.graphql(query, variables, options);
    const { payload } = await ask(socket, query, variables, options);
    expect(payload).toEqual(http.body);
  });

  it.each<[string, unknown]>([
    ['no query', undefined],
    ['a query that is no text', { kind: 'Document' }],
  ])('violates the protocol, which closes the socket, with %s', async (_what, query) => {
    const own = await openKnown(server, server.acme.token);
    own.say({ type: 'subscribe', id: '1', payload: { query } });
    expect(await own.ended).toMatchObject({ code: 4400 });
  });

  it('changes records for callers with the scope, once per key', async () => {
    const create =
      'mutation ($n: String!) { groupCreate(input: { name: $n }) { group { name } userErrors { code } } }';
    const viewer = await openKnown(server, (await server.member('acme', 'viewer')).token);
    const refused = await ask(viewer, create, { n: 'by a viewer' });
    expect(refused.payload.errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN' }, path: ['groupCreate'] },
    ]);
    const extensions = { idempotencyKey: 'one' };
    const first = await ask(socket, create, { n: 'by an admin' }, { extensions });
    expect(first.payload).toEqual({
      data: { groupCreate: { group: { name: 'by an admin' }, userErrors: [] } },
      extensions: { cost: { requested: 1, actual: 1 } },
    });
    const again = await ask(socket, create, { n: 'by an admin' }, { extensions });
    expect(again.payload).toMatchObject({
      data: { groupCreate: { group: { name: 'by an admin' }, userErrors: [] } },
      extensions: { idempotentReplayed: true },
    });
    const without = await ask(socket, create, { n: 'by an admin' });
    expect(without.payload.data).toMatchObject({ groupCreate: { userErrors: [{ code: 'TAKEN' }] } });
    const broken = await ask(
      socket,
      create,
      { n: 'x' },
      { extensions: { idempotencyKey: 'no spaces, please' } },
    );
    expect(broken.payload.errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
    expect((await server.acme.graphql('{ group(name: "by a viewer") { id } }')).body.data).toEqual({
      group: null,
    });
  });

  it('GQ-11 that fails shows the request id of the log, and not the reason', async () => {
    await server.place.sql('alter table groups rename to gone');
    const { payload } = await ask(socket, '{ group(databaseId: 1) { name } }');
    await server.place.sql('alter table gone rename to groups');
    const { requestId, code } = payload.errors?.[0]?.extensions as { requestId: string; code: string };
    expect(code).toBe('INTERNAL_SERVER_ERROR');
    expect(JSON.stringify(payload)).not.toMatch(/no such table|groups|select/i);
    const lines = server.logs
      .filter((line) => line.includes(requestId))
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { level: 'error', msg: 'unexpected error' },
      { msg: 'operation', transport: 'websocket', operation: 'query', path: '/graphql', ip: '127.0.0.1' },
    ]);
  });
});

describe('GQ-15 in a server with an allow list', () => {
  const known = '{ viewer { role } }';
  const followed = 'subscription { ledgerAppended(after: 0) { sequence } }';

  it('runs no other operations over a socket or a stream', async () => {
    const list = new Map([known, followed].map((text) => [operationHash(text), text]));
    const closed = await startServer({ graphqlAllowList: list });
    const raw = await openKnown(closed, closed.acme.token);
    expect((await ask(raw, known)).payload.data).toEqual({ viewer: { role: 'ADMIN' } });
    expect((await ask(raw, followed)).payload.data).toMatchObject({ ledgerAppended: {} });
    const others = [`${known} `, followed.replace('sequence', 'action'), '{'];
    for (const other of others) {
      const { payload } = await ask(raw, other);
      expect(payload.errors).toMatchObject([{ extensions: { code: 'PERSISTED_QUERY_NOT_IN_LIST' } }]);
      const headers = { authorization: `Bearer ${closed.acme.token}` };
      const reply = await closed.anonymous.post('/graphql/stream', { query: other }, { headers });
      expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('NOT_IN_LIST')]);
    }
    await closed.stop();
  });
});
