import { describe, expect, it } from 'vitest';

import { MANY_ROWS } from '../../src/database/company/company-rows.js';
import { HOUR } from '../../src/platform/clock.js';
import { drawnBefore, NUMBERED } from '../support/databases/rows.js';
import { forHours } from '../support/examining.js';
import { ownServer, type Member, type TestServer } from '../support/server.js';

const START = Date.UTC(2026, 2, 1, 12);

let server: TestServer;

type Columns = Readonly<Record<string, string | number>>;

/** Inserts `count` rows into a table; a column's value is SQL over `i`, from 1 on. */
async function insert(table: string, count: number, given: Columns): Promise<void> {
  const { place } = server;
  const isNumbered = NUMBERED.has(table);
  const before = isNumbered ? await drawnBefore(place, table, Number(given.company_id), count) : 0;
  const columns = isNumbered ? { id: `${before} + i`, ...given } : given;
  await place.sql(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into ${table} (${Object.keys(columns).join()}) select ${Object.values(columns).join()} from n`);
}

async function insertTransactions(member: Member, count: number, columns: Columns): Promise<void> {
  await insert('transactions', count, {
    company_id: member.caller.companyId,
    transaction_type: "'switch'",
    detail: "''",
    serial_number: "'S-1'",
    logical_number: "'L-1'",
    app_name: "'shop.rb'",
    status: "'success'",
    started_at: START,
    recorded_at: START,
    ...columns,
  });
}

const audit = (member: Member) => ({
  company_id: member.caller.companyId,
  revision: 1,
  created_by: member.caller.userId,
  created_at: START,
  updated_at: START,
  created_via: "'api'",
});

/** The total of a list and the number of its records, and whether a thread has read them. */
async function listed(path: string, query: Record<string, string> = {}): Promise<unknown> {
  const reply = await server.acme.client.get(path, undefined, { query });
  expect(reply.status, reply.text).toBe(200);
  const { pagination } = reply.body as { pagination: { total_entries: number } };
  const key = path.split('/').at(-1) ?? '';
  const isInThread = server.app.database.examining().threads > 0;
  return [pagination.total_entries, reply.list(key).length, isInThread];
}

const MANY = MANY_ROWS + 1;

describe('GQ-30 a list of /v1 that examines many rows runs in a reader thread:', () => {
  it('transactions of a logical number or serial number with many', async () => {
    server = await ownServer();
    await insertTransactions(server.acme, MANY, { logical_number: "'L-BIG'", serial_number: "'S-BIG'" });
    await insertTransactions(server.acme, 10, {});
    await insertTransactions(server.beta, MANY, {});
    expect(await listed('transactions')).toEqual([MANY + 10, 30, false]);
    expect(await listed('transactions', { logical_number: 'L-1' })).toEqual([10, 10, false]);
    expect(await listed('transactions', { serial_number: 'S-1', status: 'fail' })).toEqual([0, 0, false]);
    expect(await listed('transactions', { logical_number: 'L-BIG' })).toEqual([MANY, 30, true]);
    expect(await listed('transactions', { serial_number: 'S-BIG', page: '100' })).toEqual([MANY, 30, true]);
  });

  it('many of them at once, each after the others', async () => {
    server = await ownServer({}, { examining: { maxWaitMs: HOUR } });
    await insertTransactions(server.acme, MANY, { logical_number: "'L-BIG'" });
    const query = { logical_number: 'L-BIG', per_page: '1' };
    // More than the places for lists of large records: a request with a place must not wait for one without.
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => server.acme.client.get('/v1/transactions', undefined, { query })),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  });

  it('transactions of a part of a half hour that has many', async () => {
    server = await ownServer();
    await insertTransactions(server.acme, MANY, { started_at: `${START} + i` });
    await insertTransactions(server.beta, MANY, { started_at: `${START - 2 * HOUR} + i` });
    const at = (time: string): string => `2026-03-01T${time}Z`;
    const during = (from: string, to: string) => ({ since: at(from), until: at(to) });
    expect(await listed('transactions', during('09:00:00', '11:59:59'))).toEqual([0, 0, false]);
    const day = { since: '2026-03-01', until: '2026-03-01' };
    expect(await listed('transactions', day)).toEqual([MANY, 30, false]);
    expect(await listed('transactions', during('09:00:00', '12:59:59'))).toEqual([MANY, 30, false]);
    // Whole half hours are read from totals, the rest one by one.
    expect(await listed('transactions', during('09:00:00', '12:30:00'))).toEqual([MANY, 30, false]);
    expect(await listed('transactions', during('09:00:00', '12:20:00'))).toEqual([MANY, 30, true]);
  });

  it('transactions of very many days', async () => {
    server = await ownServer();
    const daily = { started_at: `${START} - i * 86400000` };
    await insertTransactions(server.beta, MANY, daily);
    await insertTransactions(server.acme, 100, {});
    expect(await listed('transactions', { status: 'success' })).toEqual([100, 30, false]);
    await insertTransactions(server.acme, MANY, daily);
    expect(await listed('transactions', { app_name: 'other.rb' })).toEqual([0, 0, false]);
    const recent = { status: 'success', since: '2026-02-01', until: '2026-02-10' };
    expect(await listed('transactions', recent)).toEqual([10, 10, false]);
    expect(await listed('transactions', { app_name: 'shop.rb' })).toEqual([MANY + 100, 30, true]);
  });

  it('transactions of a status in very many days', async () => {
    server = await ownServer();
    await insertTransactions(server.acme, MANY, { started_at: `${START} - i * 86400000` });
    expect(await listed('transactions', { status: 'success' })).toEqual([MANY, 30, true]);
  });

  it('but not those of one of many applications, whose totals an index has', async () => {
    server = await ownServer();
    await insertTransactions(server.acme, MANY, { app_name: "'app ' || i" });
    await insertTransactions(server.acme, 100, {});
    expect(await listed('transactions', { status: 'success' })).toEqual([MANY + 100, 30, false]);
    const day = { since: '2026-03-01T01:00:00Z', app_name: 'shop.rb' };
    expect(await listed('transactions', day)).toEqual([100, 30, false]);
    expect(await listed('transactions', { ...day, status: 'success' })).toEqual([100, 30, false]);
  });

  it('transactions of which few among many of a day meet the filter', async () => {
    server = await ownServer();
    await insertTransactions(server.beta, MANY, {});
    await insertTransactions(server.acme, 10, { status: "'fail'" });
    const filter = { app_name: 'shop.rb', status: 'fail' };
    expect(await listed('transactions', filter)).toEqual([10, 10, false]);
    await insertTransactions(server.acme, MANY, {});
    expect(await listed('transactions', { status: 'fail' })).toEqual([10, 10, false]);
    expect(await listed('transactions', filter)).toEqual([10, 10, true]);
  });

  it('a deep page of transactions of one day', async () => {
    server = await ownServer();
    await insertTransactions(server.acme, MANY + 30, {});
    expect(await listed('transactions', { page: '100' })).toEqual([MANY + 30, 30, false]);
    expect(await listed('transactions', { page: '168' })).toEqual([MANY + 30, 21, true]);
  });

  it('a deep page of any other list', async () => {
    server = await ownServer();
    await insert('groups', MANY + 100, { ...audit(server.acme), name: "'group ' || i" });
    expect(await listed('groups', { page: '50', per_page: '100' })).toEqual([MANY + 100, 100, false]);
    expect(await listed('groups', { page: '52', per_page: '100' })).toEqual([MANY + 100, 1, true]);
  });

  it('the records of one owner, if they are many', async () => {
    server = await ownServer();
    const { client } = server.acme;
    for (const name of ['few', 'many']) await client.post('groups', { name });
    const parameter = { ...audit(server.acme), key: "'key ' || i", value: "'value'" };
    await insert('parameters', 10, { ...parameter, group_id: 1 });
    await insert('parameters', MANY, { ...parameter, group_id: 2 });
    expect(await listed('parameters', { name: 'few' })).toEqual([10, 10, false]);
    expect(await listed('parameters', { name: 'many' })).toEqual([MANY, 30, true]);
  });

  it('and costs as many statements as a short one', async () => {
    server = await ownServer();
    await insertTransactions(server.acme, 10, {});
    const list = () => listed('transactions', { logical_number: 'L-1' });
    await list();
    const short = await server.statements(list);
    await insertTransactions(server.acme, MANY, {});
    const long = await server.statements(list);
    expect([short.statements.length, long.statements.length]).toEqual([3, 3]);
  });
});

describe('GQ-30 while reads examine many rows', () => {
  it('their deadline is 503 in REST, with Retry-After', async () => {
    server = await ownServer({}, { examining: { deadlineMs: 1 } });
    // The thread that reads them does not start within a millisecond.
    await insertTransactions(server.acme, MANY, {});
    const query = { serial_number: 'S-1' };
    const reply = await server.acme.client.get('transactions', undefined, { query });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '10']);
    expect(reply.body).toMatchObject({ code: 'deadline_exceeded' });
  });

  it('health checks, small reads and other companies are served first', async () => {
    server = await ownServer({}, { examining: { threads: 2, deadlineMs: HOUR, maxWaitMs: HOUR } });
    const { acme, beta, anonymous, app } = server;
    await insertTransactions(beta, MANY, {});
    const order: string[] = [];
    const endless = Array.from({ length: 30 }, () =>
      app.units.read(acme.caller, forHours, { examines: true }).catch(() => order.push('endless')),
    );
    const query = { serial_number: 'S-1' };
    await Promise.all([
      anonymous.get('healthz').then(() => order.push('healthz')),
      acme.client.get('groups').then(() => order.push('groups')),
      beta.client
        .get('transactions', undefined, { query })
        .then(({ status }) => order.push(`beta ${status}`)),
    ]);
    expect(order.sort()).toEqual(['beta 200', 'groups', 'healthz']);
    await app.database.close();
    await Promise.all(endless);
  });
});
