import { comparisonsIn, type Condition } from '../../../database/list/condition.js';
import { ROW_VALUES, type Examination } from '../../../database/list/examination.js';
import type { ReadWork } from '../../../database/work.js';
import { DomainError } from '../../../platform/errors.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { KIND_FIELDS, meeting } from '../transaction.repository.js';
import { partsOf } from '../transaction.rules.js';
import type { Span } from '../totals/transaction-totals.model.js';
import {
  MAX_READ,
  MAX_ROWS,
  MAX_READ_PER_STATEMENT,
  type Bucket,
  type Dimension,
  type SummaryRow,
} from './transaction-summary.model.js';
import { hoursIn, selectSummary, type Source, type SummaryQuery } from './transaction-summary.repository.js';
import { SummaryRows } from './transaction-summary.rules.js';
import {
  comparesKindsOnly,
  examinationOfTotals,
  narrowedTo,
  totalsParts,
  transactions,
  type Narrowed,
} from '../totals/transaction-totals.service.js';

export interface SummaryRequest {
  readonly where: Condition | null;
  readonly bucket: Bucket;
  readonly by: readonly Dimension[];
}

/**
 * Number and amount of the transactions that meet a condition, ordered by time and dimensions. Errors: `malformed` for
 * more than `MAX_ROWS` rows, for more than `MAX_READ` transactions to read, or for a sum above 2^53 - 1 cents.
 */
export async function summarizeTransactions(
  work: ReadWork,
  { where, bucket, by }: SummaryRequest,
): Promise<readonly SummaryRow[]> {
  const narrowed = narrowedTo(where);
  const dimensions = [...new Set(by)];
  const query = { bucket, by: dimensions, limit: MAX_ROWS + 1, where: meeting(narrowed.where) };
  const rows = hasTotals(narrowed, by)
    ? await summarizePart(work, { ...query, sources: totalsSources(narrowed, bucket, dimensions) })
    : await summarizeInParts(work, query, await readSources(work, narrowed));
  if (rows.some(({ amountTotal }) => !Number.isSafeInteger(amountTotal))) {
    throw tooMuch('The amounts add up to more than 2^53 - 1 cents');
  }
  return rows;
}

/** What `summarizeTransactions` examines at most: totals or transactions, and for groups all logical numbers. */
export function examinationsOfSummary({ where, bucket, by }: SummaryRequest): readonly Examination[] {
  const narrowed = narrowedTo(where);
  const read: Examination = hasTotals(narrowed, by)
    ? examinationOfTotals(narrowed, spanOf(bucket), by)
    : {
        ...transactions.examinesCount(where),
        rows: 'transactions',
        values: ROW_VALUES + comparisonsIn(narrowed.where),
      };
  const groups: Examination = { values: ROW_VALUES, rows: 'logical_numbers' };
  const summed = { ...read, values: read.values + ROW_VALUES + by.length };
  return by.includes('group') ? [summed, groups] : [summed];
}

function hasTotals({ where }: Narrowed, by: readonly Dimension[]): boolean {
  return comparesKindsOnly(where) && by.every((name) => KIND_FIELDS.includes(name));
}

async function summarizePart(work: ReadWork, query: SummaryQuery): Promise<readonly SummaryRow[]> {
  // Parts of one summary, or of many, do not hold the event loop together.
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

const spanOf = (bucket: Bucket): Span => (bucket === 'hour' ? 'hour' : 'day');

/** Totals for whole days and hours; single transactions only for the rest at both ends. */
function totalsSources(
  { period, where }: Narrowed,
  bucket: Bucket,
  by: readonly Dimension[],
): readonly Source[] {
  return totalsParts(period, where, spanOf(bucket), by).map(({ table, from, to }) => ({
    ...{ of: table === 'transactions' ? 'newest' : table, from, to },
  }));
}

/** Single transactions in parts, by the most selective index. Without one, the interval must not hold too many. */
async function readSources(work: ReadWork, { period, where }: Narrowed): Promise<readonly Source[]> {
  const names = (field: string): boolean =>
    where.and.some((part) => 'field' in part && part.field === field && ['eq', 'in'].includes(part.operator));
  const of = names('serialNumber') ? 'serial' : names('logicalNumber') ? 'logical_number' : 'newest';
  const hours = await hoursIn(work, period);
  const held = hours.reduce((sum, { total }) => sum + total, 0);
  if (of === 'newest' && held > MAX_READ) {
    throw tooMuch(
      `By logical number, by group or with this filter, a summary reads at most ${MAX_READ} transactions, and the hours of the interval have ${held}`,
    );
  }
  return partsOf(hours, MAX_READ_PER_STATEMENT).map(({ from, to }) => ({
    ...{ of, from: Math.max(from, period.from), to: Math.min(to, period.to) },
  }));
}

function tooMuch(what: string): DomainError {
  return new DomainError(
    'malformed',
    `${what}: shorten the interval of startedAt, or group by fewer fields.`,
  );
}
