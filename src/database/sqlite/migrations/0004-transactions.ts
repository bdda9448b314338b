import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import type { Db } from '../table-builders.js';

const OUTCOMES = ['approved', 'denied', 'cancelled'] as const;
const KIND = sql.raw('status, transaction_type, app_name');

/** Adds references of transactions, and the amounts of approved, denied and cancelled payments. */
export async function up(db: Db): Promise<void> {
  await sql`alter table transactions add column reference text`.execute(db);
  await sql`alter table transactions add column payment_outcome text`.execute(db);
  await sql`update transactions set payment_outcome = case
      when json_extract(parsed, '$.status') = 'denied' then 'denied'
      when json_extract(parsed, '$.type') in ('cancellation', 'refund')
        or json_extract(parsed, '$.nsuReference') is not null then 'cancelled'
      else 'approved' end
    where parsed is not null`.execute(db);
  await createIndexes(db);
  await addOutcomes(db);
}

/**
 * Creates the covering indexes again, now with the outcome beside the amount, in the same order as before:
 * among plans of equal cost, the planner takes the index that was created first.
 */
async function createIndexes(db: Db): Promise<void> {
  const newestFirst = sql`started_at desc, id desc`;
  for (const name of ['newest', 'serial', 'logical_number', 'status', 'app']) {
    await db.schema.dropIndex(`transactions_${name}`).execute();
  }
  await sql`create index transactions_newest on transactions (company_id, ${newestFirst},
    status, transaction_type, app_name, logical_number, serial_number, amount, payment_outcome)`.execute(db);
  await sql`create index transactions_serial on transactions (company_id, serial_number, ${newestFirst},
    status, transaction_type, app_name, logical_number, amount, payment_outcome)`.execute(db);
  await sql`create index transactions_logical_number on transactions (company_id, logical_number, ${newestFirst},
    status, transaction_type, app_name, serial_number, amount, payment_outcome)`.execute(db);
  await sql`create index transactions_status on transactions (company_id, status, ${newestFirst},
    transaction_type, app_name)`.execute(db);
  await sql`create index transactions_app on transactions (company_id, app_name, ${newestFirst},
    status, transaction_type)`.execute(db);
  await sql`create unique index transactions_reference on transactions (company_id, reference)
    where reference is not null`.execute(db);
  const many = 1_000_000;
  await run(
    db,
    ddl.shares('transactions', {
      sqlite_autoindex_transactions_1: [many, many, 1],
      transactions_newest: [many, many, 2, 1, 1, 1, 1, 1, 1, 1, 1],
      transactions_serial: [many, many, 100, 2, 1, 1, 1, 1, 1, 1, 1],
      transactions_logical_number: [many, many, 100, 2, 1, 1, 1, 1, 1, 1, 1],
      transactions_status: [many, many, 300_000, 2, 1, 1, 1],
      transactions_app: [many, many, 100_000, 2, 1, 1, 1],
      transactions_reference: [many, many, 1],
    }),
  );
}

async function addOutcomes(db: Db): Promise<void> {
  for (const [table, span, ms] of [
    ['transaction_hours', 'hour', 3_600_000],
    ['transaction_days', 'day', 86_400_000],
  ] as const) {
    for (const outcome of OUTCOMES) {
      await sql`alter table ${sql.table(table)} add column ${sql.ref(`${outcome}_amount`)}
        integer not null default 0`.execute(db);
    }
    const columns = sql.raw(OUTCOMES.map((outcome) => `${outcome}_amount`).join(', '));
    const sums = sql.raw(
      OUTCOMES.map(
        (outcome) => `coalesce(sum(amount) filter (where payment_outcome = '${outcome}'), 0)`,
      ).join(),
    );
    const changes = sql.raw(
      OUTCOMES.map((outcome) => `${outcome}_amount = excluded.${outcome}_amount`).join(', '),
    );
    await sql`insert into ${sql.table(table)}
      (company_id, ${sql.ref(span)}, ${KIND}, total, amount_total, ${columns})
      select company_id, started_at / ${sql.lit(ms)}, ${KIND}, count(*), coalesce(sum(amount), 0), ${sums}
      from transactions where true group by 1, 2, 3, 4, 5
      on conflict (company_id, ${sql.ref(span)}, ${KIND}) do update set ${changes}`.execute(db);
  }
  for (const name of ['in', 'out', 'moved']) await run(db, [`drop trigger transactions_summed_${name}`]);
  await run(db, ddl.summedPayments());
}

async function run(db: Db, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
