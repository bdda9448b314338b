import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import { MANY_VALUES } from '../../../src/graphql/execution/examining.js';
import { LIMITS } from '../../../src/graphql/limits/limits.js';
import { DomainError } from '../../../src/platform/errors.js';
import type { Fields } from '../../support/client.js';
import { insertRows } from '../../support/databases/rows.js';
import { ask as askSocket, openKnown } from '../../support/raw-socket.js';
import { startServer, type TestServer } from '../../support/server.js';
import { subscribe } from '../../support/subscribe.js';

const DEVICES = 100_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  const { companyId } = server.acme.caller;
  await insertRows(
    server.place,
    'devices',
    Array.from({ length: DEVICES }, (_, n) => ({
      ...{ company_id: companyId, id: n + 1, serial_number: `SN-${n + 1}`, enabled: true, meta: '{}' },
      ...{ revision: 1, created_at: new Date(n + 1), updated_at: new Date(n + 1), created_via: 'api' },
    })),
  );
});
afterAll(async () => {
  await server.stop();
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function setTotal(companyId: number, name: string, total: number): Promise<void> {
  await server.place.sql('update counters set total = $1 where company_id = $2 and name = $3', [
    ...[total, companyId, name],
  ]);
}

/** A filter of comparisons that no device meets. */
const contains = (count: number): Fields => ({
  or: Array.from({ length: count }, (_, n) => ({ serialNumber: { contains: `none ${n}` } })),
});
const literal = (count: number): string =>
  `{ or: [${Array.from({ length: count }, (_, n) => `{ serialNumber: { contains: "none ${n}" } }`).join(' ')}] }`;
const aliases = (count: number, field: string): string =>
  Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ');

/** The values of counts with 100 comparisons: the row itself counts as 5. */
const priceOf = (counts: number, rows = DEVICES): number => counts * rows * 105;

const THIRTY = `query ($f: DeviceFilter) { ${aliases(30, 'devices(filter: $f) { totalCount }')} }`;
const FIVE = `query ($f: DeviceFilter) { ${aliases(5, 'devices(filter: $f) { totalCount }')} }`;

function expectRefusal(errors: unknown, actual: number): void {
  const shown = actual > 1_000_000_000 ? 'more than 1000000000' : String(actual);
  expect(errors).toEqual([
    {
      message: `The operation could examine too many values in filters and counts: ${shown}, at most ${LIMITS.examined}. Use fewer comparisons, or narrow the records: by a unique field such as serialNumber, or by an interval of startedAt.`,
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED', limit: 'examined', maximum: LIMITS.examined, actual },
    },
  ]);
}

describe('GQ-30 filters as a weapon', () => {
  it('are refused by the rows that they examine: 30 counts with 100 comparisons each', async () => {
    const { status, body } = await server.acme.graphql(THIRTY, { f: contains(100) });
    expect(status).toBe(400);
    expectRefusal(body.errors, priceOf(30));
    expect(body.extensions).toEqual({ cost: { requested: 0, actual: 0, examined: priceOf(30) } });
  });

  const literals = `{ ${aliases(2, `devices(filter: ${literal(99)}) { totalCount nodes { id } }`)} }`;
  it.each<[string, string, Fields | undefined, number]>([
    ['five counts', FIVE, { f: contains(100) }, priceOf(5)],
    ['literals', literals, undefined, 4 * DEVICES * 104],
    [
      'the default of a variable',
      `query ($f: DeviceFilter = ${literal(100)}) { ${aliases(3, 'devices(filter: $f) { totalCount }')} }`,
      {},
      priceOf(3),
    ],
    [
      'a fragment',
      `query ($f: DeviceFilter) { ...A ... on Query { ...A } other: devices(filter: $f) { ...T } } fragment A on Query { ${aliases(3, 'devices(filter: $f) { ...T }')} } fragment T on DeviceConnection { totalCount }`,
      { f: contains(100) },
      priceOf(7),
    ],
    [
      'skipped fields',
      `query ($f: DeviceFilter, $no: Boolean!) { ${aliases(5, 'devices(filter: $f) @include(if: $no) { totalCount }')} }`,
      { f: contains(100), no: false },
      priceOf(5),
    ],
    [
      'pages',
      `query ($f: DeviceFilter) { ${aliases(5, 'devices(filter: $f, first: 1) { pageInfo { hasNextPage } }')} }`,
      { f: contains(100) },
      priceOf(5),
    ],
  ])('are refused in %s', async (_where, query, variables, actual) => {
    const { status, body } = await server.acme.graphql(query, variables);
    expect(status).toBe(400);
    expectRefusal(body.errors, actual);
  });

  it('are refused as a persisted query, over GET, a stream and a socket', async () => {
    const sha256Hash = createHash('sha256').update(FIVE).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    const variables = { f: contains(100) };
    // Kept once it was executed.
    await server.acme.graphql(FIVE, { f: contains(1) }, { extensions });
    const { headers } = {
      headers: { authorization: `Bearer ${server.acme.token}`, 'content-type': 'application/json' },
    };
    const persisted = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ extensions, variables }),
    });
    expectRefusal(((await persisted.json()) as { errors: unknown }).errors, priceOf(5));
    const short = `{ ${aliases(30, 'devices(filter: { serialNumber: { contains: "x" } frameworkVersion: { contains: "y" } }) { totalCount }')} }`;
    const get = await fetch(`${server.url}/graphql?query=${encodeURIComponent(short)}`, { headers });
    expectRefusal(((await get.json()) as { errors: unknown }).errors, 30 * DEVICES * 7);
    const stream = await fetch(`${server.url}/graphql/stream`, {
      method: 'POST',
      headers: { ...headers, accept: 'text/event-stream' },
      body: JSON.stringify({ query: FIVE, variables }),
    });
    expect(await stream.text()).toContain(`"actual":${priceOf(5)}`);
    const ended = await subscribe(server, server.acme, FIVE, variables).ended;
    expectRefusal(ended, priceOf(5));
  });

  it('are refused on 200,000 transactions', async () => {
    const { companyId } = server.beta.caller;
    await server.place.sql(
      `insert into counters (company_id, name, total) values ($1, 'transactions', 200000)
       on conflict (company_id, name) do update set total = 200000`,
      [companyId],
    );
    const f = { or: Array.from({ length: 100 }, (_, n) => ({ appName: { contains: `${n}` } })) };
    const query = `query ($f: TransactionFilter) { ${aliases(4, 'transactions(filter: $f) { nodes { id } }')} }`;
    const { body } = await server.beta.graphql(query, { f });
    expectRefusal(body.errors, priceOf(4, 200_000));
  });

  it.each([
    ['objects', 'variableValues', 100_000, { and: Array.from({ length: 300_000 }, () => ({})) }],
    [
      'comparisons',
      'variableObjects',
      15_000,
      { and: Array.from({ length: 30_000 }, () => ({ enabled: {} })) },
    ],
    [
      'values',
      'variableValues',
      100_000,
      { serialNumber: { in: Array.from({ length: 250_000 }, () => '') } },
    ],
  ] as const)('of a megabyte of %s are refused before they are read', async (_what, limit, maximum, f) => {
    const { status, body } = await server.acme.graphql(THIRTY, { f });
    expect(status).toBe(400);
    expect(body.errors).toHaveLength(1);
    expect(body.errors?.[0]?.extensions).toMatchObject({ limit, maximum });
  });

  it('have 100 comparisons, 100 values and 3 levels, or the operation does not run', async () => {
    const many = await server.acme.graphql(THIRTY, { f: contains(101) });
    expect(many.status).toBe(400);
    expect(many.body.errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', limit: 'comparisons', maximum: 100, actual: 101 } },
    ]);
    const inList = { f: { serialNumber: { in: Array.from({ length: 101 }, (_, n) => `${n}`) } } };
    expect((await server.acme.graphql(THIRTY, inList)).body.errors).toMatchObject([
      { extensions: { limit: 'filterValues', maximum: 100, actual: 101 } },
    ]);
    const deep = { f: { not: { not: { not: { not: { enabled: { eq: true } } } } } } };
    expect((await server.acme.graphql(THIRTY, deep)).body.errors).toMatchObject([
      { extensions: { limit: 'filterDepth', maximum: 3 } },
    ]);
  });

  it('hold up nobody else where they are allowed', async () => {
    const variables = { f: contains(4) };
    const query = `query ($f: DeviceFilter) { a: devices(filter: $f) { totalCount } b: devices(filter: $f, first: 1) { nodes { id } } }`;
    const running = server.acme.graphql<{ a: unknown; b: unknown }>(query, variables);
    const state = { isDone: false };
    void running.finally(() => (state.isDone = true));
    let answered = 0;
    while (!state.isDone) {
      const [health, other] = await Promise.all([
        fetch(`${server.url}/healthz`),
        server.beta.graphql('{ groups { totalCount } }'),
      ]);
      expect([health.status, other.status]).toEqual([200, 200]);
      answered += 1;
    }
    const { status, body, text } = await running;
    expect({ status, errors: body.errors }, text).toEqual({ status: 200, errors: undefined });
    expect(body.data).toEqual({ a: { totalCount: 0 }, b: { nodes: [] } });
    expect(body.extensions).toEqual({ cost: { requested: 1, actual: 0, examined: 2 * DEVICES * 9 } });
    // The operation takes seconds: without a thread of its own, others would be answered after it only.
    expect(answered).toBeGreaterThan(1);
  });
});

