import { createHash } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import { LIMITS } from '../../../src/graphql/limits/limits.js';
import { DomainError } from '../../../src/platform/errors.js';
import { nodeId } from '../../support/dashboard.js';
import { audited, insertMany } from '../../support/databases/rows.js';
import { fleet } from '../../support/fleet.js';
import { ownServer, useServer, type Fields } from '../../support/server.js';
import { overSocket, overStream } from '../../support/transports.js';

const DEVICES = 100_000;

const server = useServer();
beforeAll(async () => {
  await insertMany(server.place, ['devices', server.acme.caller.companyId, DEVICES], (n) => ({
    serial_number: `SN-${n}`,
    enabled: true,
    meta: '{}',
    ...audited(null),
  }));
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function setTotal(companyId: number, name: string, total: number): Promise<void> {
  await server.place.sql('update counters set total = $1 where company_id = $2 and name = $3', [
    total,
    companyId,
    name,
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

const THIRTY = `query ($f: DeviceFilter) { ${aliases(30, 'devices(filter: $f) { totalCount }')} }`;

/** The options of all read units of an operation. */
async function unitsOf(run: () => Promise<unknown>): Promise<unknown> {
  const read = vi.spyOn(server.app.units, 'read');
  await run();
  const options = read.mock.calls.map(([, , given]) => given);
  read.mockRestore();
  return options;
}

const AT_ONCE = [{ examines: false }];
/** The first unit reads the counters of the company. */
const IN_THREAD = [{ examines: false }, { examines: true }];

describe('GQ-30 filters as a weapon', () => {
  it.each([
    ['objects', 'variableValues', 100_000, { and: Array<Fields>(300_000).fill({}) }],
    ['comparisons', 'variableObjects', 15_000, { and: Array<Fields>(30_000).fill({ enabled: {} }) }],
    ['values', 'variableValues', 100_000, { serialNumber: { in: Array<string>(250_000).fill('') } }],
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

  it('hold up nobody else', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const query = `query (${names.map((name) => `$${name}: DeviceFilter`).join(' ')}) {
      ${names.map((name) => `${name}: devices(filter: $${name}) { totalCount }`).join(' ')} }`;
    const filters = names.map((name) => {
      const { or } = contains(99) as { or: readonly Fields[] };
      return [name, { or: [...or, { serialNumber: { contains: name } }] }] as const;
    });
    const running = server.acme.graphql<Fields | null>(query, Object.fromEntries(filters));
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
    expect(status, text).toBe(200);
    // A fast machine is ready before the deadline.
    if (body.data === null) expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    else expect(body.data).toEqual(Object.fromEntries(names.map((name) => [name, { totalCount: 0 }])));
    expect(body.extensions).toEqual({ cost: { requested: 0, actual: 0 } });
    // The operation takes seconds: without a thread of its own, others would be answered after it only.
    expect(answered).toBeGreaterThan(1);
  });

  const literals = `{ devices(filter: ${literal(4)}) { totalCount } }`;
  it.each<[string, string, Fields | undefined]>([
    ['literals', literals, undefined],
    ['a variable', 'query ($f: DeviceFilter) { devices(filter: $f) { totalCount } }', { f: contains(4) }],
    ['a default', `query ($f: DeviceFilter = ${literal(4)}) { devices(filter: $f) { totalCount } }`, {}],
    [
      'a fragment',
      `query ($f: DeviceFilter) { ...A ... on Query { ...A } } fragment A on Query { devices(filter: $f) { ...T } } fragment T on DeviceConnection { totalCount }`,
      { f: contains(4) },
    ],
    [
      'a page',
      'query ($f: DeviceFilter) { devices(filter: $f) { pageInfo { hasNextPage } } }',
      { f: contains(4) },
    ],
  ])('run in a thread with %s', async (_where, query, variables) => {
    const units = await unitsOf(async () => {
      const { body, text } = await server.acme.graphql(query, variables);
      expect(body.errors, text).toBeUndefined();
    });
    expect(units).toEqual(IN_THREAD);
  });

  it('run in a thread as a persisted query, over GET, a stream and a socket', async () => {
    const query = `{ ${aliases(2, 'devices(filter: { serialNumber: { contains: "none" } }) { totalCount }')} }`;
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    // Kept once it was executed.
    await server.acme.graphql(query, {}, { extensions });
    const ways: Readonly<Record<string, () => Promise<unknown>>> = {
      persisted: () => server.acme.client.post('/graphql', { extensions }),
      get: () =>
        fetch(`${server.url}/graphql?query=${encodeURIComponent(query)}`, {
          headers: { authorization: `Bearer ${server.acme.token}` },
        }),
      stream: () => overStream(server, server.acme, query),
      socket: () => overSocket(server, server.acme, query),
    };
    for (const [name, way] of Object.entries(ways)) expect(await unitsOf(way), name).toEqual(IN_THREAD);
  });

  it('that are skipped run nowhere', async () => {
    const query = `query ($f: DeviceFilter, $no: Boolean!) { devices(filter: $f) @include(if: $no) { totalCount } }`;
    const { body, text } = await server.acme.graphql(query, { f: contains(100), no: false });
    expect(body, text).toMatchObject({ data: {} });
  });
});

describe('the class of an operation', () => {
  it('is found without a statement where indexes serve it: it runs at once', async () => {
    const query = `{ devices(filter: { serialNumber: { eq: "SN-7" }, enabled: { eq: true } }) { totalCount nodes { serialNumber } }
      some: devices(filter: { serialNumber: { in: ["SN-7", "SN-8"] } }, first: 2) { totalCount nodes { serialNumber } }
      typed: devices(filter: { serialNumber: { startsWith: "SN-9999" } }, orderBy: { field: SERIAL_NUMBER }, first: 1) { nodes { serialNumber } }
      enabled: devices(filter: { enabled: { eq: true } }, first: 1) { nodes { serialNumber } } all: devices { totalCount } }`;
    await server.acme.graphql(query);
    const read = async () => {
      const { result, statements } = await server.statements(() => server.acme.graphql(query));
      expect(result.body.data).toEqual({
        devices: { totalCount: 1, nodes: [{ serialNumber: 'SN-7' }] },
        some: { totalCount: 2, nodes: [{ serialNumber: 'SN-7' }, { serialNumber: 'SN-8' }] },
        typed: { nodes: [{ serialNumber: 'SN-9999' }] },
        enabled: { nodes: [{ serialNumber: 'SN-1' }] },
        all: { totalCount: DEVICES },
      });
      expect(result.body.extensions).toEqual({ cost: { requested: 34, actual: 5 } });
      expect(statements.filter((statement) => /"name" (in|= any)/.test(statement))).toEqual([]);
    };
    expect(await unitsOf(read)).toEqual(AT_ONCE);
  });

  it('is a search, which runs at once among few records, and in a thread among many', async () => {
    const few = '{ groups(filter: { name: { contains: "x" } }) { totalCount nodes { id } } }';
    const runFew = async () => {
      const { statements } = await server.statements(() => server.acme.graphql(few));
      expect(statements.filter((statement) => /"name" (in|= any)/.test(statement))).toHaveLength(1);
    };
    expect(await unitsOf(runFew)).toEqual(AT_ONCE);
    const many =
      '{ devices(filter: { serialNumber: { contains: "SN-99999" } }) { totalCount nodes { serialNumber } } }';
    const runMany = async () => {
      const { result, statements } = await server.statements(() => server.acme.graphql(many));
      // The plan of the query reads only the selected columns.
      expect(statements.filter((statement) => statement.includes('"meta"'))).toEqual([]);
      expect(result.body.data).toEqual({ devices: { totalCount: 1, nodes: [{ serialNumber: 'SN-99999' }] } });
    };
    expect(await unitsOf(runMany)).toEqual(IN_THREAD);
  });

  it.each([
    ['another order than its index', 'filter: { enabled: { eq: true } }, orderBy: { field: SERIAL_NUMBER }'],
    ['two filters', 'filter: { enabled: { eq: true }, frameworkVersion: { eq: "1" } }'],
    ['alternatives', 'filter: { or: [{ serialNumber: { eq: "SN-1" } }, { enabled: { eq: false } }] }'],
    ['a negation', 'filter: { not: { serialNumber: { eq: "SN-1" } } }'],
    ['times of another order', 'filter: { createdAt: { gte: "2020-01-01T00:00:00Z" } }'],
  ])('is a search for a page with %s', async (_what, given) => {
    const query = `{ devices(first: 1, ${given}) { nodes { id } } }`;
    expect(await unitsOf(() => server.acme.graphql(query))).toEqual(IN_THREAD);
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
    for (const send of [overSocket, overStream]) {
      expect(await send(server, server.acme, query)).toContain(`"code":"${shown}"`);
    }
    expect(attempts).toBe(3);
  });

  it('is refused if the payload of a change is a search among many records in its transaction', async () => {
    const { companyId } = server.acme.caller;
    await setTotal(companyId, 'users', 100_000);
    const users = 'users(filter: { email: { contains: "x" } }) { totalCount }';
    const mutation = `mutation { companyRename(name: "Never") { company { name ${users} } } }`;
    const keyed = await server.acme.graphql(mutation, {}, { headers: { 'Idempotency-Key': 'searches' } });
    expect(keyed.status).toBe(400);
    const message = `The payload of a mutation with an Idempotency-Key searches or counts lists of too many records: 100000, at most ${LIMITS.searched}.`;
    const limit = { limit: 'searched', maximum: LIMITS.searched, actual: 100_000 };
    const extensions = { code: 'GRAPHQL_VALIDATION_FAILED', ...limit };
    expect(keyed.body.errors).toEqual([{ message, extensions }]);
    const { body } = await server.acme.graphql('{ viewer { company { name } } }');
    expect(body.data).toEqual({ viewer: { company: { name: 'Acme Pagamentos' } } });
    await setTotal(companyId, 'users', 1);
  });

  it('lets the payload of a change count children by an index, and show lists without pages', async () => {
    const { companyId } = server.acme.caller;
    await setTotal(companyId, 'parameters', 100_000);
    const mutation = `mutation { logicalNumberCreate(input: { number: "kept" }) {
      logicalNumber { devices { totalCount } effectiveParameters { key } } } }`;
    const options = { headers: { 'Idempotency-Key': 'few-devices' } };
    const { body, text } = await server.acme.graphql(mutation, {}, options);
    expect(body.errors, text).toBeUndefined();
    const logicalNumber = { devices: { totalCount: 0 }, effectiveParameters: [] };
    expect(body.data).toEqual({ logicalNumberCreate: { logicalNumber } });
    await setTotal(companyId, 'parameters', 0);
  });

  it('lets a grant find its target in a thread, of few logical numbers too', async () => {
    const group = await fleet.group(server.beta.client, 'granted');
    const versions = await fleet.appVersions(server.beta.client, 1, [group]);
    await fleet.logicalNumber(server.beta.client, 'granted', { group_id: group });
    const grant = `mutation ($ids: [ID!]!) { appVersionGrant(appVersionIds: $ids, dryRun: true,
      target: { filter: { number: { contains: "gran" } } }) { count userErrors { code } } }`;
    const ids = versions.map((id) => nodeId('AppVersion', id));
    const examine = vi.spyOn(server.app.database, 'examine');
    const { body, text } = await server.beta.graphql(grant, { ids });
    expect(body, text).toMatchObject({ data: { appVersionGrant: { count: 1, userErrors: [] } } });
    expect(examine).toHaveBeenCalledTimes(1);
  });

  it('lets a grant have the only thread of its company after a payload that is a search', async () => {
    const { acme, place } = await ownServer({}, { examining: { threads: 2 } });
    await place.sql('update counters set total = $1 where company_id = $2 and name = $3', [
      100_000,
      acme.caller.companyId,
      'users',
    ]);
    const { body, text } = await acme.graphql(`mutation {
      companyRename(name: "Renamed") { company { users(filter: { email: { contains: "none" } }) { totalCount } } }
      appVersionGrant(appVersionIds: [], target: { all: true }, dryRun: true) { count userErrors { message } } }`);
    const company = { users: { totalCount: 0 } };
    expect(body.data, text).toEqual({
      companyRename: { company },
      appVersionGrant: { count: 0, userErrors: [] },
    });
  });
});
