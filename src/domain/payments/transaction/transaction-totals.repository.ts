import { sql } from 'kysely';

import { UNLIMITED, specialSql } from '../../../database/company/company-rows.js';
import * as conditions from '../../../database/list/condition.js';
import { boundCompany } from '../../../database/list/listing.js';
import { pageOf } from '../../../database/list/page.js';
import { runCached, runFiltered } from '../../../database/statements.js';
import { inList, hiddenFromPlanner, type Sql } from '../../../database/storage.js';
import type { ReadWork } from '../../../database/work.js';
import { DAY, MINUTE } from '../../../platform/clock.js';
import { isAlways, type TimeRange } from '../../../platform/timestamps.js';
import { ROLLUPS, type rollups } from '../../../schema/rollups.js';
import type { Row } from '../../../schema/schema.js';
import {
  columnOf,
  halfHoursAround,
  type CountedTimeRange,
  type PeriodPart,
  type PagePlace,
  type TransactionStatus,
} from './transaction.model.js';
import { meeting, SHOWN_COLUMNS, transactionOf } from './transaction.repository.js';

export type TotalsTable = keyof typeof rollups;
const TABLES = ROLLUPS.toSorted((one, other) => one.kind.length - other.kind.length);

/** The table of totals with the fewest rows that has all fields; undefined if none has. */
export function tableWith(fields: readonly string[]): TotalsTable | undefined {
  const columns = fields.map(columnOf);
  return TABLES.find(({ kind }) => columns.every((column) => kind.includes(column)))?.name as
    | TotalsTable
    | undefined;
}

/** Parts of a period, and the table with the totals of their spans and all fields of `where`. Instants are counted. */
export interface Totals {
  readonly table: TotalsTable;
  readonly parts: readonly PeriodPart[];
  readonly where: conditions.Condition;
}

/** Number of matching transactions; Infinity if that takes more than `most` rows of totals. One statement. */
export async function sumParts(work: ReadWork, totals: Totals, most = UNLIMITED): Promise<number> {
  const rows = await readParts<{ total: number }>(work, 'sums', { ...totals, most }, (part, from) =>
    part.of === 'instant'
      ? sql`select 0 as rows, count(*) as total ${from}`
      : sql`select count(*) as rows, coalesce(sum(total), 0) as total ${from}`,
  );
  return rows?.reduce((sum, { total }) => sum + total, 0) ?? Infinity;
}

/**
 * Spans with matching transactions, and parts of half hours; newest first. One statement, with one row for each part:
 * a row for each span would take twice as long. Null if that takes more than `most` rows of totals.
 */
export async function countSpans(
  work: ReadWork,
  totals: Totals,
  most: number,
): Promise<readonly CountedTimeRange[] | null> {
  const { parts } = totals;
  const rows = await readParts<{ part: number; spans: string | null }>(
    work,
    'numbers',
    { ...totals, most },
    (part, from) => {
      const index = sql.lit(parts.indexOf(part));
      return part.of === 'instant'
        ? sql`select ${index} as part, 0 as rows, '0,' || count(*) as spans ${from}`
        : sql`select ${index} as part, count(*) as rows, string_agg(start || ',' || total, ',') as spans ${from}`;
    },
  );
  if (rows === null) return null;
  const ranges = rows.flatMap(({ part, spans }) => {
    const given = parts[part];
    return given === undefined || spans === null ? [] : rangesOf(given, spans);
  });
  return ranges.filter(({ total }) => total > 0).sort((one, other) => other.from - one.from);
}

/** Ranges of a part by the starts and totals of its spans, such as `29500000,12,29500000,3,29501440,7`. */
function rangesOf({ of, from, to }: PeriodPart, spans: string): readonly CountedTimeRange[] {
  const numbers = JSON.parse(`[${spans}]`) as number[];
  const totals = new Map<number, number>();
  for (let at = 0; at < numbers.length; at += 2) {
    const [start = 0, total = 0] = [numbers[at], numbers[at + 1]];
    totals.set(start, (totals.get(start) ?? 0) + total);
  }
  return Array.from(totals, ([start, total]) =>
    of === 'instant' ? { from, to, total } : { from: start * MINUTE, to: (start + of) * MINUTE, total },
  );
}

/** Rows of totals that a part has, and what it asks for. */
type PartRow<R> = R & { readonly rows: number };

type FewTotals = Totals & { readonly most: number };

/** Rows of all parts; null for more than `most` rows of totals, which are not read. */
async function readParts<R>(
  work: ReadWork,
  name: string,
  totals: FewTotals,
  build: (part: PeriodPart, from: Sql) => Sql,
): Promise<readonly R[] | null> {
  const { table, where, parts, most } = totals;
  if (parts.length === 0) return [];
  const { db, companyId } = specialSql(work);
  const query = () =>
    sql<PartRow<R>>`${sql.join(
      parts.map((part) => build(part, rowsOf(work, totals, part))),
      sql` union all `,
    )}`;
  const exact = conditions.exactComparisons(where);
  const fields = exact?.map(({ field }) => field) ?? [];
  const values = exact?.map(({ value }) => conditions.toColumn(value)) ?? [];
  const parameters = parts.flatMap((part) => [companyId, ...boundsOf(part), ...values]);
  const shape = [`${name} of transactions`, table, ...parts.map(({ of }) => of), most, ...fields].join('|');
  const rows =
    exact === undefined
      ? (await query().execute(db)).rows
      : await runCached<PartRow<R>>(db, shape, parameters, query);
  return rows.reduce((sum, row) => sum + row.rows, 0) > most ? null : rows;
}