describe('what an operation examines', () => {
  it('is nothing, and is not read, where an index bounds it', async () => {
    const query = `{ devices(filter: { serialNumber: { eq: "SN-7" }, enabled: { eq: true } }) { totalCount nodes { serialNumber } }
      enabled: devices(filter: { enabled: { eq: true } }, first: 1) { nodes { serialNumber } } all: devices { totalCount } }`;
    await server.acme.graphql(query);
    const { result, statements } = await server.statements(() => server.acme.graphql(query));
    expect(result.body.data).toEqual({
      devices: { totalCount: 1, nodes: [{ serialNumber: 'SN-7' }] },
      enabled: { nodes: [{ serialNumber: 'SN-1' }] },
      all: { totalCount: DEVICES },
    });
    expect(result.body.extensions).toEqual({ cost: { requested: 31, actual: 2 } });
    expect(statements.filter((statement) => /"name" (in|= any)/.test(statement))).toEqual([]);
  });

  it('is read in one statement, and decides where the operation runs', async () => {
    const read = vi.spyOn(server.app.units, 'read');
    const few = '{ groups(filter: { name: { contains: "x" } }) { totalCount nodes { id } } }';
    const { statements } = await server.statements(() => server.acme.graphql(few));
    expect(statements.filter((statement) => /"name" (in|= any)/.test(statement))).toHaveLength(1);
    expect(read.mock.calls.map(([, , options]) => options)).toEqual([{ examines: false }]);
    read.mockClear();
    const many =
      '{ devices(filter: { serialNumber: { contains: "SN-99999" } }) { totalCount nodes { serialNumber } } }';
    const { body } = await server.acme.graphql(many);
    expect(body.data).toEqual({ devices: { totalCount: 1, nodes: [{ serialNumber: 'SN-99999' }] } });
    expect(2 * DEVICES * 6).toBeGreaterThan(MANY_VALUES);
    expect(read.mock.calls.map(([, , options]) => options)).toEqual([
      { examines: false },
      { examines: true },
    ]);
  });

  it.each([
    ['deadline_exceeded', 'DEADLINE_EXCEEDED'],
    ['busy', 'UNAVAILABLE'],
  ] as const)('is not examined twice after %s, and the client gets %s', async (code, shown) => {
    const units = server.app.units;
    const read = units.read.bind(units);
    let attempts = 0;
    vi.spyOn(units, 'read').mockImplementation(async (caller, use, options) => {
      if (options?.examines !== true) return await read(caller, use, options);
      attempts += 1;
      throw new DomainError(code, 'Too slow.', { retryAfter: 10 });
    });
    const query =
      '{ a: devices(filter: { serialNumber: { contains: "x" } }) { totalCount } b: devices(filter: { serialNumber: { contains: "y" } }) { totalCount } }';
    const { status, body } = await server.acme.graphql(query);
    expect(attempts).toBe(1);
    expect(status).toBe(200);
    expect(body.data).toBeNull();
    expect(body.errors?.[0]).toMatchObject({
      message: 'Too slow.',
      extensions: { code: shown, retryAfter: 10 },
    });
    const socket = await openKnown(server, server.acme.token);
    const answer = await askSocket(socket, query);
    expect(JSON.stringify(answer)).toContain(`"code":"${shown}"`);
    socket.socket.close();
    const stream = await fetch(`${server.url}/graphql/stream`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.acme.token}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query }),
    });
    expect(await stream.text()).toContain(`"code":"${shown}"`);
    expect(attempts).toBe(3);
  });

  it('is less for an event, and for a payload that is read in a transaction', async () => {
    const { companyId } = server.acme.caller;
    const setUsers = async (total: number): Promise<void> => {
      await setTotal(companyId, 'users', total);
    };
    await setUsers(100_000);
    const of = { limit: 'examinedTogether', maximum: 200_000, actual: 600_000 };
    const users = 'users(filter: { email: { contains: "x" } }) { totalCount }';
    const mutation = `mutation { companyRename(name: "Never") { company { name ${users} } } }`;
    const keyed = await server.acme.graphql(mutation, {}, { headers: { 'Idempotency-Key': 'examines' } });
    expect(keyed.body.errors).toMatchObject([
      {
        message: expect.stringContaining(
          'in filters and counts of an event, or of a mutation with an Idempotency-Key: 600000, at most 200000.',
        ) as string,
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED', ...of },
      },
    ]);
    const ended = subscribe(
      server,
      server.acme,
      `subscription { ledgerAppended { company { ${users} } } }`,
    ).ended;
    expect(await ended).toMatchObject([{ extensions: of }]);
    const name = (await server.acme.graphql<{ viewer: unknown }>('{ viewer { company { name } } }')).body
      .data;
    expect(name).toEqual({ viewer: { company: { name: 'Acme Pagamentos' } } });
    await setUsers(1);
  });

  it('is counted by an index before a payload is read in a transaction', async () => {
    const mutation = `mutation ($f: DeviceFilter) { logicalNumberCreate(input: { number: "kept" }) {
      logicalNumber { devices(filter: $f) { totalCount } } } }`;
    const options = { headers: { 'Idempotency-Key': 'few-devices' } };
    const { body, text } = await server.acme.graphql(mutation, { f: contains(100) }, options);
    expect(body.errors, text).toBeUndefined();
    expect(body.data).toEqual({ logicalNumberCreate: { logicalNumber: { devices: { totalCount: 0 } } } });
  });

  it('is counted by an index where the totals would refuse it', async () => {
    const { companyId } = server.acme.caller;
    await insertRows(
      server.place,
      'transactions',
      Array.from({ length: 50 }, (_, n) => ({
        ...{
          company_id: companyId,
          id: n + 1,
          transaction_type: 'switch',
          serial_number: `SN-${(n + 1) % 5}`,
        },
        ...{ logical_number: 'L', app_name: 'a', detail: '', status: 'success' },
        ...{ started_at: new Date(n + 1), recorded_at: new Date(0) },
      })),
    );
    // As if there were many more of other devices.
    await setTotal(companyId, 'transactions', 30_000_000);
    const own =
      '{ device(serialNumber: "SN-1") { transactions(first: 2, filter: { appName: { contains: "a" } }) { totalCount nodes { id } } } }';
    const { body, text } = await server.acme.graphql<{ device: { transactions: { totalCount: number } } }>(
      own,
    );
    expect(body.errors, text).toBeUndefined();
    expect(body.data.device.transactions.totalCount).toBe(10);
    const root =
      '{ transactions(filter: { serialNumber: { eq: "SN-1" }, appName: { contains: "a" } }) { totalCount } }';
    expect((await server.acme.graphql(root)).body.data).toEqual({ transactions: { totalCount: 10 } });
    const all = '{ transactions(filter: { appName: { contains: "a" } }) { totalCount } }';
    expect((await server.acme.graphql(all.replace('appName', 'serialNumber'))).status).toBe(400);
    await setTotal(companyId, 'transactions', 50);
  });
});
