import { UNIT_PARTS } from '../../../platform/clock.js';
import { sql, type Kysely } from 'kysely';

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
import { TEXT } from '../schema/builders.js';
import { companyPolicies } from '../schema/policies.js';
import { SYSTEM_ROLE } from '../schema/roles.js';

const KIND = ['status', 'transaction_type', 'app_name'];
const INTEGERS = ['day', 'hour', 'installments', 'group_id', 'month', 'company_id'];
/**
 * Columns of a kind of payment, and the number of kinds in a month that are summed up by name; others are
 * `other`.
 */
const NAMES = ['payment_type', 'brand', 'acquirer'];
const MAX_KINDS = 300;
const VALUES = ['payment_status', ...NAMES, 'installments', 'group_id'];

/** With free space in each page, updates of totals need no new index entries. */
const OFTEN_UPDATED = 'with (fillfactor = 70)';

/**
 * Counterpart of the SQLite migration 0022. Locks the transactions until it has ended. Indexes are created
 * after the update of all rows, which would write each of them anew.
 */
export async function addPaymentFigures<T>(db: Kysely<T>): Promise<void> {
  const tables = [...ROLLUPS.map(({ table }) => table), 'transaction_payment_kinds'];
  const statements = [
    'lock table transactions in access exclusive mode',
    ...['summed_in', 'summed_out', 'summed_moved'].map(
      (name) => `drop trigger transactions_${name} on transactions`,
    ),
    ...INDEXES.map(([name]) => `drop index transactions_${name}`),
    `alter table transactions ${VALUES.map((name) => `add column ${name} ${typeOf(name)} not null default ${NONE[name] ?? "''"}`).join(', ')}`,
    keyed('transaction_payment_kinds', ['month', ...NAMES], []),
    ...ROLLUPS.flatMap((rollup) => [
      `drop table if exists ${rollup.table}`,
      keyed(rollup.table, keyOf(rollup), columnsOf(rollup.unit)),
    ]),
    ...tables.flatMap(companyPolicies),
    // Row-level security hides all rows from the owner of the tables.
    `set local role ${SYSTEM_ROLE}`,
    FILLED,
    KINDS,
    OTHERS,
    ...ROLLUPS.map(summed),
    'reset role',
    ...INDEXES.map(([, definition]) => definition),
    ...(['added', 'deleted', 'updated'] as const).map(totalling),
    ...TRIGGERS,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Defaults, for transactions that are no payments; those of other columns are empty texts. */
const NONE: Readonly<Record<string, string>> = { installments: '-1', group_id: '0' };

function typeOf(name: string): string {
  return INTEGERS.includes(name) ? 'bigint' : TEXT;
}

const NEWEST_FIRST = 'started_at desc, id desc';
const PAYMENT = 'amount, payment_outcome';

/**
 * Names and definitions of the indexes: those that existed before; the first one now has all columns that
 * summaries read.
 */
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
  const columns = [
    ...['company_id', ...key].map((name) => `${name} ${typeOf(name)} not null`),
    ...sums.map((name) => `${name} bigint not null`),
  ];
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

/** Stores the most frequent kinds of each month. */
const KINDS = `insert into transaction_payment_kinds (company_id, month, ${NAMES.join(', ')})
  select company_id, month, ${NAMES.join(', ')} from (
    select *, row_number() over (partition by company_id, month order by total desc, ${NAMES.join(', ')}) as place
    from (select company_id, ${MONTH} as month, ${NAMES.join(', ')}, count(*) as total from transactions
      where payment_status <> '' group by 1, 2, 3, 4, 5) as counted) as placed
  where place <= ${MAX_KINDS}`;

/** Renames all other kinds. Only companies with `MAX_KINDS` kinds in a month can have some. */
const OTHERS = `update transactions as t set ${NAMES.map((name) => `${name} = 'other'`).join(', ')}
  where payment_status <> '' and company_id in (select company_id from transaction_payment_kinds
      group by company_id, month having count(*) >= ${MAX_KINDS})
    and not exists (select from transaction_payment_kinds as k where k.company_id = t.company_id
      and k.month = ${MONTH} and ${NAMES.map((name) => `k.${name} = t.${name}`).join(' and ')})`;

const placesOf = (key: readonly string[]): string => ['company_id', ...key].map((_, n) => n + 1).join(', ');

/** `div` rounds toward zero, also before 1970. */
const unitAt = (unit: Rollup['unit']): string =>
  `div(extract(epoch from started_at), ${UNIT_MS[unit] / 1000})`;
const elapsedIn = (unit: Rollup['unit']): string =>
  `mod(extract(epoch from started_at) * 1000, ${UNIT_MS[unit]})`;

function summed(rollup: Rollup): string {
  const { unit } = rollup;
  const key = keyOf(rollup);
  const values = key.map((name) => (name === unit ? unitAt(unit) : name)).join(', ');
  return `${addition(rollup)} select company_id, ${values}, ${countedSums(unit, elapsedIn(unit)).join(', ')}
    from transactions group by ${placesOf(key)} order by ${placesOf(key)}`;
}

const UNITS = ['day', 'hour'] as const;
/** SQL columns for the day and the hour of a transaction, and for the parts of them that its time is in. */
const TIMES = UNITS.flatMap((unit) => [
  `${unitAt(unit)} as ${unit}`,
  ...UNIT_PARTS[unit].map(({ name, from }) => `${elapsedIn(unit)} >= ${from} as ${name}`),
]);
const COLUMNS = `company_id, ${TIMES.join(', ')}, ${KIND.join(', ')}, ${VALUES.join(', ')}, payment_outcome, coalesce(amount, 0) as amount`;

/** Rows with a sign: 1 for rows that a statement added, -1 for rows that it removed. */
const CHANGED = {
  added: `select ${COLUMNS}, 1 as sign from new_rows`,
  deleted: `select ${COLUMNS}, -1 as sign from old_rows`,
  updated: `select ${COLUMNS}, -1 as sign from old_rows union all select ${COLUMNS}, 1 from new_rows`,
} as const;

/** The conditions of a sum as SQL over `CHANGED`. */
function conditionsOf({ of, from }: RollupSum, unit: Rollup['unit']): readonly string[] {
  const part = UNIT_PARTS[unit].find((each) => each.from === from);
  return [
    ...(of === 'total' || of === 'amount' ? [] : [`payment_outcome = '${of}'`]),
    ...(part === undefined ? [] : [part.name]),
  ];
}

/**
 * One upsert for all rows of a statement, in the order of the keys. Totals that do not change are not
 * written. `offset 0` makes PostgreSQL compute the times of each row once.
 */
function upsert(rollup: Rollup, rows: string, timesSign: '' | ' * sign'): string {
  const key = keyOf(rollup);
  const sums = sumsOf(rollup.unit).map((sum) => {
    const conditions = conditionsOf(sum, rollup.unit).join(' and ');
    const value = sum.of === 'total' ? 'sign' : `amount${timesSign}`;
    return conditions === '' ? `sum(${value})` : `coalesce(sum(${value}) filter (where ${conditions}), 0)`;
  });
  const source = `select company_id, ${key.join(', ')}, ${sums.join(', ')} from (${rows} offset 0) as changed
    group by ${placesOf(key)} having ${sums.map((sum) => `${sum} <> 0`).join(' or ')} order by ${placesOf(key)}`;
  return `${addition(rollup)} ${source} ${addingUp(rollup)};`;
}

/**
 * An upsert for a single new row. It needs no sorting and grouping, which take most of the time of `upsert`
 * for one row.
 */
function upsertOne(rollup: Rollup): string {
  const sums = sumsOf(rollup.unit).map((sum) => {
    const conditions = conditionsOf(sum, rollup.unit).join(' and ');
    const value = sum.of === 'total' ? '1' : 'amount';
    return conditions === '' ? value : `case when ${conditions} then ${value} else 0 end`;
  });
  return `${addition(rollup)} select company_id, ${keyOf(rollup).join(', ')}, ${sums.join(', ')}
    from (${CHANGED.added}) as changed ${addingUp(rollup)};`;
}

const addition = (rollup: Rollup): string =>
  `insert into ${rollup.table} as stored (company_id, ${keyOf(rollup).join(', ')}, ${columnsOf(rollup.unit).join(', ')})`;

const addingUp = (rollup: Rollup): string =>
  `on conflict (company_id, ${keyOf(rollup).join(', ')})
    do update set ${columnsOf(rollup.unit)
      .map((name) => `${name} = stored.${name} + excluded.${name}`)
      .join(', ')}`;

function totalling(change: keyof typeof CHANGED): string {
  const upserts = ROLLUPS.map((rollup) =>
    upsert(rollup, CHANGED[change], change === 'added' ? '' : ' * sign'),
  );
  const body =
    change === 'added'
      ? `if (select count(*) from (select from new_rows limit 2) as few) = 1 then
          ${ROLLUPS.map(upsertOne).join('\n')}
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

/** The triggers that existed before; they were dropped while all rows were updated. */
const TRIGGERS: readonly string[] = [
  `create trigger transactions_summed_in after insert on transactions referencing new table as new_rows
    for each statement execute function total_added_transactions()`,
  `create trigger transactions_summed_out after delete on transactions referencing old table as old_rows
    for each statement execute function total_deleted_transactions()`,
  `create trigger transactions_summed_moved after update on transactions
    referencing old table as old_rows new table as new_rows
    for each statement execute function total_updated_transactions()`,
];
