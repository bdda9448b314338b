import type { Condition } from '../../../../database/list/condition.js';
import type { Search } from '../../../../database/list/request-class.js';
import type { ReadWork } from '../../../../database/work.js';
import { timeZoneNamed } from '../../../../platform/calendar.js';
import { DAY, yieldToEventLoop } from '../../../../platform/clock.js';
import { DomainError } from '../../../../platform/errors.js';
import {
  countInHalfHours,
  recordedDays,
  sumParts,
  type TotalsTable,
} from '../transaction-totals.repository.js';
import { HALF_HOURS, halfHoursAround } from '../transaction.model.js';
import { meeting } from '../transaction.repository.js';
import {
  narrowedTo,
  ofHalfHours,
  searchOfTotals,
  totalsTableFor,
  type Narrowed,
} from '../transaction.service.js';
import {
  isOffHalfHours,
  rangesToRead,
  offsetsFor,
  segmentsOf,
  type Segment,
  MAX_READ,
  MAX_ROWS,
  MAX_ZONED_YEARS,
  type Bucket,
  type Dimension,
} from './transaction-summary.model.js';
import { selectSummary, type Source, type TransactionIndex } from './transaction-summary.repository.js';

export interface SummaryRequest {
  readonly where: Condition | null;
  readonly bucket: Bucket;
  readonly by: readonly Dimension[];
  readonly timeZone: string | null;
}

/** Sums ordered by time and dimensions. Errors: `malformed` for an unknown time zone, or beyond one of the maxima. */
export async function summarizeTransactions(work: ReadWork, request: SummaryRequest) {
  const narrowed = narrowedTo(request.where);
  const rows = await rowsOf(work, narrowed, request);
  if (rows.some(({ amountTotal }) => !Number.isSafeInteger(amountTotal))) {
    throw tooMuch('The amounts add up to more than 2^53 - 1 cents');
  }
  return rows;
}

async function rowsOf(work: ReadWork, given: Narrowed, { bucket, by, timeZone }: SummaryRequest) {
  const { where } = given;
  const zone = zoneOf(timeZone, bucket);
  const days = bucket === 'none' ? [given.period] : await recordedDays(work, given.period);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const period = { from: first.from, to: last.to };
  if (zone !== null && period.to - period.from > MAX_ZONED_YEARS * 366 * DAY) {
    throw tooMuch(`In a time zone, a summary covers at most ${MAX_ZONED_YEARS} years`);
  }
  const table = totalsFor(where, bucket, by, zone);
  await yieldToEventLoop();
  const offsets = offsetsFor(zone, period);
  const segments =
    bucket === 'none'
      ? [{ ...period, bucketStart: 0 }]
      : days.flatMap((part) => segmentsOf(bucket, offsets, part));
  await yieldToEventLoop();
  const sources =
    table === undefined
      ? [await transactionsOf(work, given, segments)]
      : await totalsOf(work, table, rangesToRead(bucket, segments));
  const query = { sources, bucket, by: [...new Set(by)], limit: MAX_ROWS + 1, where: meeting(where) };
  const rows = await selectSummary(work, query);
  if (rows.length > MAX_ROWS) throw tooMuch(`The summary has more than ${MAX_ROWS} rows`);
  return rows;
}

/** Totals of whole spans, and the transactions of the other ranges. Errors: `malformed` for too many of these. */
async function totalsOf(work: ReadWork, table: TotalsTable, ranges: ReturnType<typeof rangesToRead>) {
  const singles = ranges.get('instant') ?? [];
  // Two are the ends of the period; more are where buckets begin off the half hour.
  const read = singles.length <= 2 ? 0 : await countInHalfHours(work, singles);
  if (read > MAX_READ) {
    throw tooManyToRead('In a time zone whose days begin at other minutes of UTC than 0 and 30', read);
  }
  return [...ranges].map(([of, each]): Source => ({
    of: of === 'instant' ? { index: 'newest' } : { table, span: of },
    ranges: each,
  }));
}

/** Time zone of a summary; null for UTC, and for summaries without time buckets. Errors: `malformed`. */
function zoneOf(timeZone: string | null, bucket: Bucket): string | null {
  if (timeZone === null) return null;
  const zone = timeZoneNamed(timeZone);
  if (zone === undefined) {
    const given = timeZone.length > 64 ? `${timeZone.slice(0, 64)}…` : timeZone;
    const message = `timeZone: "${given}" is not an IANA time zone, for example America/Sao_Paulo.`;
    throw new DomainError('malformed', message);
  }
  return bucket === 'none' || zone === 'UTC' ? null : zone;
}

/** Search of `summarizeTransactions`: totals or transactions. Errors: `malformed` for an unknown zone. */
export function searchOfSummary({ where, bucket, by, timeZone }: SummaryRequest): Search {
  const narrowed = narrowedTo(where);
  const zone = zoneOf(timeZone, bucket);
  const isOfTotals = totalsFor(narrowed.where, bucket, by, zone) !== undefined;
  if (!isOfTotals || (zone !== null && isOffHalfHours(zone))) return { rows: 'transactions' };
  return searchOfTotals(narrowed, zone === null && bucket !== 'hour' ? undefined : HALF_HOURS, by);
}

/** The table with the totals of a summary; undefined if there is none, or if hours begin off the half hour. */
function totalsFor(where: Condition, bucket: Bucket, by: readonly Dimension[], zone: string | null) {
  if (bucket === 'hour' && zone !== null && isOffHalfHours(zone)) return undefined;
  return totalsTableFor(where, by);
}

/** The transactions of a period, by the most selective index. Errors: `malformed` for too many. */
async function transactionsOf(work: ReadWork, { period, where }: Narrowed, ranges: readonly Segment[]) {
  const index = indexOf(where);
  if (index === 'newest') {
    const held = await sumParts(work, ofHalfHours([halfHoursAround(period)]));
    if (held > MAX_READ) throw tooManyToRead('By these fields or with this filter', held);
  }
  return { of: { index }, ranges };
}

function indexOf(where: Narrowed['where']): TransactionIndex {
  const names = (field: string): boolean =>
    where.and.some((part) => 'field' in part && part.field === field && ['eq', 'in'].includes(part.operator));
  if (names('serialNumber')) return 'serial';
  return names('logicalNumber') ? 'logical_number' : 'newest';
}

const tooManyToRead = (where: string, transactions: number): DomainError =>
  tooMuch(
    `${where}, a summary reads at most ${MAX_READ} transactions, and the half hours of the interval have ${transactions}`,
  );

const tooMuch = (what: string): DomainError =>
  new DomainError('malformed', `${what}: shorten the interval of startedAt, or group by fewer fields.`);
