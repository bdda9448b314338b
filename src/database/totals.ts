import { sql, type RawBuilder } from 'kysely';

import { yieldToEventLoop } from '../platform/concurrency/event-loop.js';
import { ROLLUPS, wrongRows, type Rollup } from '../schema/rollups.js';
import { COUNTED, counterOf } from '../schema/schema.js';
import { inList } from './bound-lists.js';
import type { Database } from './database.js';
import { runCached } from './statements.js';
import { indexedBy } from './storage.js';
import type { ReadWork } from './work.js';

/** Counters that describe a database. */
export const RECORDS = [
  'groups',
  'logical_numbers',
  'devices',
  'apps',
  'files',
  'notifications',
  'transactions',
] as const satisfies readonly CounterName[];

/** Name of a counter; `users` counts memberships. */
export type CounterName = Exclude<(typeof COUNTED)[number], 'memberships'> | 'users';

/** Number of records of the caller's company, from a counter that triggers keep exact. */
export async function countOf(work: ReadWork, name: CounterName): Promise<number> {
  const { companyId } = work.caller;
  const rows = await runCached<{ total: number }>(
    work.db,
    'count',
    [companyId, name],
    () => sql`select total from counters where company_id = ${companyId} and name = ${name}`,
  );
  return rows[0]?.total ?? 0;
}

/** Counters of several tables, in one statement. */
export async function countsOf(
  work: ReadWork,
  names: readonly CounterName[],
): Promise<ReadonlyMap<CounterName, number>> {
  const { companyId } = work.caller;
  const rows = await runCached<{ name: CounterName; total: number }>(
    work.db,
    'counts',
    [companyId, JSON.stringify(names)],
    () => sql`select ${sql.ref('name')}, ${sql.ref('total')} from ${sql.table('counters')}
      where company_id = ${companyId} and ${sql.ref('name')} ${inList('text', names)}`,
  );
  const totals = new Map(rows.map(({ name, total }) => [name, total]));
  return new Map(names.map((name) => [name, totals.get(name) ?? 0]));
}

/** Sums of counters over all companies. Reads about 20 rows for each company, and no records. */
export async function fleetTotals(
  database: Pick<Database, 'snapshot'>,
  names: readonly CounterName[],
): Promise<ReadonlyMap<CounterName, number>> {
  const totals = new Map(names.map((name) => [name, 0]));
  const counters = sql`company_id, name as key, total from counters where`;
  for await (const { key, total } of rowsInParts(database, counters, { column: 'name', first: '' })) {
    const name = key as CounterName;
    const known = totals.get(name);
    if (known !== undefined) totals.set(name, known + total);
  }
  return totals;
}

/** Number of queued deliveries of all companies. Reads a row for each notification with waiting deliveries. */
export async function queuedDeliveries(database: Pick<Database, 'snapshot'>): Promise<number> {
  const waiting = sql`company_id, notification_id as key, queued as total
    from ${indexedBy('notification_totals', 't', 'notification_totals_waiting')} where queued + sent > 0 and`;
  let queued = 0;
  const rows = rowsInParts(database, waiting, { column: 'notification_id', first: 0 });
  for await (const { total } of rows) queued += total;
  return queued;
}

/** Rows that one statement reads; more would hold the event loop for too long. */
const ROWS = 2_000;

interface KeyedRow {
  readonly company_id: number;
  readonly key: string | number;
  readonly total: number;
}

/** Rows of all companies in the order of their keys: the company, and `column`, which is greater than `first`. */
async function* rowsInParts(
  database: Pick<Database, 'snapshot'>,
  selected: RawBuilder<unknown>,
  { column, first }: { readonly column: string; readonly first: string | number },
): AsyncIterable<KeyedRow> {
  let last: Pick<KeyedRow, 'company_id' | 'key'> | undefined = { company_id: -1, key: first };
  while (last !== undefined) {
    const { company_id: companyId, key } = last;
    const query: RawBuilder<KeyedRow> = sql`select ${selected} (company_id, ${sql.ref(column)}) > (${companyId}, ${key})
      order by company_id, ${sql.ref(column)} limit ${ROWS}`;
    const { rows } = await database.snapshot(null, (db) => query.execute(db));
    yield* rows;
    last = rows.length < ROWS ? undefined : rows.at(-1);
    if (last !== undefined) await yieldToEventLoop();
  }
}

