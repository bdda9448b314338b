import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { bound, handleOf } from '../../../../../src/database/sqlite/connection.js';
import type { ReadWork } from '../../../../../src/database/work.js';
import { ALL_ROWS } from '../../../../../src/domain/payments/transaction/summary/transaction-summary.model.js';
import {
  summarizeTransactions,
  type SummaryRequest,
} from '../../../../../src/domain/payments/transaction/summary/transaction-summary.service.js';
import { HOUR, MINUTE } from '../../../../../src/platform/clock.js';
import { databaseFile } from '../../../../support/databases/sqlite-place.js';
import { bucketStart } from './expected-summary.js';

const FIRST = Date.UTC(2026, 0, 1);
const QUARTERS = 365 * 96;
/** A transaction in each quarter of an hour of a year, and the last millisecond before and the first of each. */
const startedAt = (n: number): number => FIRST + n * 15 * MINUTE + (n % 3 === 0 ? -1 : 0);

const NEAR = 'America/Sao_Paulo';
const ZONES = [
  'Asia/Kolkata',
  'Asia/Yangon',
  'Australia/Adelaide',
  'America/St_Johns',
  'Asia/Kabul',
  'Australia/Lord_Howe',
  'Asia/Tokyo',
  'Asia/Almaty',
  'Pacific/Auckland',
  'Pacific/Marquesas',
] as const;
const BUCKETS = ['day', 'week', 'month'] as const;

let database: Sqlite.Database;
let work: ReadWork;
let statements: string[] = [];
/** Rows of tables that the statements have visited. */
let visited = 0;

beforeAll(() => {
  database = new Sqlite(databaseFile());
  database.exec("insert into companies (id, name, created_at, updated_at) values (1, 'one', 0, 0)");
  const insert =
    database.prepare(`insert into transactions (company_id, id, transaction_type, serial_number, logical_number,
      app_name, detail, status, amount, payment_outcome, started_at, recorded_at)
    values (1, ?, 'switch', 'S', 'L', 'a', '', 'success', ?, 'approved', ?, 0)`);
  database.transaction(() => {
    for (let n = 0; n < QUARTERS; n += 1) insert.run(n + 1, n, startedAt(n));
  })();
  database.function('visited', (_row: unknown) => {
    visited += 1;
    return 1;
  });
  const db = handleOf(async ({ sql: text, parameters }) => {
    statements.push(text);
    const counting = text.replace(/ as t\s+where /g, '$&visited(t.status) and ');
    return await Promise.resolve({ rows: database.prepare(counting).all(...bound(parameters)) as never[] });
  });
  work = { db, caller: { companyId: 1 }, now: new Date(FIRST) } as unknown as ReadWork;
});
afterAll(() => {
  database.close();
});

type Sums = readonly [startedAt: number, sums: { readonly count: number; readonly amount: number }];
const EACH = Array.from({ length: QUARTERS }, (_, n): Sums => [startedAt(n), { count: 1, amount: n }]);

/** Numbers and amounts by the start of their bucket, computed without the database. */
function sumsBy(bucket: 'DAY' | 'WEEK' | 'MONTH', zone: string, parts: readonly Sums[]): Sums[] {
  const sums = new Map<number, Sums[1]>();
  let start = 0;
  for (const [at, part] of parts) {
    // No day is shorter than 23 hours, and to ask for the local time of each transaction takes seconds.
    if (at >= start + 22 * HOUR) start = bucketStart(bucket, zone, at);
    const { count, amount } = sums.get(start) ?? { count: 0, amount: 0 };
    sums.set(start, { count: count + part.count, amount: amount + part.amount });
  }
  return [...sums];
}

/** A summary of the year, and the rows that it visited. */
async function summaryOf(bucket: (typeof BUCKETS)[number], timeZone: string) {
  [visited, statements] = [0, []];
  const request: SummaryRequest = { ...ALL_ROWS, where: null, bucket, by: ['status'], timeZone };
  const rows = await summarizeTransactions(work, request);
  return { rows, visited, text: statements.join(' ') };
}

describe('RU-56 a summary of a year', () => {
  it.each(ZONES)('in %s visits at most twice the rows of Sao_Paulo, and is exact', async (zone) => {
    const days = sumsBy('DAY', zone, EACH);
    for (const bucket of BUCKETS) {
      const most = 2 * (await summaryOf(bucket, NEAR)).visited;
      const found = await summaryOf(bucket, zone);
      expect(most).toBeGreaterThan(2 * 365);
      expect(found.visited, bucket).toBeLessThanOrEqual(most);
      expect(found.text).not.toMatch(/transactions_newest/);
      // Weeks and months are whole days.
      const sums = sumsBy(bucket.toUpperCase() as 'DAY', zone, days);
      const rows = found.rows.map((row) => [row.bucketStart?.getTime(), row.count, row.amountTotal]);
      expect(rows).toEqual(sums.map(([start, { count, amount }]) => [start, count, amount]));
    }
  });
});
