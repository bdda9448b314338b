import { sql, type Kysely } from 'kysely';

import { TEXT } from '../schema/builders.js';
import { companyPolicies } from '../schema/policies.js';
import { SYSTEM_ROLE } from '../schema/roles.js';

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
const SECONDS = { day: 86_400, hour: 3_600 } as const;
const INTEGERS = ['day', 'hour', 'installments', 'group_id', 'month', 'company_id'];
const OUTCOMES = ['approved', 'denied', 'cancelled'];
const SUMS = ['total', 'amount_total', ...OUTCOMES.map((outcome) => `${outcome}_amount`)];
/** Columns of a month's kinds of payments, and how many kinds are summed up by their names. */
const NAMES = ['payment_type', 'brand', 'acquirer'];
const MAX_KINDS = 300;
const VALUES = ['payment_status', ...NAMES, 'installments', 'group_id'];

/** With free space in each page, updates of totals need no new index entries. */
const OFTEN_UPDATED = 'with (fillfactor = 70)';

/**
 * What the migration 0022 of SQLite makes. Others can do nothing with transactions until it has ended. Updating all rows
 * would write every index anew, so the indexes are made afterwards.
 */
export async function addPaymentFigures<T>(db: Kysely<T>): Promise<void> {
  const tables = [...ADDED.map(({ table }) => table), 'transaction_payment_kinds'];
  const statements = [
    'lock table transactions in access exclusive mode',
    ...['summed_in', 'summed_out', 'summed_moved'].map(
      (name) => `drop trigger transactions_${name} on transactions`,
    ),
    ...INDEXES.map(([name]) => `drop index transactions_${name}`),
    `alter table transactions ${VALUES.map((name) => `add column ${name} ${typeOf(name)} not null default ${NONE[name] ?? "''"}`).join(', ')}`,
    keyed('transaction_payment_kinds', ['month', ...NAMES], []),
    ...ADDED.map(({ table, key }) => keyed(table, key, SUMS)),
    ...tables.flatMap(companyPolicies),
    // The owner of the tables sees no row.
    `set local role ${SYSTEM_ROLE}`,
    FILLED,
    KINDS,
    OTHERS,
    ...ADDED.map(summed),
    'reset role',
    ...INDEXES.map(([, definition]) => definition),
    ...(['added', 'deleted', 'updated'] as const).map(totalling),
    ...TRIGGERS,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** The values of a transaction without them. */
const NONE: Readonly<Record<string, string>> = { installments: '-1', group_id: '0' };

function typeOf(name: string): string {
  return INTEGERS.includes(name) || SUMS.includes(name) ? 'bigint' : TEXT;
}

const NEWEST_FIRST = 'started_at desc, id desc';
const PAYMENT = 'amount, payment_outcome';

/** Names and definitions. Those of before, the first one with all that summaries read. */
const INDEXES: readonly (readonly [name: string, definition: string])[] = [
  index('newest', '', ...KIND, 'logical_number', 'serial_number', PAYMENT, ...VALUES),
  index('serial', 'serial_number, ', ...KIND, 'logical_number', PAYMENT),
  index('logical_number', 'logical_number, ', ...KIND, 'serial_number', PAYMENT),
  index('status', 'status, ', 'transaction_type', 'app_name'),
  index('app', 'app_name, ', 'status', 'transaction_type'),
  [
    'reference',
    `create unique index transactions_reference on transactions (company_id, reference, serial_number)
      where reference is not null`,
  ],
];

function index(name: string, by: string, ...included: string[]): readonly [string, string] {
  return [
    name,
    `create index transactions_${name} on transactions (company_id, ${by}${NEWEST_FIRST}) include (${included.join(', ')})`,
  ];
}

function keyed(table: string, key: readonly string[], sums: readonly string[]): string {
  const columns = ['company_id', ...key, ...sums].map((name) => `${name} ${typeOf(name)} not null`);
  return `create table ${table} (${columns.join(', ')},
    constraint ${table}_pk primary key (company_id, ${key.join(', ')})) ${sums.length > 0 ? OFTEN_UPDATED : ''}`;
}

const FILLED = `update transactions as t set
    payment_status = coalesce(t.parsed ->> 'status', ''),
    payment_type = coalesce(t.parsed ->> 'type', ''),
    brand = coalesce(t.parsed #>> '{card,brand}', ''),
    acquirer = coalesce(t.parsed ->> 'acquirer', ''),
    installments = coalesce((t.parsed #>> '{installment,quantity}')::bigint, -1),
    group_id = coalesce((select n.group_id from logical_numbers as n
      where n.company_id = t.company_id and n.number = t.logical_number), 0)`;

const MONTH = `(extract(year from started_at at time zone 'UTC') * 12
  + extract(month from started_at at time zone 'UTC') - 1)::bigint`;

/** The most frequent ones of each month. */
const KINDS = `insert into transaction_payment_kinds (company_id, month, ${NAMES.join(', ')})
  select company_id, month, ${NAMES.join(', ')} from (
    select *, row_number() over (partition by company_id, month order by total desc, ${NAMES.join(', ')}) as place
    from (select company_id, ${MONTH} as month, ${NAMES.join(', ')}, count(*) as total from transactions
      where payment_status <> '' group by 1, 2, 3, 4, 5) as counted) as placed
  where place <= ${MAX_KINDS}`;

/** All others; only companies with as many kinds in a month can have some. */
const OTHERS = `update transactions as t set ${NAMES.map((name) => `${name} = 'other'`).join(', ')}
  where payment_status <> '' and company_id in (select company_id from transaction_payment_kinds
      group by company_id, month having count(*) >= ${MAX_KINDS})
    and not exists (select from transaction_payment_kinds as k where k.company_id = t.company_id
      and k.month = ${MONTH} and ${NAMES.map((name) => `k.${name} = t.${name}`).join(' and ')})`;

const amountsOf = (timesSign: '' | ' * sign'): readonly string[] =>
  OUTCOMES.map((o) => `coalesce(sum(amount${timesSign}) filter (where payment_outcome = '${o}'), 0)`);

const startOf = (span: Rollup['span']): string => `div(extract(epoch from started_at), ${SECONDS[span]})`;

const valuesOf = (span: Rollup['span'], key: readonly string[]): string =>
  key.map((name) => (name === span ? startOf(span) : name)).join(', ');

const placesOf = (key: readonly string[]): string => ['company_id', ...key].map((_, n) => n + 1).join(', ');

/** Hours from transactions, days from the table of hours. */
function summed({ table, span, key }: Rollup): string {
  const [, ...kind] = key;
  const into = `insert into ${table} (company_id, ${key.join(', ')}, ${SUMS.join(', ')})`;
  const source =
    span === 'day'
      ? `select company_id, div(hour, 24), ${kind.join(', ')}, ${SUMS.map((name) => `sum(${name})`).join(', ')}
          from ${table.replace(/days$/, 'hours')}`
      : `select company_id, ${startOf(span)}, ${kind.join(', ')}, count(*), coalesce(sum(amount), 0),
          ${amountsOf('').join(', ')} from transactions`;
  return `${into} ${source} group by ${placesOf(key)} order by ${placesOf(key)}`;
}

const COLUMNS = `company_id, started_at, ${KIND.join(', ')}, ${VALUES.join(', ')}, payment_outcome, coalesce(amount, 0) as amount`;

/** Rows with their sign: 1 for those that a statement added, -1 for those that it took away. */
const CHANGED = {
  added: `select ${COLUMNS}, 1 as sign from new_rows`,
  deleted: `select ${COLUMNS}, -1 as sign from old_rows`,
  updated: `select ${COLUMNS}, -1 as sign from old_rows union all select ${COLUMNS}, 1 from new_rows`,
} as const;

/**
 * One upsert for all rows of a statement, in the order of the keys. `div` rounds toward zero, also before 1970. Totals
 * that stay the same are not written.
 */
function upsert({ table, span, key }: Rollup, rows: string, timesSign: '' | ' * sign'): string {
  const sums = [`sum(sign)`, `sum(amount${timesSign})`, ...amountsOf(timesSign)];
  const source = `select company_id, ${valuesOf(span, key)}, ${sums.join(', ')} from (${rows}) as changed
    group by ${placesOf(key)} having ${sums.map((sum) => `${sum} <> 0`).join(' or ')} order by ${placesOf(key)}`;
  return `${addition(table, key)} ${source} ${addingUp(key)};`;
}

/** The same for a single new row, which needs no sorting and grouping: most of what an upsert of one row takes. */
function upsertOne({ table, span, key }: Rollup): string {
  const amounts = OUTCOMES.map(
    (o) => `case when payment_outcome = '${o}' then coalesce(amount, 0) else 0 end`,
  );
  return `${addition(table, key)} select company_id, ${valuesOf(span, key)}, 1, coalesce(amount, 0),
    ${amounts.join(', ')} from new_rows ${addingUp(key)};`;
}

const addition = (table: string, key: readonly string[]): string =>
  `insert into ${table} as stored (company_id, ${key.join(', ')}, ${SUMS.join(', ')})`;

const addingUp = (key: readonly string[]): string =>
  `on conflict (company_id, ${key.join(', ')})
    do update set ${SUMS.map((name) => `${name} = stored.${name} + excluded.${name}`).join(', ')}`;

function totalling(change: keyof typeof CHANGED): string {
  const rollups = [...KEPT, ...ADDED];
  const upserts = rollups.map((rollup) =>
    upsert(rollup, CHANGED[change], change === 'added' ? '' : ' * sign'),
  );
  const body =
    change === 'added'
      ? `if (select count(*) from (select from new_rows limit 2) as few) = 1 then
          ${rollups.map(upsertOne).join('\n')}
        else
          ${upserts.join('\n')}
        end if;`
      : upserts.join('\n');
  return `create or replace function total_${change}_transactions() returns trigger language plpgsql
    set search_path from current as $$
    begin
      ${body}
      return null;
    end $$`;
}

/** Those of before: they were away while all rows were updated. */
const TRIGGERS: readonly string[] = [
  `create trigger transactions_summed_in after insert on transactions referencing new table as new_rows
    for each statement execute function total_added_transactions()`,
  `create trigger transactions_summed_out after delete on transactions referencing old table as old_rows
    for each statement execute function total_deleted_transactions()`,
  `create trigger transactions_summed_moved after update on transactions
    referencing old table as old_rows new table as new_rows
    for each statement execute function total_updated_transactions()`,
];