/** The FROM clause for the matching transactions of a part, or for the totals of its spans. */
function rowsOf(work: ReadWork, { table, where, most }: FewTotals, part: PeriodPart): Sql {
  const { companyId } = specialSql(work);
  const [from, to] = boundsOf(part);
  if (part.of === 'instant') {
    return sql`from transactions as t where t.company_id = ${companyId}
      and t.started_at >= ${from} and t.started_at < ${to} and ${meeting(where)}`;
  }
  return sql`from (select t.start, t.total from ${sql.table(table)} as t where t.company_id = ${companyId}
    and t.span = ${sql.lit(part.of)} and t.start >= ${from} and t.start < ${to} and ${meeting(where)}
    limit ${sql.lit(most + 1)}) as found`;
}

function boundsOf({ of, from, to }: PeriodPart): readonly [unknown, unknown] {
  return of === 'instant' ? instantsOf({ from, to }) : [from / MINUTE, to / MINUTE];
}

const halfHoursOf = (companyId: number): Sql =>
  sql`from transaction_totals where company_id = ${companyId} and span = 30`;

/** The parts of a period with transactions, by whole days of UTC, ascending. One statement. */
export async function recordedDays(work: ReadWork, period: TimeRange): Promise<readonly TimeRange[]> {
  const { db, companyId } = specialSql(work);
  const [from, to] = [period.from - DAY + 1, period.to].map((at) => Math.ceil(at / MINUTE));
  const { rows } = await sql<{ start: number }>`select distinct start from transaction_totals
    where company_id = ${companyId} and span = 1440 and start >= ${from} and start < ${to} and total > 0
    order by start`.execute(db);
  const runs: { from: number; to: number }[] = [];
  for (const day of rows.map(({ start }) => start * MINUTE)) {
    const last = runs.at(-1);
    if (last?.to === day) last.to = Math.min(day + DAY, period.to);
    else runs.push({ from: Math.max(day, period.from), to: Math.min(day + DAY, period.to) });
  }
  return runs;
}

/** Number of transactions in the half hours in which these ranges begin. */
export async function countInHalfHours(work: ReadWork, ranges: readonly TimeRange[]): Promise<number> {
  const { db, companyId } = specialSql(work);
  const starts = new Set(ranges.map((range) => halfHoursAround(range).from / MINUTE));
  const { rows } = await sql<{ sum: number }>`select coalesce(sum(total), 0) as sum ${halfHoursOf(companyId)}
    and start ${inList('integer', [...starts])}`.execute(db);
  return rows[0]?.sum ?? 0;
}

const SHOWN = sql.join(SHOWN_COLUMNS.map((name) => sql.ref(`t.${name}`)));
const NEWEST_FIRST = sql`t.started_at desc, t.id desc`;

const instantsOf = ({ from, to }: TimeRange) => [new Date(from), new Date(to)] as const;

/** Condition on `t`. Every column that it compares is part of the index for the query. */
function matching(companyId: number, where: conditions.Condition, range: TimeRange): Sql {
  const [from, to] = instantsOf(range);
  return sql`t.company_id = ${boundCompany(companyId, where)}
    and t.started_at >= ${hiddenFromPlanner(from)} and t.started_at < ${hiddenFromPlanner(to)} and ${meeting(where, isAlways(range))}`;
}

/** Number of matching transactions, up to `most`; no more are read. */
export async function countTransactions(
  work: ReadWork,
  where: conditions.Condition,
  within: TimeRange,
  most = UNLIMITED,
): Promise<number> {
  const { db, companyId } = specialSql(work);
  const filtered = { name: 'transactions', where, before: [companyId, ...instantsOf(within)], after: [most] };
  const counted = await runFiltered<{ total: number }>(
    db,
    filtered,
    () => sql`select count(*) as total from (select 1 from transactions as t
      where ${matching(companyId, where, within)} limit ${most}) as found`,
  );
  return counted[0]?.total ?? 0;
}

export async function selectTransactions(work: ReadWork, given: conditions.Condition, place: PagePlace) {
  const { db, companyId } = specialSql(work);
  const { limit, skip } = place;
  const ofFailed = demandedOfFailed(given);
  const where = ofFailed ?? given;
  const filtered = {
    name: `${skip === 0 ? 'first' : 'later'} ${ofFailed === undefined ? '' : 'failed '}transactions`,
    where,
    before: [companyId, ...instantsOf(place)],
    after: skip === 0 ? [limit] : [limit, skip],
  };
  const rows = await runFiltered<Row<'transactions'>>(db, filtered, () => {
    const found = matching(companyId, where, place);
    const page = {
      columns: SHOWN,
      table: sql.table('transactions'),
      where: ofFailed === undefined ? found : sql`${found} and t.status = ${sql.lit(FAILED)}`,
      order: NEWEST_FIRST,
      limit,
    };
    return pageOf(page, skip);
  });
  return rows.map(transactionOf);
}

const FAILED: TransactionStatus = 'fail';
const OF_FAILED: ReadonlySet<string> = new Set(['status', 'transactionType']);

/** Condition besides the status, if SQLite's index of failed transactions has all columns: it needs the status in the SQL text. */
function demandedOfFailed(where: conditions.Condition): conditions.Condition | undefined {
  const isOfIndex = conditions.exactComparisons(where)?.every(({ field }) => OF_FAILED.has(field)) === true;
  if (!isOfIndex || conditions.valueDemanded(where, 'status') !== FAILED) return undefined;
  return { and: conditions.conjuncts(where).filter((part) => 'field' in part && part.field !== 'status') };
}
