import { MANY_ROWS, mostRows, UNLIMITED } from '../../../database/company/company-rows.js';
import { getFrom } from '../../../database/company/records.js';
import { countOf } from '../../../database/counters.js';
import * as conditions from '../../../database/list/condition.js';
import { List } from '../../../database/list/list.js';
import type { Search } from '../../../database/list/request-class.js';
import type { ReadWork } from '../../../database/work.js';
import { DAY, MINUTE } from '../../../platform/clock.js';
import { DomainError } from '../../../platform/errors.js';
import { offsetOf, type PageRequest } from '../../../platform/requests.js';
import { isAlways, periodOf, type TimeRange, type TotalSpan } from '../../../platform/timestamps.js';
import { parse } from '../../../platform/validate.js';
import * as store from './transaction-totals.repository.js';
import * as model from './transaction.model.js';
import { transactionList } from './transaction.repository.js';

export { transactionRetention } from './transaction-retention.repository.js';
export {
  recordedTimes,
  transactionNewRows,
  transactionsOfDevice,
  transactionsOfLogicalNumber,
} from './transaction.repository.js';

export async function getTransaction(work: ReadWork, id: number): Promise<model.Transaction> {
  return await getFrom(transactionList, work, id, 'transaction');
}

/**
 * Newest first; null for a search that the unit may not make. Errors: `malformed` for a filter that no transaction could
 * match (contract 27).
 */
export async function listTransactions(work: ReadWork, input: unknown, request: PageRequest) {
  const narrowed = narrowedBy(readFilter(input));
  const isNear = isInOrder(narrowed.where) && offsetOf(request) < NEAR_OFFSET;
  if (!(isNear && isKeptTotal(narrowed)) && (await countsMany(work, narrowed))) return null;
  const { total, place } = await placePage(work, narrowed, request, isNear);
  if (total === Infinity) return null;
  if (place === undefined) return { records: [], total, request };
  if (await passesMany(work, narrowed.where, place)) return null;
  const records = await store.selectTransactions(work, narrowed.where, place);
  return { records, total, request };
}

function narrowedBy({ since, until, ...exact }: model.TransactionFilter): Narrowed {
  const given = Object.entries(exact).filter(([, value]) => value !== undefined);
  return {
    period: periodOf(since?.from, until?.to),
    where: { and: given.map(([field, value]) => ({ field, operator: 'eq', value })) },
  };
}

function readFilter(input: unknown): model.TransactionFilter {
  try {
    return parse(model.TransactionFilter, input);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new DomainError('malformed', 'Some filters are not valid.', error.details);
  }
}

/** Maximum offset for which skipping index entries is faster than finding the page in totals. */
const NEAR_OFFSET = 300;

/** Number of matching transactions, Infinity for a search, and location of the page: undefined for one without rows. */
async function placePage(work: ReadWork, narrowed: Narrowed, request: PageRequest, isNear: boolean) {
  const { period, where } = narrowed;
  const [offset, limit] = [offsetOf(request), request.perPage];
  if (isNear || totalsTableFor(where) === undefined) {
    const total = await totalOf(work, narrowed, mostRows(work));
    return { total, place: model.placeOfPage([{ ...period, total }], offset, limit) };
  }
  const days = await store.countSpans(work, totalsFor(narrowed), mostRows(work));
  if (days === null) return { total: Infinity };
  const place = model.placeOfPage(days, offset, limit);
  const total = days.reduce((sum, day) => sum + day.total, 0);
  return { total, place: place && (await withinHalfHours(work, where, place)) };
}

/** Longest time range in which a page is looked for by half hours: these have at most 4,320 rows of totals. */
const LONGEST_NARROWED = 10 * DAY;

/** Narrows a page to its half hours, if many index entries of the day would have to be skipped otherwise. */
async function withinHalfHours(work: ReadWork, where: Narrowed['where'], place: model.PagePlace) {
  const passesOthers = !isInOrder(where) && !conditions.fieldsIn(where).includes('appName');
  if (place.skip < NEAR_OFFSET && !passesOthers) return place;
  const length = place.to - place.from;
  if (length <= model.HALF_HOUR || length > LONGEST_NARROWED) return place;
  const totals = totalsFor({ period: place, where }, model.HALF_HOURS);
  const halfHours = await store.countSpans(work, totals, mostRows(work));
  return model.placeOfPage(halfHours ?? [], place.skip, place.limit) ?? place;
}

/** Fields with an index ordered by time: a filter by one of them examines only rows of the page. */
const INDEXED: readonly string[] = ['serialNumber', 'logicalNumber', 'appName', 'status'];

/** True if an index has the rows that meet a condition, and no others, in the order of time. */
function isInOrder(where: conditions.Condition): boolean {
  const [field, ...others] = conditions.fieldsIn(where);
  return field === undefined || (others.length === 0 && INDEXED.includes(field));
}

