import { getIntrospectionQuery } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { ask, openKnown, type RawSocket } from '../../support/raw-socket.js';
import { useServer, type Fields } from '../../support/server.js';
import { overStream, responseIn } from '../../support/transports.js';

const server = useServer();
let socket: RawSocket;
beforeAll(async () => {
  socket = await openKnown(server, server.acme.token);
});

/** `nested('[', 2, '', ']')` is `[[]]`. */
const nested = (open: string, times: number, inner = 'a', close = '}'): string =>
  open.repeat(times) + inner + close.repeat(times);
const numbered = (count: number, part: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => part(n)).join(' ');
const aliases = (count: number): string =>
  `{ group(databaseId: 1) { ${numbered(count, (n) => `a${n}: name`)} } }`;
const token = (n: number): string =>
  `t${n}: apiTokenCreate(input: { name: "t${n}", scopes: [READ] }) { token }`;
const chain = (length: number): string =>
  numbered(
    length,
    (n) => `fragment F${n} on Query { ${n === length - 1 ? 'viewer { role }' : `...F${n + 1}`} }`,
  );
const companies = nested('{ users { nodes { company ', 4, '{ name }', '} } }');
const groups = (given: string): string => `{ groups(${given}) { totalCount } }`;
const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
const F = 'fragment F on Subscription { ledgerAppended { id } }';
const pages = (size: string): string =>
  `groups(first: ${size}) { nodes { logicalNumbers(first: ${size}) { nodes { parameters(first: ${size}) { nodes { key } } } } } }`;

const REFUSED: readonly [what: string, query: string, variables?: Fields][] = [
  ['GQ-01 the types', '{ __schema { types { name } } }'],
  ['GQ-01 a type', '{ __type(name: "User") { name } }'],
  ['GQ-01 types through a fragment', '{ ...F } fragment F on Query { __schema { types { name } } }'],
  ['GQ-01 types through an inline fragment', '{ ... on Query { __schema { queryType { name } } } }'],
  ['GQ-01 the whole introspection', getIntrospectionQuery()],
  ['GQ-01 a misspelt field', '{ grups { nodes { name } } }'],
  ['GQ-01 a misspelt field of a subscription', 'subscription { ledgerAppend { sequence } }'],
  ['GQ-01 a misspelt argument', groups('frist: 1')],
  ['GQ-01 a misspelt type', '{ ... on Quer { viewer { role } } }'],
  ['GQ-01 a misspelt enumeration', groups('orderBy: { field: NAMES }')],
  ['GQ-01 a misspelt input', groups('filter: { nam: { eq: "a" } }')],
  ['GQ-01 a misspelt variable', `query ($o: GroupOrder) ${groups('orderBy: $o')}`, { o: { field: 'NAMES' } }],
  ['GQ-02 depth', `{ groups { nodes { ${nested('logicalNumbers { nodes { group {', 4, 'name', '}}}')} } } }`],
  [
    'GQ-02 depth of events',
    `subscription { ledgerAppended { company { users { nodes { company ${companies} }}}}}`,
  ],
  ['GQ-03 2,000 aliases', aliases(2_000)],
  ['GQ-04 secrets by the dozen', `mutation { ${numbered(12, token)} }`],
  ['GQ-05 pages of pages by variables', `query ($n: Int) { ${pages('$n')} }`, { n: 100 }],
  ['GQ-07 circular fragments', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'],
  ['GQ-07 a fragment of itself', '{ viewer { ...A } } fragment A on Viewer { role ...A }'],
  ['GQ-07 a chain of fragments', `{ ...F0 } ${chain(400)}`],
  ['GQ-07 2,000 directives', `{ viewer ${'@a '.repeat(2_000)} { role } }`],
  ['GQ-07 3,000 undefined fragments', `{ ${numbered(3_000, (n) => `...F${n}`)} }`],
  ['GQ-07 500 unused variables', `query (${numbered(500, (n) => `$v${n}: Int`)}) { viewer { role } }`],
  ['GQ-07 20,000 nested selections', nested('{ a ', 20_000, '')],
  ['GQ-07 1,200 nested inline fragments', `{ ${nested('... { ', 1_200)} }`],
  ['GQ-07 20,000 nested lists', `{ nodes(ids: ${nested('[', 20_000, '', ']')}) { id } }`],
  ['GQ-07 2,400 nested lists', `{ nodes(ids: ${nested('[', 2_400, '', ']')}) { id } }`],
  ['GQ-07 1,200 nested objects', `{ groups(filter: ${nested('{ and: ', 1_200, '1')}) { totalCount } }`],
  ['GQ-07 one field 2,000 times', `{ viewer { ${'role '.repeat(2_000)} } }`],
  ['GQ-07 a megabyte that is no document', 'x'.repeat(1_000_000)],
  ['GQ-07 a long unknown field', `{ ${'x'.repeat(100_000)} }`],
  ['GQ-07 an unclosed string', '{ viewer(a: "'],
  ['GQ-07 nothing but a byte order mark', '\ufeff'],
  ['GQ-13 deep variables', NODES, { ids: JSON.parse(nested('[', 60, '', ']')) as unknown }],
  ['GQ-13 10,000 errors in variables', NODES, { ids: Array.from({ length: 10_000 }, () => ({})) }],
  ['two fields of a subscription', 'subscription { a: ledgerAppended { id } b: ledgerAppended { id } }'],
  ['a subscription to nothing', 'subscription { ledgerAppended @skip(if: true) { sequence } }'],
  ['one that a variable leaves out', `subscription ($a: Boolean = true) { ...F @skip(if: $a) } ${F}`],
  ['one to nothing in a fragment', `subscription { ...F } ${F.replace('{', '{ ...@skip(if: true) {')} }`],
  ['an operation that is not named', 'query A { viewer { role } } query B { viewer { role } }'],
];

describe('GQ-15 a document that is refused before anything runs', () => {
  it.each(REFUSED)(
    'gets a few errors, the same over HTTP, sockets and streams: %s',
    async (_what, query, variables) => {
      const { status, text, body } = await server.acme.graphql(query, variables);
      expect(status, text).toBe(400);
      expect(text.length).toBeLessThan(4_096);
      expect(text).not.toMatch(/Did you mean|"Device"|stack|node_modules|\bat \w+ \(|\.[jt]s:/);
      expect(body.data).toBeUndefined();
      expect(body.errors?.length).toBeLessThanOrEqual(5);
      for (const { extensions } of body.errors ?? [])
        expect(extensions.code).toMatch(/^(GRAPHQL|BAD|OPERATION)_/);
      const { result, statements } = await server.statements(async () => ({
        socket: await ask(socket, query, variables),
        stream: await overStream(server, server.acme, query, variables),
      }));
      expect(statements).toEqual([]);
      expect(result.socket.payload.data).toBeUndefined();
      expect(result.socket.payload.errors).toEqual(body.errors);
      expect(result.stream.match(/^event: .*$/gm)).toEqual(['event: next', 'event: complete']);
      expect(responseIn(result.stream).errors).toEqual(body.errors);
      expect((await server.acme.graphql('{ viewer { role } }')).status).toBe(200);
    },
  );
});
