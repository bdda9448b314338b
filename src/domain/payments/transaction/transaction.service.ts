import { getFrom } from '../../../database/company/records.js';
import { fieldsIn, valueDemanded, type Condition } from '../../../database/list/condition.js';
import { MANY_ROWS, type ReadWork } from '../../../database/work.js';
import { DAY, MINUTE } from '../../../platform/clock.js';
import { DomainError } from '../../../platform/errors.js';
import { offsetOf, type Page, type PageRequest } from '../../../platform/requests.js';
import { parse } from '../../../platform/validate.js';
import { hasMany, selectTransactions } from './transaction-page.repository.js';
import {
  HALF_HOURS,
  halfHoursAround,
  periodOf,
  placeOfPage,
  type PagePlace,
} from './transaction-period.model.js';
import {
  isKeptTotal,
  mostRowsOfTotal,
  spansWith,
  totalOf,
  totalsTableFor,
  type Narrowed,
} from './transaction-totals.service.js';
import { TransactionFilter, type Transaction } from './transaction.model.js';
import { transactionList } from './transaction.repository.js';

export { transactionRetention } from './transaction-retention.repository.js';

export async function getTransaction(work: ReadWork, id: number): Promise<Transaction> {
  return await getFrom(transactionList, work, id, 'transaction');
}

/** Newest first. Errors: `malformed` for a filter that no transaction could match (contract 27). */
export async function listTransactions(
  work: ReadWork,
  input: unknown,
  request: PageRequest,
): Promise<Page<Transaction>> {
  const narrowed = narrowedBy(readFilter(input));
  const { total, place } = await placePage(work, narrowed, offsetOf(request), request.perPage);
  if (place === undefined) return { records: [], total, request };
  if (await examinesMany(work, narrowed.where, place)) work.moveToThread?.();
  const records = await selectTransactions(work, narrowed.where, place);
  return { records, total, request };
}

/** Narrows transactions to the time from the beginning of `since` to the end of `until`. */
function narrowedBy({ since, until, ...exact }: TransactionFilter): Narrowed {
  const given = Object.entries(exact).filter(([, value]) => value !== undefined);
  return {
    period: periodOf(since?.from, until?.to),
    where: { and: given.map(([field, value]) => ({ field, operator: 'eq', value })) },
  };
}

function readFilter(input: unknown): TransactionFilter {
  try {
    return parse(TransactionFilter, input);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new DomainError('malformed', 'Some filters are not valid.', error.details);
  }
}

/** Maximum offset for which skipping index entries is faster than finding the page in totals. */
const NEAR_OFFSET = 300;

/** Number of matching transactions, and location of the page: undefined for a page without rows. */
async function placePage(
  work: ReadWork,
  narrowed: Narrowed,
  offset: number,
  limit: number,
): Promise<{ readonly total: number; readonly place: PagePlace | undefined }> {
  const { period, where } = narrowed;
  const isNear = isInOrder(where) && offset < NEAR_OFFSET;
  const isOneCounter = isNear && isKeptTotal(narrowed);
  if (!isOneCounter && (await countsMany(work, narrowed))) work.moveToThread?.();
  if (isNear || totalsTableFor(where) === undefined) {
    const total = await totalOf(work, narrowed);
    return { total, place: placeOfPage([{ ...period, total }], offset, limit) };
  }
  const days = await spansWith(work, narrowed);
  const place = placeOfPage(days, offset, limit);
  const total = days.reduce((sum, day) => sum + day.total, 0);
  return { total, place: place && (await withinHalfHours(work, where, place)) };
}

const HALF_HOUR = 30 * MINUTE;
/** Longest time range in which a page is looked for by half hours: these have at most 4,320 rows of totals. */
const LONGEST_NARROWED = 10 * DAY;

/** Narrows a page to its half hours, if many index entries of the day would have to be skipped otherwise. */
async function withinHalfHours(
  work: ReadWork,
  where: Narrowed['where'],
  place: PagePlace,
): Promise<PagePlace> {
  const passesOthers = !isInOrder(where) && !fieldsIn(where).includes('appName');
  if (place.skip < NEAR_OFFSET && !passesOthers) return place;
  const length = place.to - place.from;
  if (length <= HALF_HOUR || length > LONGEST_NARROWED) return place;
  const halfHours = await spansWith(work, { period: place, where }, HALF_HOURS);
  return placeOfPage(halfHours, place.skip, place.limit) ?? place;
}

const NUMBERS = [
  ['serialNumber', 'serial_number'],
  ['logicalNumber', 'logical_number'],
] as const;
/** Fields with an index ordered by time: a filter by one of them examines only rows of the page. */
const INDEXED: readonly string[] = ['serialNumber', 'logicalNumber', 'appName', 'status'];

/** Whether an index has the rows that meet a condition, and no others, in the order of time. */
function isInOrder(where: Condition): boolean {
  const [field, ...others] = fieldsIn(where);
  return field === undefined || (others.length === 0 && INDEXED.includes(field));
}

/** Whether the total of a filter needs more rows than the event loop may examine. */
async function countsMany(work: ReadWork, narrowed: Narrowed): Promise<boolean> {
  if (work.moveToThread === undefined) return false;
  const { period, where } = narrowed;
  for (const [field, column] of NUMBERS) {
    const value = valueDemanded(where, field);
    if (typeof value === 'string') return await hasMany(work, period, column, value);
  }
  return (await mostRowsOfTotal(work, narrowed)) > MANY_ROWS;
}

/** Whether finding a page needs more rows than the event loop may examine. */
async function examinesMany(work: ReadWork, where: Narrowed['where'], place: PagePlace): Promise<boolean> {
  if (work.moveToThread === undefined) return false;
  if (place.skip > MANY_ROWS) return true;
  // The rows of a serial number or logical number are few: otherwise its total would have moved the unit.
  if (isInOrder(where) || totalsTableFor(where) === undefined) return false;
  const [indexed] = ['appName', 'status'].flatMap((name) =>
    where.and.filter((part) => 'field' in part && part.field === name),
  );
  const and = indexed === undefined ? [] : [indexed];
  return (await totalOf(work, { period: halfHoursAround(place), where: { and } })) > MANY_ROWS;
}