/** True if the total of a filter counts more transactions than the unit may examine, besides rows of totals. */
async function countsMany(work: ReadWork, { period, where }: Narrowed): Promise<boolean> {
  if (work.examines === true) return false;
  const number = comparisonOf(where, ['serialNumber', 'logicalNumber']);
  if (number !== undefined) {
    const own = { and: [number] };
    return (await store.countTransactions(work, own, period, MANY_ROWS + 1)) > MANY_ROWS;
  }
  const counted = model
    .splitPeriod(period)
    .filter(({ of }) => of === 'instant')
    .map((part) => model.halfHoursAround(part));
  return counted.length > 0 && (await store.sumParts(work, ofHalfHours(counted))) > MANY_ROWS;
}

/** True if a page is behind more transactions than the unit may examine. */
async function passesMany(work: ReadWork, where: Narrowed['where'], place: model.PagePlace) {
  if (work.examines === true) return false;
  if (place.skip > MANY_ROWS) return true;
  // The rows of a serial number or logical number are few: otherwise `countsMany` would have said so.
  if (isInOrder(where) || totalsTableFor(where) === undefined) return false;
  const indexed = comparisonOf(where, ['appName', 'status']);
  const and = indexed === undefined ? [] : [indexed];
  const around = { period: model.halfHoursAround(place), where: { and } };
  return (await totalOf(work, around, MANY_ROWS)) > MANY_ROWS;
}

/** The comparison of the first of these fields that a filter has. */
function comparisonOf({ and }: Narrowed['where'], fields: readonly string[]) {
  const partOf = (field: string) => and.filter((part) => 'field' in part && part.field === field);
  return fields.flatMap(partOf)[0];
}

/** A filter, split into a time range and other conditions. */
export interface Narrowed {
  readonly period: TimeRange;
  readonly where: conditions.Condition & { readonly and: readonly conditions.Condition[] };
}

/** The meaning of a condition at the time of a unit of work. */
export const meaningOf = (work: ReadWork, where: conditions.Condition | null): conditions.Condition | null =>
  conditions.meant(transactionList.listing.filters, where, work);

export function narrowedTo(condition: conditions.Condition | null): Narrowed {
  const { from, to, rest } = conditions.splitInterval(condition ?? { and: [] }, 'startedAt');
  return { period: periodOf(from, to), where: { and: rest } };
}

const isKeptTotal = ({ period, where }: Narrowed): boolean => isAlways(period) && where.and.length === 0;

/** Table of totals for a condition and the fields to group by; undefined if no table has all fields. */
export const totalsTableFor = (
  where: conditions.Condition,
  by: readonly string[] = [],
): store.TotalsTable | undefined => store.tableWith([...conditions.fieldsIn(where), ...by]);

function totalsFor({ period, where }: Narrowed, spans?: readonly TotalSpan[]): store.Totals {
  const table = totalsTableFor(where);
  if (table === undefined) throw new Error(`No table has totals by ${conditions.fieldsIn(where).join()}`);
  return { table, where, parts: model.splitPeriod(period, spans) };
}

/** Number of matching transactions: from up to `most` rows of totals if possible, otherwise counted. One statement. */
async function totalOf(work: ReadWork, narrowed: Narrowed, most = UNLIMITED): Promise<number> {
  const { period, where } = narrowed;
  if (isKeptTotal(narrowed)) return await countOf(work, 'transactions');
  if (totalsTableFor(where) === undefined) return await store.countTransactions(work, where, period);
  return await store.sumParts(work, totalsFor(narrowed), most);
}

const ROWS_PER_SPAN = model.TRANSACTION_STATUSES.length * model.TRANSACTION_TYPES.length;

/** Rows of totals of all applications, or of one, that parts have at most: one for each status and type of a span. */
function mostRowsOf(parts: readonly model.PeriodPart[]): number {
  return parts.reduce(
    (sum, { of, from, to }) => sum + (of === 'instant' ? 0 : ((to - from) / (of * MINUTE)) * ROWS_PER_SPAN),
    0,
  );
}

export const ofHalfHours = (ranges: readonly TimeRange[]): store.Totals => ({
  table: 'transaction_totals',
  where: { and: [] },
  parts: ranges.map((range) => ({ of: 30, ...range })),
});

/** Search of totals grouped by `by`, which a table has: few rows if the number of spans bounds them. */
export function searchOfTotals(
  { period, where }: Narrowed,
  spans?: readonly TotalSpan[],
  by: readonly string[] = [],
): Search {
  const table = totalsTableFor(where, by);
  const isBounded =
    table === 'transaction_totals' ||
    (table === 'transaction_app_totals' && conditions.valueDemanded(where, 'appName') !== undefined);
  const parts = model.splitPeriod(period, spans);
  const rows = mostRowsOf(parts);
  const isSearch = !isBounded || rows > MANY_ROWS || parts.some(({ of }) => of === 'instant');
  return { rows: isSearch ? 'transactions' : rows };
}

/** List of the company's transactions, counted from totals if possible. */
class TransactionList extends List<model.Transaction> {
  override async count(work: ReadWork, condition: conditions.Condition | null): Promise<number> {
    return await totalOf(work, narrowedTo(meaningOf(work, condition)));
  }

  override searchOfCount(condition: conditions.Condition | null): Search | null {
    const narrowed = narrowedTo(condition);
    return condition !== null && totalsTableFor(narrowed.where) !== undefined
      ? searchOfTotals(narrowed)
      : super.searchOfCount(condition);
  }
}

export const transactions = new TransactionList(transactionList.listing);
