import type { Condition } from '../../../../database/list/condition.js';
import type { Search } from '../../../../database/list/request-class.js';
import type { ReadWork } from '../../../../database/work.js';
import { DAY } from '../../../../platform/clock.js';
import { yieldToEventLoop } from '../../../../platform/concurrency/event-loop.js';
import { DomainError } from '../../../../platform/errors.js';
import { timeZoneNamed } from '../../../../platform/time-zones.js';
import {
  comparesKindsOnly,
  narrowedTo,
  searchOfTotals,
  totalsParts,
  totalsTableFor,
  type Narrowed,
} from '../totals/transaction-totals.service.js';
import { meeting } from '../transaction.repository.js';
import { partsOf } from '../transaction.rules.js';
import { utcCalendar, zonedCalendar, type Calendar } from './summary-calendar.model.js';
import type { TransactionIndex } from './summary-forms.repository.js';
import { unitsToRead } from './summary-sources.rules.js';
import { hoursWithOddMidnight } from './summary-zones.rules.js';
import {
  MAX_READ,
  MAX_READ_PER_STATEMENT,
  MAX_ROWS,
  MAX_ZONED_YEARS,
  type Bucket,
  type Dimension,
  type SummaryRow,
} from './transaction-summary.model.js';
import {
  countInHours,
  hoursIn,
  recordedPart,
  selectSummary,
  type Source,
  type SummaryQuery,
} from './transaction-summary.repository.js';
import { SummaryRows } from './transaction-summary.rules.js';

export interface SummaryRequest {
  readonly where: Condition | null;
  readonly bucket: Bucket;
  readonly by: readonly Dimension[];
  /** Name of a time zone; null for UTC. */
  readonly timeZone: string | null;
}

/**
 * Number and amount of the transactions that meet a condition, ordered by time and dimensions. Errors:
 * `malformed` for an unknown time zone, for more than `MAX_ROWS` rows, for more than `MAX_READ` transactions
 * to read, for more than `MAX_ZONED_YEARS` years in a time zone, or for a sum above 2^53 - 1 cents.
 */
export async function summarizeTransactions(
  work: ReadWork,
  request: SummaryRequest,
): Promise<readonly SummaryRow[]> {
  const narrowed = narrowedTo(request.where);
  const rows = await rowsOf(work, narrowed, request);
  if (rows.some(({ amountTotal }) => !Number.isSafeInteger(amountTotal))) {
    throw tooMuch('The amounts add up to more than 2^53 - 1 cents');
  }
  return rows;
}

async function rowsOf(
  work: ReadWork,
  narrowed: Narrowed,
  { bucket, by, timeZone }: SummaryRequest,
): Promise<readonly SummaryRow[]> {
  const { where } = narrowed;
  const dimensions = [...new Set(by)];
  const query = { by: dimensions, limit: MAX_ROWS + 1, where: meeting(where) };
  const zone = zoneOf(timeZone, bucket);
  const isSummedUp = hasTotals(narrowed, bucket, by, zone);
  if (zone === null) {
    const calendar = utcCalendar(bucket);
    return isSummedUp
      ? await summarizePart(work, {
          ...query,
          calendar,
          sources: totalsSources(narrowed, bucket, dimensions),
        })
      : await summarizeInParts(work, { ...query, calendar }, await readSources(work, narrowed));
  }
  const period = await recordedPart(work, narrowed.period);
  if (period === undefined) return [];
  if (period.to - period.from > MAX_ZONED_YEARS * 366 * DAY) {
    throw tooMuch(`In a time zone, a summary covers at most ${MAX_ZONED_YEARS} years`);
  }
  const calendar = zonedCalendar(bucket, zone, period);
  return isSummedUp
    ? await summarizePart(work, {
        ...{ ...query, calendar },
        sources: await zonedSources(work, { period, where }, calendar, dimensions),
      })
    : await summarizeInParts(work, { ...query, calendar }, await readSources(work, { period, where }));
}

/** Time zone of a summary; null for UTC, and for summaries without time buckets. Errors: `malformed`. */
function zoneOf(timeZone: string | null, bucket: Bucket): string | null {
  if (timeZone === null) return null;
  const zone = timeZoneNamed(timeZone);
  if (zone === undefined) {
    const given = timeZone.length > MAX_NAME ? `${timeZone.slice(0, MAX_NAME)}…` : timeZone;
    throw new DomainError(
      'malformed',
      `timeZone: "${given}" is not an IANA time zone, for example America/Sao_Paulo.`,
    );
  }
  return bucket === 'none' || zone === 'UTC' ? null : zone;
}

/** Longer than the name of any zone. */
const MAX_NAME = 64;