/** SQL for both databases: numbers of companies, of users and of `RECORDS`, as `name` and `total`. */
export const TOTAL_ROWS = `select 'companies' as name, count(*) as total from companies
  union all select 'users', count(*) from users
  union all select name, sum(total) from counters
    where name in (${RECORDS.map((name) => `'${name}'`).join(', ')}) group by name`;

export interface TotalRow {
  readonly name: string;
  readonly total: number;
}

const OLDEST = {
  transactions: `select (select t.recorded_at from transactions as t
    where t.company_id = c.id order by t.id limit 1) as oldest from companies as c`,
  ledger: `select (select l.at from ledger as l
    where l.company_id = c.id order by l.sequence limit 1) as oldest from companies as c`,
  deliveries: `select (select min(d.finished_at) from notification_deliveries as d
    where d.company_id = c.id and d.state in ('delivered', 'failed', 'expired', 'cancelled')) as oldest
    from companies as c`,
};

/**
 * SQL for both databases: the time of the oldest row of each kind that retention deletes, over all companies,
 * as `kind` and `at`.
 */
export const OLDEST_ROWS = Object.entries(OLDEST)
  .map(([kind, query]) => `select '${kind}' as kind, (select min(oldest) from (${query}) as found) as at`)
  .join(' union all ');

export interface OldestRow {
  readonly kind: string;
  readonly at: number | null;
}

/** Maximum problems that one query of `totalChecks` returns. */
const MAX_PROBLEMS = 100;

/**
 * Queries for both databases that compare counters, sums and ledgers with the rows, and return a `problem` for
 * each difference. `minute` is SQL for the minute of a transaction since 1970, `timeOf` for the text of a time in
 * seconds since 1970.
 */
export function totalChecks(minute: string, timeOf: (seconds: string) => string): readonly string[] {
  const wrongSums = (rollup: Rollup): string =>
    `select 'company ' || company_id || ': the totals of ' || span || ' minutes from ' || ${timeOf('start * 60')}
        || ' are wrong in ${rollup.name}' as problem
      from (${wrongRows(rollup, minute)}) as found order by company_id, span desc, start`;
  const queries = [...COUNTED.map(wrongCounter), ...ROLLUPS.map(wrongSums), WRONG_SEQUENCES];
  return queries.map((query) => `${query} limit ${MAX_PROBLEMS}`);
}

function wrongCounter(table: (typeof COUNTED)[number]): string {
  const counter = counterOf(table);
  return `select 'company ' || c.id || ': its counter of ${counter} is ' || coalesce(k.total, 0) || ', but it has '
      || coalesce(r.total, 0) as problem
    from companies as c left join counters as k on k.company_id = c.id and k.name = '${counter}'
    left join (select company_id, count(*) as total from ${table} group by company_id) as r on r.company_id = c.id
    where coalesce(k.total, 0) <> coalesce(r.total, 0)`;
}

/** Ledgers whose sequences have gaps, or do not end with the last one drawn. */
const WRONG_SEQUENCES = `select 'company ' || c.company_id || ': its ledger has ' || coalesce(l.total, 0)
    || ' entries from ' || coalesce(l.first, 0) || ' to ' || coalesce(l.last, 0) || ', but ' || c.last_drawn
    || ' was given' as problem
  from counters as c left join (select coalesce(company_id, 0) as company_id, min(sequence) as first,
    max(sequence) as last, count(*) as total from ledger group by 1) as l on l.company_id = c.company_id
  where c.name = 'ledger' and (l.last is distinct from c.last_drawn or l.total <> l.last - l.first + 1)`;
