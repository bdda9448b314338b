import type { Condition } from '../../../../database/list/condition.js';
import type { Search } from '../../../../database/list/request-class.js';
import type { ReadWork } from '../../../../database/work.js';
import { DAY } from '../../../../platform/clock.js';
import { yieldToEventLoop } from '../../../../platform/concurrency/event-loop.js';
import { DomainError } from '../../../../platform/errors.js';
import { timeZoneNamed } from '../../../../platform/time-zones.js';
import { HALF_HOURS, partsOf, type TimeRange } from '../transaction-period.model.js';
import {
  countInHalfHours,
  halfHoursIn,
  recordedPart,
  type TotalsTable,
} from '../transaction-totals.repository.js';
import {
  comparesKindsOnly,
  narrowedTo,
  searchOfTotals,
  totalsTableFor,
  type Narrowed,
} from '../transaction-totals.service.js';
import { meeting } from '../transaction.repository.js';
import { isOffHalfHours, rangesToRead, utcCalendar, zonedCalendar } from './summary-calendar.model.js';
import {
  MAX_READ,
  MAX_READ_PER_STATEMENT,
  MAX_ROWS,
  MAX_ZONED_YEARS,
  type Bucket,
  type Dimension,
  type SummaryRow,
  fieldOf,
} from './transaction-summary.model.js';
import {
  selectSummary,
  type Source,
  type SummaryQuery,
  type TransactionIndex,
} from './transaction-summary.repository.js';

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
  given: Narrowed,
  { bucket, by, timeZone }: SummaryRequest,
): Promise<readonly SummaryRow[]> {
  const { where } = given;
  const zone = zoneOf(timeZone, bucket);
  const period = zone === null ? given.period : await recordedPart(work, given.period);
  if (period === undefined) return [];
  if (zone !== null && period.to - period.from > MAX_ZONED_YEARS * 366 * DAY) {
    throw tooMuch(`In a time zone, a summary covers at most ${MAX_ZONED_YEARS} years`);
  }
  const calendar = zone === null ? utcCalendar(bucket) : zonedCalendar(bucket, zone, period);
  const query = { calendar, by: [...new Set(by)], limit: MAX_ROWS + 1, where: meeting(where) };
  const table = totalsFor(where, bucket, by, zone);
  if (table === undefined) {
    return await summarizeInParts(work, query, await readSources(work, { period, where }));
  }
  await yieldToEventLoop();
  const ranges = rangesToRead(calendar, period);
  await demandFewToRead(work, ranges.get('instant') ?? []);
  const sources = [...ranges].map(([of, each]): Source => ({
    of: of === 'instant' ? { index: 'newest' } : { table, span: of },
    ranges: each,
  }));
  return await summarizePart(work, { ...query, sources });
}

/** Counts the transactions that are read where buckets begin off the half hour. Errors: `malformed`. */
async function demandFewToRead(work: ReadWork, ranges: readonly TimeRange[]): Promise<void> {
  // Otherwise only the two ends of the period.
  if (ranges.length <= 2) return;
  const read = await countInHalfHours(work, ranges);
  if (read > MAX_READ) {
    throw tooManyToRead('In a time zone whose days begin at other minutes of UTC than 0 and 30', read);
  }
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
  const isOfTotals = totalsFor(narrowed.where, bucket, by, zone) !== undefined;
  if (!isOfTotals || (zone !== null && isOffHalfHours(zone))) return { rows: 'transactions' };
  return searchOfTotals(narrowed, zone === null && bucket !== 'hour' ? undefined : HALF_HOURS, by);
}

/** The table with the totals of a summary; undefined if there is none, or if hours begin off the half hour. */
function totalsFor(
  where: Condition,
  bucket: Bucket,
  by: readonly Dimension[],
  zone: string | null,
): TotalsTable | undefined {
  if (bucket === 'hour' && zone !== null && isOffHalfHours(zone)) return undefined;
  return comparesKindsOnly(where) ? totalsTableFor(where, by) : undefined;
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

/** Single transactions in parts, by the most selective index. Errors: `malformed` for too many. */
async function readSources(work: ReadWork, { period, where }: Narrowed): Promise<readonly Source[]> {
  const index = indexOf(where);
  const halfHours = await halfHoursIn(work, period);
  const held = halfHours.reduce((sum, { total }) => sum + total, 0);
  if (index === 'newest' && held > MAX_READ) {
    throw tooManyToRead('By these fields or with this filter', held);
  }
  return partsOf(halfHours, MAX_READ_PER_STATEMENT).map(({ from, to }) => ({
    of: { index },
    ranges: [{ from: Math.max(from, period.from), to: Math.min(to, period.to) }],
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
    `${where}, a summary reads at most ${MAX_READ} transactions, and the half hours of the interval have ${transactions}`,
  );
}

function tooMuch(what: string): DomainError {
  return new DomainError(
    'malformed',
    `${what}: shorten the interval of startedAt, or group by fewer fields.`,
  );
}

type Value = string | number | null;

/** Adds up the rows of summaries of several time ranges. */
export class SummaryRows {
  readonly #rows = new Map<string, SummaryRow>();

  constructor(private readonly by: readonly Dimension[]) {}

  add(rows: readonly SummaryRow[]): void {
    for (const row of rows) {
      const key = JSON.stringify(this.#valuesOf(row));
      const known = this.#rows.get(key);
      this.#rows.set(key, known === undefined ? row : sumOfRows(known, row));
    }
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Rows in the order of the database: null first, texts by their bytes. */
  inOrder(): readonly SummaryRow[] {
    const keyed = [...this.#rows.values()].map((row) => ({ row, values: this.#valuesOf(row) }));
    return keyed.sort((one, other) => compareAll(one.values, other.values)).map(({ row }) => row);
  }

  #valuesOf(row: SummaryRow): readonly Value[] {
    return [row.bucketStart?.getTime() ?? null, ...this.by.map((dimension) => row[fieldOf(dimension)])];
  }
}

function sumOfRows(one: SummaryRow, other: SummaryRow): SummaryRow {
  return {
    ...one,
    count: one.count + other.count,
    amountTotal: one.amountTotal + other.amountTotal,
    approvedAmount: one.approvedAmount + other.approvedAmount,
    deniedAmount: one.deniedAmount + other.deniedAmount,
    cancelledAmount: one.cancelledAmount + other.cancelledAmount,
  };
}

function compareAll(one: readonly Value[], other: readonly Value[]): number {
  for (const [place, value] of one.entries()) {
    const order = compare(value, other[place] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function compare(one: Value, other: Value): number {
  if (one === other) return 0;
  if (one === null) return -1;
  if (other === null) return 1;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}
