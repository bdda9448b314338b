import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { retained } from '../../../../src/domain/base/ledger/retention.service.js';
import { DAY, HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { parsePeriod } from '../../../../src/platform/config/parsing.js';
import { ROLLUPS } from '../../../../src/schema/rollups.js';
import { insertMany } from '../../../support/databases/rows.js';
import { rowsIn } from '../../../support/fleet.js';
import type { GraphqlErrorShape } from '../../../support/graphql.js';
import { insertTransactions, pruneNow } from '../../../support/retention.js';
import { useServerPerTest, type Fields } from '../../../support/server.js';
import { subscribe } from '../../../support/subscribe.js';
import { record, report } from '../../payments/transaction/records.js';

const KEEP = {
  transactions: parsePeriod('24 months'),
  ledger: parsePeriod('13 months'),
  deliveries: parsePeriod('90 days'),
  logs: parsePeriod('30 days'),
};

const server = useServerPerTest({ keep: KEEP });

/** Inserts transactions, the first of them recorded so many days ago. */
async function insert(count: number, days: number, stepMs = 1, { caller } = server.acme): Promise<void> {
  const first = new Date(server.clock.now().getTime() - days * DAY);
  await insertTransactions(server.place, caller.companyId, count, { first, stepMs });
}

const count = (table: string): Promise<number> =>
  rowsIn(server, table, `company_id = ${server.acme.caller.companyId}`);

async function firstOf(table: 'transactions' | 'ledger'): Promise<number> {
  const [row] = await server.place.sql<{ first: number }>(
    `select min(${table === 'ledger' ? 'sequence' : 'id'}) as first from ${table} where company_id = $1`,
    [server.acme.caller.companyId],
  );
  return row?.first ?? 0;
}

const TOTALS = `{ transactions { totalCount } transactionSummary { count amountTotal } }`;

async function totals(): Promise<Fields> {
  return (await server.acme.graphql(TOTALS)).body.data;
}

describe('transactions', () => {
  it('are deleted so long after they were recorded, and not a millisecond before', async () => {
    const now = server.clock.now();
    server.clock.set(now);
    const at = new Date(now);
    at.setUTCFullYear(at.getUTCFullYear() - 2);
    const { companyId } = server.acme.caller;
    await insertTransactions(server.place, companyId, 3, {
      first: new Date(at.getTime() - MINUTE),
      stepMs: MINUTE,
    });
    const clock = { now: () => now, elapsed: () => 0 };
    expect(await pruneNow(server.app.database, { transactions: '24 months' }, { clock })).toEqual({
      transactions: 1,
    });
    expect(await firstOf('transactions')).toBe(2);
    const later = { ...clock, now: () => new Date(now.getTime() + 1) };
    expect(await pruneNow(server.app.database, { transactions: '2 years' }, { clock: later })).toEqual({
      transactions: 1,
    });
    expect(await firstOf('transactions')).toBe(3);
    expect(await server.place.check()).toEqual([]);
  });

  it('leave all totals, and the totals that are 0 are deleted', async () => {
    await insert(600, 800, HOUR);
    await insert(50, 10, HOUR);
    expect(await totals()).toMatchObject({ transactions: { totalCount: 650 } });
    await server.app.housekeeping.run();
    expect(await totals()).toEqual({
      transactions: { totalCount: 50 },
      transactionSummary: [{ count: 50, amountTotal: (50 * 51) / 2 }],
    });
    const list = await server.acme.client.get('transactions?per_page=1');
    expect(JSON.parse(list.text)).toMatchObject({ pagination: { total_entries: 50 } });
    for (const { name: table } of ROLLUPS) {
      expect(await server.place.sql(`select * from ${table} where total = 0`), table).toEqual([]);
    }
    expect(await server.place.check()).toEqual([]);
  });

  it('are deleted exactly while others are recorded and change', async () => {
    await insert(1_000, 900, MINUTE);
    const pruning = server.app.housekeeping.run();
    const done = new AbortController();
    const writing = (async () => {
      let rows = 0;
      while (!done.signal.aborted) {
        await record(server, server.acme, [report({ reference: `new ${rows}` })]);
        rows += 1;
      }
      return rows;
    })();
    await pruning;
    done.abort();
    const rows = await writing;
    expect(rows).toBeGreaterThan(1);
    expect(await count('transactions')).toBe(rows);
    expect(await totals()).toMatchObject({ transactions: { totalCount: rows } });
    expect(await server.place.check()).toEqual([]);
  });

  it('that a node with a wrong clock recorded in the future keep those after them', async () => {
    const { companyId } = server.acme.caller;
    const old = new Date(server.clock.now().getTime() - 900 * DAY);
    await insertTransactions(server.place, companyId, 2, { first: old, stepMs: 0 });
    await insertTransactions(server.place, companyId, 1, {
      first: new Date(old.getTime() + 1_800 * DAY),
      stepMs: 0,
    });
    await insertTransactions(server.place, companyId, 2, { first: old, stepMs: 0 });
    await server.app.housekeeping.run();
    expect([await firstOf('transactions'), await count('transactions')]).toEqual([3, 3]);
  });
});

describe('one run', () => {
  it('deletes a bounded number of rows, in transactions of a few hundred, and the next one goes on', async () => {
    await insert(1_000, 900);
    const batches: number[] = [];
    await pruneNow(
      server.app.database,
      { transactions: '24 months' },
      {
        maxUnits: 3,
        onDeleted: (_kind, _companyId, rows) => void batches.push(rows),
      },
    );
    expect(batches).toEqual([200, 200, 200]);
    expect(await count('transactions')).toBe(400);
    expect(Math.max(...retained.map(({ rowsPerUnit }) => rowsPerUnit))).toBeLessThanOrEqual(400);
    await server.app.housekeeping.run();
    expect(await count('transactions')).toBe(0);
  });

  it('takes the companies in turns', async () => {
    await insert(900, 900);
    await insert(300, 900, 1, server.beta);
    const both = new Set([server.acme.caller.companyId, server.beta.caller.companyId]);
    const turns: number[] = [];
    const onDeleted = (_kind: string, companyId: number): void => void turns.push(companyId);
    await pruneNow(server.app.database, { transactions: '24 months' }, { onDeleted });
    expect(turns).toHaveLength(7);
    expect(new Set(turns.slice(0, 2))).toEqual(both);
    expect(new Set(turns.slice(2, 4))).toEqual(both);
    expect(await server.place.check()).toEqual([]);
  });

  it('reads as many statements for many companies as for a few', async () => {
    const run = () => server.app.housekeeping.run();
    const few = await server.statements(run);
    for (let n = 0; n < 30; n += 1) {
      await server.place.sql(
        'insert into companies (id, name, created_at, updated_at) values ($1, $2, $3, $3)',
        [n + 1, `company ${n}`, new Date(0)],
      );
    }
    const many = await server.statements(run);
    expect(many.statements.length).toBe(few.statements.length);
  });

  it('by two nodes at once deletes each row once', async () => {
    const { companyId } = server.acme.caller;
    await insert(1_500, 900);
    const other = await server.place.open();
    try {
      const periods = { transactions: '24 months' };
      const counts = await Promise.all([pruneNow(server.app.database, periods), pruneNow(other, periods)]);
      expect(counts.reduce((sum, { transactions = 0 }) => sum + transactions, 0)).toBe(1_500);
    } finally {
      await other.close();
    }
    const [pruned] = await server.place.sql('select up_to, total from prunings where company_id = $1', [
      companyId,
    ]);
    expect(pruned).toEqual({ up_to: 1_500, total: 1_500 });
    expect(await server.place.check()).toEqual([]);
  });
});

describe('deliveries', () => {
  it('are deleted so long after their end; those that wait or are on their way stay', async () => {
    const { client, caller } = server.acme;
    const now = server.clock.now().getTime();
    await client.post('groups', { name: 'all' });
    const [group] = (await client.get('groups')).list('groups');
    const states = ['queued', 'sent', 'delivered', 'failed', 'expired', 'cancelled'];
    for (const state of states) await client.post('logical_numbers', { number: state, group_id: group?.id });
    for (const age of [91, 89]) {
      await client.post('notifications', { content: `age ${age}`, range: 'group', group_id: group?.id });
      for (const state of states) {
        await server.place.sql(
          `update notification_deliveries set state = $1, finished_at = $2 where company_id = $3 and state = 'queued'
            and finished_at is null and logical_number_id = (select id from logical_numbers
              where company_id = $3 and number = $1)`,
          [state, new Date(now - age * DAY), caller.companyId],
        );
      }
    }
    await sleep(0);
    expect(await count('notification_deliveries')).toBe(12);
    await server.app.housekeeping.run();
    const left = await server.place.sql<{ state: string; finished_at: number }>(
      'select state, finished_at from notification_deliveries where company_id = $1',
      [caller.companyId],
    );
    const old = left.filter((row) => row.finished_at < now - 90 * DAY).map(({ state }) => state);
    expect(left).toHaveLength(8);
    expect(old.sort()).toEqual(['queued', 'sent']);
    expect(await server.place.check()).toEqual([]);
  });
});

describe('followers', () => {
  const APPENDED = 'subscription ($after: Int) { ledgerAppended(after: $after) { sequence } }';
  const RECORDED = 'subscription ($after: Int) { transactionRecorded(after: $after) { sequence } }';

  it('that go on before what is left get the number after which they can', async () => {
    const { companyId } = server.acme.caller;
    await insert(40, 900);
    await server.acme.client.post('groups', { name: 'one' });
    server.clock.advance(400 * DAY);
    await server.acme.client.post('groups', { name: 'two' });
    const [row] = await server.place.sql<{ last: number }>(
      'select max(sequence) as last from ledger where company_id = $1',
      [companyId],
    );
    const last = row?.last ?? 0;
    await server.app.housekeeping.run();
    const first = await firstOf('ledger');
    expect(first).toBeGreaterThan(1);
    for (const [query, after, resumeAfter] of [
      [APPENDED, first - 2, first - 1],
      [RECORDED, 17, 40],
    ] as const) {
      const gone = (await subscribe(server, server.acme, query, { after })
        .ended) as readonly GraphqlErrorShape[];
      expect(gone[0]?.extensions).toEqual({ code: 'EVENTS_GONE', resumeAfter });
      expect(gone[0]?.message).toContain(`${after + 1} to ${resumeAfter} were deleted by retention`);
    }
    const resumed = subscribe<{ ledgerAppended: { sequence: number } }>(server, server.acme, APPENDED, {
      after: first - 1,
    });
    const events = await resumed.until(last - first + 1);
    expect(events.map(({ ledgerAppended }) => ledgerAppended.sequence).slice(0, last - first + 1)).toEqual(
      Array.from({ length: last - first + 1 }, (_, n) => first + n),
    );
    resumed.stop();
  });
});

describe('tokens', () => {
  it('are deleted 90 days after they were revoked or have expired', async () => {
    const { companyId, userId } = server.acme.caller;
    const now = server.clock.now().getTime();
    const before = await count('access_tokens');
    const ages = [
      [91, null],
      [null, 91],
      [10, 91],
      [89, null],
      [null, 89],
      [null, null],
      [null, -5],
    ] as const;
    const at = (age: number | null): Date | null => (age === null ? null : new Date(now - age * DAY));
    await insertMany(server.place, ['access_tokens', companyId, ages.length], (n) => ({
      user_id: userId,
      kind: 'named',
      name: `t${n}`,
      scopes: '[]',
      token_hash: `h${n}`,
      last_four: '0000',
      created_at: new Date(now - 200 * DAY),
      revoked_at: at(ages[n - 1]?.[0] ?? null),
      expires_at: at(ages[n - 1]?.[1] ?? null),
    }));
    await server.app.housekeeping.run();
    const names = await server.place.sql<{ name: string }>(
      "select name from access_tokens where company_id = $1 and token_hash like 'h%' order by name",
      [companyId],
    );
    expect(names.map(({ name }) => name)).toEqual(['t4', 't5', 't6', 't7']);
    expect(await count('access_tokens')).toBe(before + 4);
    expect(await server.place.check()).toEqual([]);
  });
});

describe('deletedByRetention', () => {
  it('says in each company what was deleted of it, in one statement', async () => {
    const query = `{ deletedByRetention { transactions { count upTo newestAt } ledger { count upTo newestAt }
      deliveries { count upTo newestAt } } }`;
    const nothing = { count: 0, upTo: 0, newestAt: null };
    const first = new Date(server.clock.now().getTime() - 900 * DAY);
    await insertTransactions(server.place, server.acme.caller.companyId, 3, { first, stepMs: 1_000 });
    await server.app.housekeeping.run();
    const { result, statements } = await server.statements(() => server.acme.graphql(query));
    expect(result.body.data).toEqual({
      deletedByRetention: {
        transactions: { count: 3, upTo: 3, newestAt: new Date(first.getTime() + 2_000).toISOString() },
        ledger: nothing,
        deliveries: nothing,
      },
    });
    expect(statements.filter((text) => text.includes('prunings'))).toHaveLength(1);
    const other = await server.beta.graphql(query);
    expect(other.body.data).toEqual({
      deletedByRetention: { transactions: nothing, ledger: nothing, deliveries: nothing },
    });
  });
});
