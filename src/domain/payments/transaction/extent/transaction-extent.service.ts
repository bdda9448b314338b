import { fieldsIn, valueDemanded, type Condition } from '../../../../database/list/condition.js';
import { MANY_ROWS, type ReadWork } from '../../../../database/work.js';
import { DAY, HOUR } from '../../../../platform/clock.js';
import type { TimeRange } from '../time-range.model.js';
import type { Span } from '../totals/transaction-totals.model.js';
import { sumParts } from '../totals/transaction-totals.repository.js';
import { mostRowsOf, splitPeriod } from '../totals/transaction-totals.rules.js';
import { partsOfFilter, totalsParts, type Narrowed } from '../totals/transaction-totals.service.js';
import type { PagePlace } from '../transaction.rules.js';
import { hasManyRows, transactionsIn, type Extent } from './transaction-extent.repository.js';

const NUMBERS = [
  { field: 'serialNumber', column: 'serial_number' },
  { field: 'logicalNumber', column: 'logical_number' },
] as const;
const APP = { field: 'appName', column: 'app_name' } as const;
const STATUS = { field: 'status', column: 'status' } as const;

/** Maximum transactions that are read one by one instead of the totals of all applications. */
const FEW_ROWS = 1_000;

const MONTH = 31 * DAY;

/** Fields with an index ordered by time: a filter by one of them examines only rows of the page. */
const INDEXED = [...NUMBERS, APP, STATUS];

function only(where: Condition, fields: readonly (typeof INDEXED)[number][]): Extent['only'][] {
  return fields.flatMap(({ field, column }) => {
    const value = valueDemanded(where, field);
    return typeof value === 'string' ? [{ column, value }] : [];
  });
}

/** Whether an index has the rows that meet a condition, and no others, in the order of time. */
export function isInOrder(where: Condition): boolean {
  const fields = fieldsIn(where);
  return fields.length === 0 || (fields.length === 1 && only(where, INDEXED).length === 1);
}

/** Moves the unit of work to a thread if the totals of a filter need more than a few thousand rows. */
export async function examineForTotals(work: ReadWork, narrowed: Narrowed): Promise<void> {
  if (work.moveToThread === undefined) return;
  const numbers = only(narrowed.where, NUMBERS).map((number) => transactionsIn(narrowed.period, number));
  const isMuch = numbers.length > 0 ? await hasManyRows(work, numbers) : await hasManyTotals(work, narrowed);
  if (isMuch) work.moveToThread();
}

/**
 * Adds `hasFewBesidesDays` to a filter that only compares one application: its own transactions in the hours
 * besides whole days may be fewer than the hourly totals of all applications.
 */
export async function withFewBesidesDays(work: ReadWork, narrowed: Narrowed): Promise<Narrowed> {
  const { period, where } = narrowed;
  const [app] = only(where, [APP]);
  if (app === undefined || fieldsIn(where).length !== 1) return narrowed;
  const rest = splitPeriod(period, 'day', 'day').filter(({ of }) => of === 'instant');
  const extents = rest.map((part) => transactionsIn(part, app));
  return { ...narrowed, hasFewBesidesDays: !(await hasManyRows(work, extents, FEW_ROWS)) };
}

/** Whether more than a few thousand rows must be read for the totals of a period, by days or by hours. */
export async function hasManyTotals(
  work: ReadWork,
  narrowed: Narrowed,
  longest: Span = 'day',
): Promise<boolean> {
  const { where, hasFewBesidesDays = false } = narrowed;
  const large = partsOfFilter(narrowed, longest).filter(
    (part) => mostRowsOf(part) > MANY_ROWS && !(hasFewBesidesDays && part.of === 'instant'),
  );
  const extents = large.map((part) => {
    const [ofApp] = part.table === 'transaction_app_days' ? only(where, [APP]) : [];
    const mostOfUnit = mostRowsOf({ ...part, from: 0, to: 1 });
    return {
      ...part,
      ...(ofApp === undefined ? {} : { only: ofApp }),
      ...(Number.isFinite(mostOfUnit) ? { mostOfUnit } : {}),
    };
  });
  return await hasManyRows(work, extents);
}

/** Moves the unit of work to a thread if finding a page needs more than a few thousand rows. */
export async function examineForPage(work: ReadWork, where: Condition, place: PagePlace): Promise<void> {
  if (work.moveToThread === undefined) return;
  if (place.skip > MANY_ROWS) work.moveToThread();
  // The rows of a device or logical number are few: that was found for the totals.
  if (isInOrder(where) || only(where, NUMBERS).length > 0) return;
  const [indexed] = only(where, [APP, STATUS]);
  if (await hasManyInPlace(work, place, indexed)) work.moveToThread();
}

/**
 * Whether the time range of a page has many rows. Whole days of a month, or whole hours of a day, are counted
 * from totals: counting rows takes as long as reading the page.
 */
async function hasManyInPlace(work: ReadWork, place: PagePlace, indexed: Extent['only']): Promise<boolean> {
  const isOfDays = isWhole(place, DAY) && place.to - place.from <= MONTH;
  const isOfHours = isWhole(place, HOUR) && place.to - place.from <= DAY;
  if (!isOfDays && !isOfHours) return await hasManyRows(work, [transactionsIn(place, indexed)]);
  const passed: Condition = { and: indexed === undefined ? [] : [conditionOf(indexed)] };
  const sums = await sumParts(work, passed, totalsParts(place, passed, isOfDays ? 'day' : 'hour'));
  return sums.reduce((sum, total) => sum + total, 0) > MANY_ROWS;
}

const isWhole = ({ from, to }: TimeRange, unit: number): boolean => from % unit === 0 && to % unit === 0;

function conditionOf({ column, value }: NonNullable<Extent['only']>): Condition {
  const { field } = column === APP.column ? APP : STATUS;
  return { field, operator: 'eq', value };
}
