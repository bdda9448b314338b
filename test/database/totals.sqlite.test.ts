import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { ROLLUPS } from '../../src/schema/rollups.js';
import { sqliteDatabase } from '../support/databases/sqlite-database.js';
import { expectTrueTotals, OUTCOMES, STATUSES } from './true-totals.js';

const AUDIT = "1, 0, 0, null, 'api'";
const AUDITED = 'revision, created_at, updated_at, created_by, created_via';
const MINUTE_MS = 60_000;
/** Amount and outcome of a payment. */
const PAYMENTS = [
  '-1, null',
  "0, 'approved'",
  "5, 'approved'",
  "5, 'denied'",
  "7, 'cancelled'",
  "999999999999, 'approved'",
  "999999999999, 'cancelled'",
];
const CHANGES = [
  "transaction_type = 'company'",
  "app_name = 'b'",
  'group_id = 1 - group_id',
  "payment_status = 'approved', payment_type = 'sale', brand = 'visa'",
  "acquirer = 'a', installments = installments + 1",
];

/** The ids that the changes name are low. */
const nextId = (table: string): string => `(select coalesce(max(id), 0) + 1 from ${table})`;

/** One statement, of whatever kind, as text. */
const statement = fc.oneof(
  fc.tuple(fc.constantFrom(1, 2), fc.nat(40)).map(
    ([company, n]) => `insert or ignore into groups (id, company_id, name, ${AUDITED})
      values (${nextId('groups')}, ${company}, 'group ${n}', ${AUDIT})`,
  ),
  fc.tuple(fc.constantFrom(1, 2), fc.nat(40), fc.nat(60)).map(
    ([company, n, group]) => `insert or ignore into logical_numbers
      (id, company_id, number, group_id, ${AUDITED})
      select ${nextId('logical_numbers')}, ${company}, 'number ${n}', (select id from groups where company_id = ${company} and id = ${group}),
      ${AUDIT}`,
  ),
  fc.tuple(fc.constantFrom(1, 2), fc.nat(20)).map(
    ([company, n]) => `insert or replace into devices
      (id, company_id, serial_number, enabled, meta, ${AUDITED})
      values (${nextId('devices')}, ${company}, 'serial ${n}', 1, '{}', ${AUDIT})`,
  ),
  fc
    .tuple(fc.constantFrom('groups', 'logical_numbers', 'devices', 'transactions'), fc.nat(60), fc.nat(9))
    .map(([table, id, more]) => `delete from ${table} where id between ${id} and ${id + more}`),
  fc.nat(60).map((id) => `update groups set name = name || '.' where id = ${id}`),
  fc
    .tuple(
      fc.constantFrom(1, 2),
      fc.constantFrom(...STATUSES),
      fc.constantFrom('a', 'b'),
      fc.nat(60),
      fc.constantFrom(...PAYMENTS),
      fc.constantFrom('switch', 'company'),
    )
    .map(
      ([company, status, app, hour, payment, type]) => `insert into transactions
      (id, company_id, transaction_type, serial_number, logical_number, app_name, detail, status, amount,
      payment_outcome, started_at, recorded_at)
      values (${nextId('transactions')}, ${company}, '${type}', 's', 'n', '${app}', '', '${status}', ${payment}, ${hour * 45 * MINUTE_MS + 5}, 0)`,
    ),
  fc
    .tuple(fc.nat(60), fc.nat(9), fc.constantFrom(...STATUSES))
    .map(
      ([id, more, status]) =>
        `update transactions set status = '${status}' where id between ${id} and ${id + more}`,
    ),
  fc
    .tuple(fc.nat(60), fc.constantFrom(...CHANGES))
    .map(([id, change]) => `update transactions set ${change} where id = ${id}`),
  fc
    .tuple(fc.nat(60), fc.nat(60))
    .map(([id, hour]) => `update transactions set started_at = ${hour * 40 * MINUTE_MS} where id = ${id}`),
  fc
    .tuple(fc.nat(60), fc.constantFrom(...PAYMENTS))
    .map(
      ([id, payment]) =>
        `update transactions set (amount, payment_outcome) = (select ${payment}) where id = ${id}`,
    ),
  fc
    .tuple(fc.nat(60), fc.constantFrom(...OUTCOMES))
    .map(
      ([id, outcome]) =>
        `update transactions set payment_outcome = '${outcome}' where id = ${id} and amount >= 0`,
    ),
);

async function rowsOf(database: Database, query: string): Promise<unknown[]> {
  return (await sql.raw(query).execute(database.reads)).rows;
}

const COUNTED = ['groups', 'logical_numbers', 'devices', 'transactions'].map((table) => ({
  table,
  counter: table,
}));

describe('the totals that the database keeps', () => {
  it('are true after any changes, kept or taken back', async () => {
    const database = sqliteDatabase();
    await sql`insert into companies (id, name, created_at, updated_at) values (1, 'one', 0, 0), (2, 'two', 0, 0)`.execute(
      database.writes,
    );
    const change = fc.record({
      statements: fc.array(statement, { minLength: 1, maxLength: 12 }),
      kept: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
        for (const table of ['devices', 'logical_numbers', 'groups', 'transactions']) {
          await sql.raw(`delete from ${table}`).execute(database.writes);
        }
        for (const { statements, kept } of changes) {
          await database
            .write(null, async (db) => {
              for (const text of statements) await runUnlessRefused(db, text);
              if (!kept) throw new Error('taken back');
            })
            .catch((error: unknown) => {
              if (kept) throw error;
            });
        }
        await expectTrueTotals((query) => rowsOf(database, query), COUNTED, 'started_at');
      }),
      { numRuns: 30 },
    );
    expect(await rowsOf(database, 'select 1 from counters where total < 0')).toEqual([]);
    for (const { name: table } of ROLLUPS) {
      expect(await rowsOf(database, `select 1 from ${table} where total < 0`)).toEqual([]);
    }
  });
});

/** Runs a statement. Ignores refusals to delete a referenced row or to insert an existing one. */
async function runUnlessRefused(db: Database['writes'], text: string): Promise<void> {
  await sql
    .raw(text)
    .execute(db)
    .catch((error: unknown) => {
      if (!/FOREIGN KEY|exists already/.test(String(error))) throw error;
    });
}
