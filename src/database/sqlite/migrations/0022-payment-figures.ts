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
/** The tables of before. */
const KEPT: readonly Rollup[] = [
  { table: 'transaction_days', span: 'day', key: ['day', ...KIND] },
  { table: 'transaction_hours', span: 'hour', key: ['hour', ...KIND] },
  { table: 'transaction_day_totals', span: 'day', key: ['day', 'status', 'transaction_type'] },
  { table: 'transaction_hour_totals', span: 'hour', key: ['hour', 'status', 'transaction_type'] },
  { table: 'transaction_app_days', span: 'day', key: ['app_name', 'day', 'status', 'transaction_type'] },
];
const PAID = ['status', 'transaction_type', 'payment_status'];
const ADDED: readonly Rollup[] = (
  [
    ['payment', [...PAID, 'payment_type', 'brand', 'acquirer']],
    ['installment', [...PAID, 'installments']],
    ['group', [...PAID, 'group_id']],
  ] as const
).flatMap(([name, kind]): Rollup[] => [
  { table: `transaction_${name}_hours`, span: 'hour', key: ['hour', ...kind] },
  { table: `transaction_${name}_days`, span: 'day', key: ['day', ...kind] },
]);
const MS = { day: 86_400_000, hour: 3_600_000 } as const;
const INTEGERS = ['day', 'hour', 'installments', 'group_id', 'month'];
const OUTCOMES = ['approved', 'denied', 'cancelled'];
const AMOUNTS = ['amount_total', ...OUTCOMES.map((outcome) => `${outcome}_amount`)];
const SUMS = ['total', ...AMOUNTS];
/** Columns of a month's kinds of payments, and how many kinds are summed up by their names. */
const NAMES = ['payment_type', 'brand', 'acquirer'];
const MAX_KINDS = 300;
const TEXTS = ['payment_status', ...NAMES];
const VALUES = [...TEXTS, 'installments', 'group_id'];

/**
 * What transactions are summed up by: of a payment its status, type, brand, acquirer and installments, and the group. Rows
 * of before get the group that their logical number has now.
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
  for (const rollup of ADDED) {
    await createKeyed(db, rollup.table, rollup.key, SUMS);
    await run(db, summed(rollup));
  }
  for (const trigger of triggers()) await run(db, trigger);
}

/** The values of a transaction without them. */
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

/** The most frequent ones of each month. */
const KINDS = `insert into transaction_payment_kinds (company_id, month, ${NAMES.join(', ')})
  select company_id, month, ${NAMES.join(', ')} from (
    select *, row_number() over (partition by company_id, month order by total desc, ${NAMES.join(', ')}) as place
    from (select company_id, ${MONTH} as month, ${NAMES.join(', ')}, count(*) as total from transactions
      where payment_status <> '' group by 1, 2, 3, 4, 5) as counted) as placed
  where place <= ${MAX_KINDS}`;

/** All others; only companies with as many kinds in a month can have some. */
const OTHERS: readonly string[] = [
  `update transactions set ${NAMES.map((name) => `${name} = 'other'`).join(', ')}
    where payment_status <> '' and company_id in (select company_id from transaction_payment_kinds
        group by company_id, month having count(*) >= ${MAX_KINDS})
      and not exists (select 1 from transaction_payment_kinds as k where k.company_id = transactions.company_id
        and k.month = ${MONTH} and ${NAMES.map((name) => `k.${name} = transactions.${name}`).join(' and ')})`,
];

/** The index that summaries read. */
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

/** Hours from transactions, days from the table of hours. */
function summed({ table, span, key }: Rollup): string {
  const columns = ['company_id', ...key].join(', ');
  const into = `insert into ${table} (${columns}, ${SUMS.join(', ')})`;
  const places = ['company_id', ...key].map((_, index) => index + 1).join(', ');
  if (span === 'day') {
    return `${into} select company_id, hour / 24, ${key.slice(1).join(', ')}, ${SUMS.map((name) => `sum(${name})`).join(', ')}
      from ${table.replace(/days$/, 'hours')} group by ${places}`;
  }
  const sums = OUTCOMES.map((o) => `coalesce(sum(amount) filter (where payment_outcome = '${o}'), 0)`);
  return `${into} select company_id, started_at / ${MS.hour}, ${key.slice(1).join(', ')},
      count(*), coalesce(sum(amount), 0), ${sums.join(', ')}
    from transactions indexed by transactions_newest group by ${places}`;
}

function triggers(): readonly string[] {
  const rollups = [...KEPT, ...ADDED];
  const add = rollups.map(addition).join(' ');
  const remove = rollups.map(removal).join(' ');
  return [
    `create trigger transactions_summed_in after insert on transactions begin ${add} end`,
    `create trigger transactions_summed_out after delete on transactions begin ${remove} end`,
    `create trigger transactions_summed_moved
      after update of company_id, started_at, ${KIND.join(', ')}, amount, payment_outcome, ${VALUES.join(', ')}
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
