import { sql } from 'kysely';

import { specialSql } from '../../database/company/special-sql.js';
import { exactComparisons, valueDemanded, type Condition } from '../../database/list/condition.js';
import { conjuncts } from '../../database/list/examining/bounds.js';
import { boundCompany } from '../../database/list/scope.js';
import { runFiltered } from '../../database/statements/cached-query.js';
import { comparedInstant, instant, steady } from '../../database/storage.js';
import type { ReadWork } from '../../database/work.js';
import { isAlways, type TimeRange } from './time-range.model.js';
import type { TransactionStatus } from './transaction.model.js';
import { meeting, SHOWN_COLUMNS, type TransactionRow } from './transaction.repository.js';

const SHOWN = SHOWN_COLUMNS.map((name) => `t.${name}` as const);

const instantsOf = ({ from, to }: TimeRange): readonly [from: Date, to: Date] => [
  instant.toColumn(new Date(from)),
  instant.toColumn(new Date(to)),
];

/** Every column that is compared here is part of the index that serves the query. */
function matching(work: ReadWork, where: Condition, range: TimeRange) {
  const { db, companyId } = specialSql(work);
  const [from, to] = instantsOf(range);
  return db
    .selectFrom('transactions as t')
    .where('t.company_id', '=', boundCompany(companyId, where))
    .where('t.started_at', '>=', comparedInstant(from))
    .where('t.started_at', '<', comparedInstant(to))
    .where(meeting(where, isAlways(range)));
}

/** Counts index entries one by one. */
export async function countTransactions(
  work: ReadWork,
  where: Condition,
  within: TimeRange,
): Promise<number> {
  const { db, companyId } = specialSql(work);
  const filtered = { name: 'transactions', where, before: [companyId, ...instantsOf(within)], after: [] };
  const counted = await runFiltered<{ total: number }>(db, filtered, () =>
    matching(work, where, within).select((column) => column.fn.countAll<number>().as('total')),
  );
  return counted[0]?.total ?? 0;
}

type Place = TimeRange & { readonly skip: number; readonly limit: number };

/** Newest first. Rows that are skipped are skipped in an index: only those of the page are read from the table. */
export async function selectTransactions(
  work: ReadWork,
  where: Condition,
  place: Place,
): Promise<TransactionRow[]> {
  const ofFailed = demandedOfFailed(where);
  if (ofFailed !== undefined) return await selectFailed(work, ofFailed, place);
  const { db, companyId } = specialSql(work);
  const { limit, skip } = place;
  const before = [companyId, ...instantsOf(place)];
  if (skip === 0) {
    const first = { name: 'first transactions', where, before, after: [limit] };
    return await runFiltered<TransactionRow>(db, first, () =>
      newest(matching(work, where, place))
        .select(SHOWN)
        .limit(steady(limit)),
    );
  }
  const later = { name: 'later transactions', where, before, after: [limit, skip, companyId] };
  return await runFiltered<TransactionRow>(db, later, () =>
    db
      .selectFrom(
        newest(matching(work, where, place))
          .select('t.id')
          .limit(steady(limit))
          .offset(steady(skip))
          .as('found'),
      )
      .innerJoin('transactions as t', (join) =>
        join.onRef('t.id', '=', 'found.id').on('t.company_id', '=', steady(companyId)),
      )
      .select(SHOWN)
      .orderBy('t.started_at', 'desc')
      .orderBy('t.id', 'desc'),
  );
}

const FAILED: TransactionStatus = 'fail';
const OF_FAILED: ReadonlySet<string> = new Set(['status', 'transactionType']);

/** What else is demanded of failed transactions, if an index has those with all that is shown; otherwise undefined. */
function demandedOfFailed(where: Condition): Condition | undefined {
  const isOfIndex = exactComparisons(where)?.every(({ field }) => OF_FAILED.has(field)) === true;
  if (!isOfIndex || valueDemanded(where, 'status') !== FAILED) return undefined;
  return { and: conjuncts(where).filter((part) => 'field' in part && part.field !== 'status') };
}

/** The index has rows of this status only, which SQLite sees only if the status is no bound value. */
async function selectFailed(work: ReadWork, where: Condition, place: Place): Promise<TransactionRow[]> {
  const { db, companyId } = specialSql(work);
  const { limit, skip } = place;
  const before = [companyId, ...instantsOf(place)];
  const failed = { name: 'failed transactions', where, before, after: [limit, skip] };
  return await runFiltered<TransactionRow>(db, failed, () =>
    newest(matching(work, where, place).where('t.status', '=', sql.lit(FAILED)))
      .select(SHOWN)
      .limit(steady(limit))
      .offset(steady(skip)),
  );
}

function newest(found: ReturnType<typeof matching>) {
  return found.orderBy('t.started_at', 'desc').orderBy('t.id', 'desc');
}
