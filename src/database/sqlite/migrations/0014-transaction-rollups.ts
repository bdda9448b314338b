import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import { required, type Db } from '../table-builders.js';

interface Rollup {
  readonly table: string;
  readonly span: 'day' | 'hour';
  /** Of the primary key, after the company. */
  readonly key: readonly string[];
}

const KIND = ['status', 'transaction_type', 'app_name'];
/** The tables of before, with the totals of each application. */
const DETAILED: readonly Rollup[] = [
  { table: 'transaction_days', span: 'day', key: ['day', ...KIND] },
  { table: 'transaction_hours', span: 'hour', key: ['hour', ...KIND] },
];
const ADDED: readonly Rollup[] = [
  { table: 'transaction_day_totals', span: 'day', key: ['day', 'status', 'transaction_type'] },
  { table: 'transaction_hour_totals', span: 'hour', key: ['hour', 'status', 'transaction_type'] },
  { table: 'transaction_app_days', span: 'day', key: ['app_name', 'day', 'status', 'transaction_type'] },
];
const MS = { day: 86_400_000, hour: 3_600_000 } as const;
const OUTCOMES = ['approved', 'denied', 'cancelled'];
const AMOUNTS = ['amount_total', ...OUTCOMES.map((outcome) => `${outcome}_amount`)];
const SUMS = ['total', ...AMOUNTS];

/** Totals of transactions of all applications, and of one application in the order of its days. */
export async function up(db: Db): Promise<void> {
  for (const rollup of ADDED) {
    await createTable(db, rollup);
    await run(db, filled(rollup));
  }
  for (const name of ['in', 'out', 'moved']) await run(db, `drop trigger transactions_summed_${name}`);
  for (const trigger of triggers()) await run(db, trigger);
}

async function createTable(db: Db, { table, key }: Rollup): Promise<void> {
  const types = key.map((name) => ({ name, type: name in MS ? ddl.integer : ddl.text }));
  let created = required(db.schema.createTable(table), ddl.integer, 'company_id');
  for (const { name, type } of types) created = required(created, type, name);
  await required(created, ddl.integer, ...SUMS)
    .addPrimaryKeyConstraint(`${table}_pk`, ['company_id', ...key])
    .modifyEnd(ddl.keyed)
    .execute();
}

/** From the table of before with the same span. */
function filled({ table, span, key }: Rollup): string {
  const columns = ['company_id', ...key].join(', ');
  return `insert into ${table} (${columns}, ${SUMS.join(', ')})
    select ${columns}, ${SUMS.map((name) => `sum(${name})`).join(', ')} from transaction_${span}s
    group by ${columns} having ${SUMS.map((name) => `sum(${name}) <> 0`).join(' or ')}`;
}

function triggers(): readonly string[] {
  const rollups = [...DETAILED, ...ADDED];
  const add = rollups.map(addition).join(' ');
  const remove = rollups.map(removal).join(' ');
  return [
    `create trigger transactions_summed_in after insert on transactions begin ${add} end`,
    `create trigger transactions_summed_out after delete on transactions begin ${remove} end`,
    `create trigger transactions_summed_moved
      after update of company_id, started_at, status, transaction_type, app_name, amount, payment_outcome
      on transactions begin ${remove} ${add} end`,
  ];
}

function addition({ table, key }: Rollup): string {
  return `insert into ${table} (company_id, ${key.join(', ')}, ${SUMS.join(', ')})
    values (new.company_id, ${key.map((name) => keyOf('new', name)).join(', ')}, 1, ${amountsOf('new').join(', ')})
    on conflict (company_id, ${key.join(', ')}) do update set total = total + 1,
      ${AMOUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')};`;
}

function removal({ table, key }: Rollup): string {
  const amounts = amountsOf('old');
  return `update ${table} set total = total - 1,
      ${AMOUNTS.map((name, index) => `${name} = ${name} - ${amounts[index] ?? ''}`).join(', ')}
    where company_id = old.company_id and ${key.map((name) => `${name} = ${keyOf('old', name)}`).join(' and ')};`;
}

function keyOf(row: 'new' | 'old', name: string): string {
  return name === 'day' || name === 'hour' ? `${row}.started_at / ${MS[name]}` : `${row}.${name}`;
}

function amountsOf(row: 'new' | 'old'): readonly string[] {
  return [
    `coalesce(${row}.amount, 0)`,
    ...OUTCOMES.map((o) => `iif(${row}.payment_outcome = '${o}', coalesce(${row}.amount, 0), 0)`),
  ];
}

async function run(db: Db, statement: string): Promise<void> {
  await sql.raw(statement).execute(db);
}
