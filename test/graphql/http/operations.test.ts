import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';

import { busy } from '../../../src/platform/errors.js';
import { nodeId } from '../../support/dashboard.js';
import { populate } from '../../support/populated.js';
import { sendRaw } from '../../support/raw-http.js';
import { useServer, type Member } from '../../support/server.js';
import { graphqlPost } from '../../support/slow-client.js';
import { waitFor } from '../../support/wait-for.js';
import { DrawnQueries } from '../drawn-query.js';
import { schema } from '../ways.js';

const server = useServer({ rateLimitPerHour: 0 });
let viewer: Member;
beforeAll(async () => {
  await populate(server, server.acme, 3);
  viewer = await server.member('acme', 'viewer');
  // The first use of a token is recorded later than its request, and only one of two ways would see it.
  for (const member of [viewer, server.acme]) {
    await waitFor(async () => expect(await usedAt(member)).not.toContain(null));
  }
});

/** When the tokens that this member sees were last used; null where never. */
async function usedAt(member: Member): Promise<unknown[]> {
  const query = '{ viewer { apiTokens(first: 50) { nodes { lastUsedAt } } } }';
  const { body } = await member.graphql<{ viewer: { apiTokens: { nodes: { lastUsedAt: unknown }[] } } }>(
    query,
  );
  return body.data.viewer.apiTokens.nodes.map(({ lastUsedAt }) => lastUsedAt);
}

interface Asked {
  readonly query: string;
  readonly variables?: object;
  readonly operationName?: string;
}

/** All bytes of a response, but for its time. A query that a client also registers is one that Apollo answers. */
async function bytesOf(asked: Asked, isApollo: boolean, accept = '*/*', { token } = server.acme) {
  const persistedQuery = { version: 1, sha256Hash: createHash('sha256').update(asked.query).digest('hex') };
  const body = JSON.stringify({ ...asked, ...(isApollo ? { extensions: { persistedQuery } } : {}) });
  const headers = ['Connection: close', 'X-Request-Id: same', 'Content-Type: application/json'];
  const sent = graphqlPost(token, body, { headers: [...headers, `Accept: ${accept}`] });
  const { text } = await sendRaw(server.url, Buffer.from(sent).toString('latin1'));
  return text.replace(/^Date: .*$/m, 'Date');
}

/** Calls `use`. Resolves to its bytes, its log lines without times, and the increase of each counter. */
async function noted(use: () => Promise<string>): Promise<{ bytes: string; logs: unknown; counts: unknown }> {
  const [before, from] = [await countsOf(), server.logs.length];
  const bytes = await use();
  const lines = () => server.logs.slice(from).filter((line) => !line.includes('"path":"/metrics"'));
  await expect.poll(() => lines().join('')).toContain('"msg":"request"');
  const after = await countsOf();
  const logs = lines().map((line) => {
    const { time, duration_ms: duration, ...fields } = JSON.parse(line) as Record<string, unknown>;
    expect([typeof time, typeof duration]).toEqual(['string', 'number']);
    return fields;
  });
  const counts = [...after].flatMap(([name, count]) => {
    const more = count - (before.get(name) ?? 0);
    return more === 0 || name.includes('path="/metrics"') ? [] : [[name, more]];
  });
  return { bytes, logs, counts };
}

const COUNTS =
  /^((?:http_requests_total|http_rate_limited_total|graphql_operation_duration_seconds_count).*) (\d+)$/gm;

async function countsOf(): Promise<Map<string, number>> {
  const counted = (await server.anonymous.get('/metrics')).text.matchAll(COUNTS);
  return new Map([...counted].map(([, name = '', count]) => [name, Number(count)]));
}

async function expectSame(asked: Asked, accept?: string, member?: Member): Promise<string> {
  const direct = await bytesOf(asked, false, accept, member);
  const apollo = await bytesOf(asked, true, accept, member);
  expect(direct, asked.query).toBe(apollo);
  return direct;
}

