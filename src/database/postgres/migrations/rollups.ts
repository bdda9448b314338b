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
const SECONDS = { day: 86_400, hour: 3_600 } as const;
const OUTCOMES = ['approved', 'denied', 'cancelled'];
const SUMS = ['total', 'amount_total', ...OUTCOMES.map((outcome) => `${outcome}_amount`)];

/** With free space in each page, updates of totals need no new index entries. */
const OFTEN_UPDATED = 'with (fillfactor = 70)';

/**
 * Totals of transactions of all applications, and of one application in the order of its days. Others can read
 * transactions meanwhile; those that record wait until the tables are filled and the triggers keep them.
 */
export async function addTransactionRollups<T>(db: Kysely<T>): Promise<void> {
  const statements = [
    'lock table transactions in share row exclusive mode',
    ...ADDED.flatMap((rollup) => [creation(rollup), ...companyPolicies(rollup.table)]),
    // The owner of the tables sees no row.
    `set local role ${SYSTEM_ROLE}`,
    ...ADDED.map(filled),
    'reset role',
    ...(['added', 'deleted', 'updated'] as const).map(totalling),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

function creation({ table, key }: Rollup): string {
  const columns = ['company_id', ...key].map(
    (name) => `${name} ${name === 'company_id' || name in SECONDS ? 'bigint' : TEXT} not null`,
  );
  return `create table ${table} (${columns.join(', ')}, ${SUMS.map((name) => `${name} bigint not null`).join(', ')},
    constraint ${table}_pk primary key (company_id, ${key.join(', ')})) ${OFTEN_UPDATED}`;
}

/** From the table of before with the same span. */
function filled({ table, span, key }: Rollup): string {
  const columns = ['company_id', ...key].join(', ');
  return `insert into ${table} (${columns}, ${SUMS.join(', ')})
    select ${columns}, ${SUMS.map((name) => `sum(${name})`).join(', ')} from transaction_${span}s
    group by ${columns} having ${SUMS.map((name) => `sum(${name}) <> 0`).join(' or ')} order by ${columns}`;
}

const COLUMNS = `company_id, started_at, ${KIND.join(', ')}, payment_outcome, coalesce(amount, 0) as amount`;

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
  const amounts = OUTCOMES.map(
    (outcome) => `coalesce(sum(amount${timesSign}) filter (where payment_outcome = '${outcome}'), 0)`,
  );
  const sums = [`sum(sign)`, `sum(amount${timesSign})`, ...amounts];
  const values = key.map((name) =>
    name === span ? `div(extract(epoch from started_at), ${SECONDS[span]})` : name,
  );
  const places = ['company_id', ...key].map((_, index) => index + 1).join(', ');
  return `insert into ${table} as stored (company_id, ${key.join(', ')}, ${SUMS.join(', ')})
    select company_id, ${values.join(', ')}, ${sums.join(', ')}
    from (${rows}) as changed
    group by ${places} having ${sums.map((sum) => `${sum} <> 0`).join(' or ')} order by ${places}
    on conflict (company_id, ${key.join(', ')})
    do update set ${SUMS.map((name) => `${name} = stored.${name} + excluded.${name}`).join(', ')};`;
}

function totalling(change: keyof typeof CHANGED): string {
  const upserts = [...DETAILED, ...ADDED].map((rollup) =>
    upsert(rollup, CHANGED[change], change === 'added' ? '' : ' * sign'),
  );
  return `create or replace function total_${change}_transactions() returns trigger language plpgsql
    set search_path from current as $$
    begin
      ${upserts.join('\n')}
      return null;
    end $$`;
}
