import { sql } from 'kysely';

import {
  columnsOf,
  countedSums,
  keyOf,
  ROLLUPS,
  sumsOf,
  UNIT_MS,
  type Rollup,
  type RollupSum,
} from '../../totals/rollups.js';
import { ddl } from '../ddl.js';
import { required, type Db } from '../table-builders.js';

const KIND = ['status', 'transaction_type', 'app_name'];
const INTEGERS = ['day', 'hour', 'installments', 'group_id', 'month'];
/**
 * Columns of a kind of payment, and the number of kinds in a month that are summed up by name; others are
 * `other`.
 */
const NAMES = ['payment_type', 'brand', 'acquirer'];
const MAX_KINDS = 300;
const TEXTS = ['payment_status', ...NAMES];
const VALUES = [...TEXTS, 'installments', 'group_id'];

/**
 * Adds columns by which transactions are summed up: status, type, brand, acquirer and installments of a
 * payment, and the group. Existing rows get the group that their logical number has now. All tables of totals
 * are created again.
 */
export async function up(db: Db): Promise<void> {
  for (const name of ['in', 'out', 'moved']) await run(db, `drop trigger transactions_summed_${name}`);
  for (const name of VALUES) {
    const type = TEXTS.includes(name) ? "text not null default ''" : `integer not null default ${NONE[name]}`;
    await run(db, `alter table transactions add column ${name} ${type}`);
  }
  await run(db, FILLED);
  await createKeyed(db, 'transaction_payment_kinds', ['month', ...NAMES], []);
  await run(db, KINDS);
  for (const statement of OTHERS) await run(db, statement);
  await widenIndex(db);
  for (const rollup of ROLLUPS) {
    await run(db, `drop table if exists ${rollup.table}`);
    await createKeyed(db, rollup.table, keyOf(rollup), columnsOf(rollup.unit));
    await run(db, summed(rollup));
  }
  for (const trigger of triggers()) await run(db, trigger);
}

/** Defaults, for transactions that are no payments; those of other columns are empty texts. */
const NONE: Readonly<Record<string, number>> = { installments: -1, group_id: 0 };

const FILLED = `update transactions set
    payment_status = coalesce(json_extract(parsed, '$.status'), ''),
    payment_type = coalesce(json_extract(parsed, '$.type'), ''),
    brand = coalesce(json_extract(parsed, '$.card.brand'), ''),
    acquirer = coalesce(json_extract(parsed, '$.acquirer'), ''),
    installments = coalesce(json_extract(parsed, '$.installment.quantity'), -1),
    group_id = coalesce((select n.group_id from logical_numbers as n
      where n.company_id = transactions.company_id and n.number = transactions.logical_number), 0)`;

const MONTH = `cast(strftime('%Y', started_at / 1000, 'unixepoch') as integer) * 12
  + cast(strftime('%m', started_at / 1000, 'unixepoch') as integer) - 1`;

/** Stores the most frequent kinds of each month. */
const KINDS = `insert into transaction_payment_kinds (company_id, month, ${NAMES.join(', ')})
  select company_id, month, ${NAMES.join(', ')} from (
    select *, row_number() over (partition by company_id, month order by total desc, ${NAMES.join(', ')}) as place
    from (select company_id, ${MONTH} as month, ${NAMES.join(', ')}, count(*) as total from transactions
      where payment_status <> '' group by 1, 2, 3, 4, 5) as counted) as placed
  where place <= ${MAX_KINDS}`;

/** Renames all other kinds. Only companies with `MAX_KINDS` kinds in a month can have some. */
const OTHERS: readonly string[] = [
  `update transactions set ${NAMES.map((name) => `${name} = 'other'`).join(', ')}
    where payment_status <> '' and company_id in (select company_id from transaction_payment_kinds
        group by company_id, month having count(*) >= ${MAX_KINDS})
      and not exists (select 1 from transaction_payment_kinds as k where k.company_id = transactions.company_id
        and k.month = ${MONTH} and ${NAMES.map((name) => `k.${name} = transactions.${name}`).join(' and ')})`,
];

