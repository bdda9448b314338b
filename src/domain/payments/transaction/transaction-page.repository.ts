import { sql, type RawBuilder } from 'kysely';

import {
  conjuncts,
  exactComparisons,
  valueDemanded,
  type Condition,
} from '../../../database/list/condition.js';
import { boundCompany } from '../../../database/list/listing.js';
import { runCached, runFiltered } from '../../../database/statements.js';
import { firstPage, instant, laterPage, hiddenFromPlanner } from '../../../database/storage.js';
import { MANY_ROWS, type ReadWork, specialSql } from '../../../database/work.js';
import type { Row } from '../../../schema/schema.js';
import { isAlways, type PagePlace, type TimeRange } from './transaction-period.model.js';
import type { Transaction, TransactionStatus } from './transaction.model.js';
import { meeting, SHOWN_COLUMNS, transactionOf } from './transaction.repository.js';

const SHOWN = sql.join(SHOWN_COLUMNS.map((name) => sql.ref(`t.${name}`)));
const NEWEST_FIRST = sql`t.started_at desc, t.id desc`;

const instantsOf = ({ from, to }: TimeRange): readonly [from: Date, to: Date] => [
  instant.toColumn(new Date(from)),
  instant.toColumn(new Date(to)),
];

/** Condition on `t`. Every column that it compares is part of the index for the query. */
function matching(companyId: number, where: Condition, range: TimeRange): RawBuilder<unknown> {
  const [from, to] = instantsOf(range);
  return sql`t.company_id = ${boundCompany(companyId, where)}
    and t.started_at >= ${hiddenFromPlanner(from)} and t.started_at < ${hiddenFromPlanner(to)} and ${meeting(where, isAlways(range))}`;
}

/** Counts index entries one by one. */
export async function countTransactions(
  work: ReadWork,
  where: Condition,
  within: TimeRange,
): Promise<number> {
  const { db, companyId } = specialSql(work);
  const filtered = { name: 'transactions', where, before: [companyId, ...instantsOf(within)], after: [] };
  const counted = await runFiltered<{ total: number }>(
    db,
    filtered,
    () => sql`select count(*) as total from transactions as t where ${matching(companyId, where, within)}`,
  );
  return counted[0]?.total ?? 0;
}

/**
 * Whether a period has more than `MANY_ROWS` transactions of a serial number or logical number. Examines no
 * more index entries.
 */
export async function hasMany(
  work: ReadWork,
  period: TimeRange,
  column: 'serial_number' | 'logical_number',
  value: string,
): Promise<boolean> {
  const { db, companyId } = specialSql(work);
  const [from, to] = instantsOf(period);
  const parameters = [companyId, value, from, to, MANY_ROWS];
  const rows = await runCached(db, `many transactions of a ${column}`, parameters, () => {
    const [company, own, first, end, skip] = parameters.map(hiddenFromPlanner);
    return sql`select 1 as one from transactions as t where t.company_id = ${company} and ${sql.ref(column)} = ${own}
      and t.started_at >= ${first} and t.started_at < ${end} limit 1 offset ${skip}`;
  });
  return rows.length > 0;
}

/** One page of transactions, newest first. Other rows are skipped in an index and not read. */
export async function selectTransactions(
  work: ReadWork,
  given: Condition,
  place: PagePlace,
): Promise<Transaction[]> {
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
    return skip === 0 ? firstPage(page) : laterPage(page, skip);
  });
  return rows.map(transactionOf);
}

const FAILED: TransactionStatus = 'fail';
const OF_FAILED: ReadonlySet<string> = new Set(['status', 'transactionType']);

/**
 * Condition besides the status, if the filter selects failed transactions by columns of SQLite's index of
 * them; otherwise undefined. SQLite uses this index only if the status is part of the SQL text.
 */
function demandedOfFailed(where: Condition): Condition | undefined {
  const isOfIndex = exactComparisons(where)?.every(({ field }) => OF_FAILED.has(field)) === true;
  if (!isOfIndex || valueDemanded(where, 'status') !== FAILED) return undefined;
  return { and: conjuncts(where).filter((part) => 'field' in part && part.field !== 'status') };
}
