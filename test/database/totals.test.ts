import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { testDatabase } from '../support/database.js';

const AUDIT = "1, 0, 0, null, 'api'";
const AUDITED = 'revision, created_at, updated_at, created_by, created_via';
const STATUSES = ['success', 'running', 'fail'];
const HOUR_MS = 3_600_000;
const AMOUNTS = ['null', '0', '5', '999999999999'];

/** One statement, of whatever kind, as text. */
const statement = fc.oneof(
  fc.tuple(fc.constantFrom(1, 2), fc.nat(40)).map(
    ([company, n]) => `insert or ignore into groups (company_id, name, ${AUDITED})
      values (${company}, 'group ${n}', ${AUDIT})`,
  ),
  fc.tuple(fc.constantFrom(1, 2), fc.nat(40), fc.nat(60)).map(
    ([company, n, group]) => `insert or ignore into logical_numbers (company_id, number, group_id, ${AUDITED})
      select ${company}, 'number ${n}', (select id from groups where company_id = ${company} and id = ${group}),
      ${AUDIT}`,
  ),
  fc.tuple(fc.constantFrom(1, 2), fc.nat(20)).map(
    ([company, n]) => `insert or replace into devices (company_id, serial_number, enabled, meta, ${AUDITED})
      values (${company}, 'serial ${n}', 1, '{}', ${AUDIT})`,
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
      fc.constantFrom(...AMOUNTS),
    )
    .map(
      ([company, status, app, hour, amount]) => `insert into transactions (company_id, transaction_type,
      serial_number, logical_number, app_name, detail, status, amount, started_at, recorded_at)
      values (${company}, 'switch', 's', 'n', '${app}', '', '${status}', ${amount}, ${hour * HOUR_MS + 5}, 0)`,
    ),
  fc
    .tuple(fc.nat(60), fc.nat(9), fc.constantFrom(...STATUSES))
    .map(
      ([id, more, status]) =>
        `update transactions set status = '${status}' where id between ${id} and ${id + more}`,
    ),
  fc
    .tuple(fc.nat(60), fc.nat(60))
    .map(([id, hour]) => `update transactions set started_at = ${hour * HOUR_MS} where id = ${id}`),
  fc
    .tuple(fc.nat(60), fc.constantFrom(...AMOUNTS))
    .map(([id, amount]) => `update transactions set amount = ${amount} where id = ${id}`),
);

async function rowsOf(database: Database, query: string): Promise<unknown[]> {
  return (await sql.raw(query).execute(database.reads)).rows;
}

const COUNTED = ['groups', 'logical_numbers', 'devices', 'transactions'];

async function expectTrueTotals(database: Database): Promise<void> {
  const counted = COUNTED.map(
    (table) => `select company_id, '${table}' as name, count(*) as total from ${table} group by company_id`,
  ).join(' union all ');
  expect(
    await rowsOf(
      database,
      `select company_id, name, total from counters where total <> 0 order by company_id, name`,
    ),
  ).toEqual(await rowsOf(database, `select * from (${counted}) order by company_id, name`));

  for (const [span, hours] of [
    ['day', 24],
    ['hour', 1],
  ] as const) {
    const kinds = `company_id, ${span}, status, transaction_type, app_name`;
    const kept = `select ${kinds}, total, amount_total from transaction_${span}s`;
    expect(await rowsOf(database, `${kept} where total <> 0 order by ${kinds}`)).toEqual(
      await rowsOf(
        database,
        `select company_id, started_at / ${hours * HOUR_MS} as ${span}, status, transaction_type, app_name,
          count(*) as total, coalesce(sum(amount), 0) as amount_total
          from transactions group by 1, 2, 3, 4, 5 order by ${kinds}`,
      ),
    );
    expect(await rowsOf(database, `${kept} where total = 0 and amount_total <> 0`)).toEqual([]);
  }
}

describe('the totals that the database keeps', () => {
  it('are true after any changes, kept or taken back', async () => {
    const database = testDatabase();
    await sql`insert into companies values (1, 'one', 0, 0), (2, 'two', 0, 0)`.execute(database.writes);
    const change = fc.record({
      statements: fc.array(statement, { minLength: 1, maxLength: 12 }),
      kept: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
        for (const table of ['devices', 'logical_numbers', 'groups', 'transactions']) {
          await sql.raw(`delete from ${table}`).execute(database.writes);
        }
        // The ids that the changes name are low.
        await sql`delete from sqlite_sequence`.execute(database.writes);
        for (const { statements, kept } of changes) {
          await database.writes
            .transaction()
            .execute(async (db) => {
              for (const text of statements) await runUnlessRefused(db, text);
              if (!kept) throw new Error('taken back');
            })
            .catch((error: unknown) => {
              if (kept) throw error;
            });
        }
        await expectTrueTotals(database);
      }),
      { numRuns: 60 },
    );
    expect(await rowsOf(database, 'select 1 from counters where total < 0')).toEqual([]);
    for (const table of ['transaction_days', 'transaction_hours']) {
      expect(await rowsOf(database, `select 1 from ${table} where total < 0`)).toEqual([]);
    }
  });
});

/** What others refer to stays, and what is there already is not there twice. */
async function runUnlessRefused(db: Database['writes'], text: string): Promise<void> {
  await sql
    .raw(text)
    .execute(db)
    .catch((error: unknown) => {
      if (!/FOREIGN KEY|exists already/.test(String(error))) throw error;
    });
}