/** Creates the index that summaries read again, with the new columns. */
async function widenIndex(db: Db): Promise<void> {
  await run(db, 'drop index transactions_newest');
  await run(
    db,
    `create index transactions_newest on transactions (company_id, started_at desc, id desc, ${KIND.join(', ')},
      logical_number, serial_number, amount, payment_outcome, ${VALUES.join(', ')})`,
  );
  await run(
    db,
    `insert into sqlite_stat1 (tbl, idx, stat)
      values ('transactions', 'transactions_newest', '1000000 1000000 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1')`,
  );
  await run(db, 'analyze sqlite_schema');
}

async function createKeyed(
  db: Db,
  table: string,
  key: readonly string[],
  sums: readonly string[],
): Promise<void> {
  let created = required(db.schema.createTable(table), ddl.integer, 'company_id');
  for (const name of key) {
    created = required(created, INTEGERS.includes(name) ? ddl.integer : ddl.text, name);
  }
  await required(created, ddl.integer, ...sums)
    .addPrimaryKeyConstraint(`${table}_pk`, ['company_id', ...key])
    .modifyEnd(ddl.keyed)
    .execute();
}

function summed(rollup: Rollup): string {
  const { table, unit } = rollup;
  const key = keyOf(rollup);
  const values = key.map((name) => (name === unit ? `started_at / ${UNIT_MS[unit]}` : name));
  const places = ['company_id', ...key].map((_, index) => index + 1).join(', ');
  return `insert into ${table} (company_id, ${key.join(', ')}, ${columnsOf(unit).join(', ')})
    select company_id, ${values.join(', ')}, ${countedSums(unit, `started_at % ${UNIT_MS[unit]}`).join(', ')}
    from transactions indexed by transactions_newest group by ${places}`;
}

function triggers(): readonly string[] {
  const add = ROLLUPS.map(addition).join(' ');
  const remove = ROLLUPS.map(removal).join(' ');
  return [
    `create trigger transactions_summed_in after insert on transactions begin ${add} end`,
    `create trigger transactions_summed_out after delete on transactions begin ${remove} end`,
    `create trigger transactions_summed_moved
      after update of company_id, started_at, ${KIND.join(', ')}, amount, payment_outcome, ${VALUES.join(', ')}
      on transactions begin ${remove} ${add} end`,
  ];
}

function addition(rollup: Rollup): string {
  const { table, unit } = rollup;
  const key = keyOf(rollup);
  const sums = sumsOf(unit);
  return `insert into ${table} (company_id, ${key.join(', ')}, ${columnsOf(unit).join(', ')})
    values (new.company_id, ${key.map((name) => valueOf('new', name, unit)).join(', ')}, ${sums.map((sum) => added('new', sum, unit)).join(', ')})
    on conflict (company_id, ${key.join(', ')}) do update set
      ${sums.map(({ column }) => `${column} = ${column} + excluded.${column}`).join(', ')};`;
}

function removal(rollup: Rollup): string {
  const { table, unit } = rollup;
  const changes = sumsOf(unit).map((sum) => `${sum.column} = ${sum.column} - ${added('old', sum, unit)}`);
  const same = keyOf(rollup).map((name) => `${name} = ${valueOf('old', name, unit)}`);
  return `update ${table} set ${changes.join(', ')} where company_id = old.company_id and ${same.join(' and ')};`;
}

function valueOf(row: 'new' | 'old', name: string, unit: Rollup['unit']): string {
  return name === unit ? `${row}.started_at / ${UNIT_MS[unit]}` : `${row}.${name}`;
}

/** SQL of the value that a transaction adds to a sum. */
function added(row: 'new' | 'old', { of, from }: RollupSum, unit: Rollup['unit']): string {
  const amount = of === 'total' ? '1' : `coalesce(${row}.amount, 0)`;
  const conditions = [
    ...(from === 0 ? [] : [`${row}.started_at % ${UNIT_MS[unit]} >= ${from}`]),
    ...(of === 'total' || of === 'amount' ? [] : [`${row}.payment_outcome = '${of}'`]),
  ];
  return conditions.length === 0 ? amount : `iif(${conditions.join(' and ')}, ${amount}, 0)`;
}

async function run(db: Db, statement: string): Promise<void> {
  await sql.raw(statement).execute(db);
}