describe('a query that Apollo does not see', () => {
  it('gets the same bytes for random selections, with headers, cost and errors', async () => {
    const seen = { data: 0, errors: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1_000), { minLength: 40, maxLength: 120 }), async (choices) => {
        const root = schema.getQueryType();
        if (root == null) throw new Error('No queries');
        const [first = 0, second = 0] = choices;
        const ids = [nodeId('Group', 1), nodeId('Device', 2)];
        const pool = { texts: ['populated 0', 'shared', '1'], ids, cursors: first % 5 === 0 ? ['x'] : [] };
        const drawn = new DrawnQueries(choices, pool, 'any').query(root);
        const bytes = await expectSame(drawn, undefined, second % 4 === 0 ? viewer : server.acme);
        seen[bytes.includes('"errors":') ? 'errors' : 'data'] += 1;
      }),
      { numRuns: 120, endOnFailure: true },
    );
    expect(seen.data).toBeGreaterThan(0);
    expect(seen.errors).toBeGreaterThan(0);
  });

  const TWO = 'query A { viewer { role } } query B { groups { totalCount } }';
  const page = 'logicalNumbers(first: 100) { nodes { group { id } devices { nodes { id } } } }';
  it.each<[what: string, status: number, query: string, more?: Omit<Asked, 'query'>]>([
    ['what is no document', 400, '{'],
    ['an unknown field', 400, '{ nothing }'],
    ['several errors in a document', 400, '{ a b c d e f g h }'],
    ['too many levels', 400, `${'{ viewer '.repeat(20)}{ role }${' }'.repeat(20)}`],
    ['more records than the limit', 400, `{ groups(first: 100) { nodes { ${page} } } }`],
    ['a variable of another type', 400, 'query ($n: ID!) { node(id: $n) { id } }', { variables: { n: {} } }],
    ['absent variables', 400, 'query ($n: Int!, $m: Int!) { groups(first: $n, last: $m) { totalCount } }'],
    ['an argument out of range', 200, '{ groups(first: 101) { totalCount } }'],
    ['a cursor that is none', 200, '{ groups(after: "x") { nodes { id } } viewer { role } }'],
    ['two operations without a name', 400, TWO],
    ['one of two operations', 200, TWO, { operationName: 'B' }],
    ['another name than that of the operation', 400, 'query A { viewer { role } }', { operationName: 'B' }],
    ['a mutation', 200, 'mutation { groupDelete(id: "x") { deletedId userErrors { code } } }'],
    ['a subscription', 400, 'subscription { ledgerAppended { id } }'],
    ['introspection', 400, '{ __schema { types { name } } }'],
    ['bytes', 200, '{ appVersions(first: 1) { nodes { bytecode } } }'],
    ['variables that are too deep', 400, '{ viewer { role } }', { variables: { a: nested(60) } }],
    ['an unusual name', 200, '{ __proto__: viewer { role } constructor: viewer { role } }'],
  ])('is the same for %s, with the same log and metrics', async (_what, status, query, more) => {
    const asked = { query, ...more };
    const direct = await noted(() => bytesOf(asked, false));
    expect(direct.bytes.slice(0, 12), direct.bytes).toBe(`HTTP/1.1 ${status}`);
    const counter = `http_requests_total{method="POST",path="/graphql",status="${status}"}`;
    expect(direct.counts).toContainEqual([counter, 1]);
    expect(await noted(() => bytesOf(asked, true))).toEqual(direct);
  });

  it('is the same without a right', async () => {
    const bytes = await expectSame(
      { query: '{ users { totalCount } groups { nodes { createdBy { email } } } }' },
      undefined,
      viewer,
    );
    expect(bytes).toContain('FORBIDDEN');
  });
});

describe('an operation that the server has no room for', () => {
  it('gets the status, Retry-After and code of /v1, directly and through Apollo', async () => {
    const search = '{ devices(filter: { serialNumber: { contains: "x" } }) { nodes { id } } }';
    for (const isApollo of [false, true]) {
      const asked = { query: search, variables: { isApollo } };
      // The counters are read before the execution, to see how many rows a search has.
      const unwatch = server.app.database.watchStatements((text) => {
        if (text.includes('counters')) throw busy('The places are full.', 7);
        return undefined;
      });
      const bytes = await bytesOf(asked, isApollo);
      unwatch();
      expect(bytes.slice(0, 12), bytes).toBe('HTTP/1.1 503');
      expect(bytes).toMatch(/^Retry-After: 7\r$/im);
      expect(bytes).toContain('"code":"UNAVAILABLE"');
      expect((await bytesOf(asked, isApollo)).slice(0, 12)).toBe('HTTP/1.1 200');
    }
  });
});

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}