/** Search of `summarizeTransactions`: totals or transactions. Errors: `malformed` for an unknown zone. */
export function searchOfSummary({ where, bucket, by, timeZone }: SummaryRequest): Search {
  const narrowed = narrowedTo(where);
  const zone = zoneOf(timeZone, bucket);
  const isOfTotals = hasTotals(narrowed, bucket, by, zone);
  if (!isOfTotals || (zone !== null && hoursWithOddMidnight(zone).length > 0))
    return { rows: 'transactions' };
  return searchOfTotals(narrowed, zone === null && bucket !== 'hour' ? 'day' : 'hour', by);
}

/** Whether totals are sufficient. They are not if local hours begin at a minute without sums in totals. */
function hasTotals(
  { where }: Narrowed,
  bucket: Bucket,
  by: readonly Dimension[],
  zone: string | null,
): boolean {
  if (bucket === 'hour' && zone !== null && hoursWithOddMidnight(zone).length > 0) return false;
  return comparesKindsOnly(where) && totalsTableFor('hour', where, by) !== undefined;
}

async function summarizePart(work: ReadWork, query: SummaryQuery): Promise<readonly SummaryRow[]> {
  // Other work runs between the parts of one or many summaries.
  await yieldToEventLoop();
  const rows = await selectSummary(work, query);
  demandFew(rows.length);
  return rows;
}

async function summarizeInParts(
  work: ReadWork,
  query: Omit<SummaryQuery, 'sources'>,
  sources: readonly Source[],
): Promise<readonly SummaryRow[]> {
  const [only, ...others] = sources;
  if (only !== undefined && others.length === 0) return await summarizePart(work, { ...query, sources });
  const sum = new SummaryRows(query.by);
  for (const source of sources) {
    sum.add(await summarizePart(work, { ...query, sources: [source] }));
    demandFew(sum.size);
  }
  return sum.inOrder();
}

function demandFew(rows: number): void {
  if (rows > MAX_ROWS) throw tooMuch(`The summary has more than ${MAX_ROWS} rows`);
}

/** Totals for whole days and hours; single transactions only for the rest at both ends. */
function totalsSources(
  { period, where }: Narrowed,
  bucket: Bucket,
  by: readonly Dimension[],
): readonly Source[] {
  return totalsParts(period, where, bucket === 'hour' ? 'hour' : 'day', by).map(({ table, from, to }) => ({
    ...{ of: table === 'transactions' ? 'newest' : table, from, to },
  }));
}

/** Totals for days, hours and parts of hours; transactions for hours that are divided at other minutes. */
async function zonedSources(
  work: ReadWork,
  { period, where }: Narrowed,
  calendar: Calendar,
  by: readonly Dimension[],
): Promise<readonly Source[]> {
  await yieldToEventLoop();
  const units = unitsToRead(calendar, period);
  await yieldToEventLoop();
  const read = await countInHours(
    work,
    units.flatMap(({ of, only = [] }) => (of === 'instant' ? only : [])),
  );
  if (read > MAX_READ)
    throw tooManyToRead('In a time zone whose days begin at other minutes of UTC than 0, 15 and 30', read);
  return units.map(({ of, ...rest }): Source => {
    if (of === 'instant') return { ...rest, ...period, of: 'newest' };
    return { ...rest, of: totalsTableFor(of, where, by) ?? `transaction_${of}_totals` };
  });
}

/** Single transactions in parts, by the most selective index. Errors: `malformed` for too many. */
async function readSources(work: ReadWork, { period, where }: Narrowed): Promise<readonly Source[]> {
  const of = indexOf(where);
  const hours = await hoursIn(work, period);
  const held = hours.reduce((sum, { total }) => sum + total, 0);
  if (of === 'newest' && held > MAX_READ) {
    throw tooManyToRead('By these fields or with this filter', held);
  }
  return partsOf(hours, MAX_READ_PER_STATEMENT).map(({ from, to }) => ({
    ...{ of, from: Math.max(from, period.from), to: Math.min(to, period.to) },
  }));
}

function indexOf(where: Narrowed['where']): TransactionIndex {
  const names = (field: string): boolean =>
    where.and.some((part) => 'field' in part && part.field === field && ['eq', 'in'].includes(part.operator));
  if (names('serialNumber')) return 'serial';
  return names('logicalNumber') ? 'logical_number' : 'newest';
}

function tooManyToRead(where: string, transactions: number): DomainError {
  return tooMuch(
    `${where}, a summary reads at most ${MAX_READ} transactions, and the hours of the interval have ${transactions}`,
  );
}

function tooMuch(what: string): DomainError {
  return new DomainError(
    'malformed',
    `${what}: shorten the interval of startedAt, or group by fewer fields.`,
  );
}
