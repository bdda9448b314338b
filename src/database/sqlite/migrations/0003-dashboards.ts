import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import { index, required, type Db, type Table } from '../table-builders.js';

/** Adds indexes for the filters of dashboards, and totals of transactions by hour and by day. */
export async function up(db: Db): Promise<void> {
  for (const column of ['kind', 'group_id', 'expires_at']) await index(db, 'notifications', column, 'id');
  for (const column of ['communication_format', 'kind', 'language']) await index(db, 'apps', column, 'id');
  await index(db, 'files', 'file_type', 'id');
  await createTransactionIndexes(db);
  await createTransactionTotals(db);
}

/** Creates covering indexes: filters of lists, and summaries, only read rows that they return. */
async function createTransactionIndexes(db: Db): Promise<void> {
  for (const name of ['newest', 'serial', 'logical_number']) {
    await db.schema.dropIndex(`transactions_${name}`).execute();
  }
  const newestFirst = sql`started_at desc, id desc`;
  await sql`create index transactions_newest on transactions (company_id, ${newestFirst},
    status, transaction_type, app_name, logical_number, serial_number, amount)`.execute(db);
  await sql`create index transactions_serial on transactions (company_id, serial_number, ${newestFirst},
    status, transaction_type, app_name, logical_number, amount)`.execute(db);
  await sql`create index transactions_logical_number on transactions (company_id, logical_number, ${newestFirst},
    status, transaction_type, app_name, serial_number, amount)`.execute(db);
  await sql`create index transactions_status on transactions (company_id, status, ${newestFirst},
    transaction_type, app_name)`.execute(db);
  await sql`create index transactions_app on transactions (company_id, app_name, ${newestFirst},
    status, transaction_type)`.execute(db);
  const many = 1_000_000;
  await run(
    db,
    ddl.shares('transactions', {
      sqlite_autoindex_transactions_1: [many, many, 1],
      transactions_newest: [many, many, 2, 1, 1, 1, 1, 1, 1, 1],
      transactions_serial: [many, many, 100, 2, 1, 1, 1, 1, 1, 1],
      transactions_logical_number: [many, many, 100, 2, 1, 1, 1, 1, 1, 1],
      transactions_status: [many, many, 300_000, 2, 1, 1, 1],
      transactions_app: [many, many, 100_000, 2, 1, 1, 1],
    }),
  );
}

const KIND = sql.raw('status, transaction_type, app_name');

async function createTransactionTotals(db: Db): Promise<void> {
  let hours = required(db.schema.createTable('transaction_hours'), ddl.integer, 'company_id', 'hour');
  hours = required(hours, ddl.text, 'status', 'transaction_type', 'app_name');
  hours = required(hours, ddl.integer, 'total', 'amount_total');
  const key = ['company_id', 'hour', 'status', 'transaction_type', 'app_name'] as const;
  const table: Table = hours.addPrimaryKeyConstraint('transaction_hours_pk', [...key]);
  await table.modifyEnd(ddl.keyed).execute();
  await sql`insert into transaction_hours (company_id, hour, ${KIND}, total, amount_total)
    select company_id, started_at / 3600000, ${KIND}, count(*), coalesce(sum(amount), 0)
    from transactions group by 1, 2, 3, 4, 5`.execute(db);

  await db.schema
    .alterTable('transaction_days')
    .addColumn('amount_total', ddl.integer, (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`insert into transaction_days (company_id, day, ${KIND}, total, amount_total)
    select company_id, hour / 24, ${KIND}, sum(total), sum(amount_total)
    from transaction_hours where true group by 1, 2, 3, 4, 5
    on conflict (company_id, day, ${KIND}) do update set amount_total = excluded.amount_total`.execute(db);
  for (const name of ['in', 'out', 'moved']) await run(db, [`drop trigger transactions_daily_${name}`]);
  await run(db, ddl.summedTransactions());
}

async function run(db: Db, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
