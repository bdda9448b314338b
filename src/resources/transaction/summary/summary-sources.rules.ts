import { DAY, HOUR } from '../../../platform/clock.js';
import type { TimeRange } from '../time-range.model.js';
import type { Span } from '../totals/transaction-totals.model.js';
import { dividedUnits, hasWholeHours, hoursOfOtherDays, type Calendar } from './summary-calendar.model.js';

/** What is read of a kind of table: units of UTC time, as many since 1970; of an `instant`, hours with transactions to read. */
export interface UnitsToRead {
  readonly of: Span | 'instant';
  /** `to` excluded. */
  readonly from: number;
  readonly to: number;
  /** Of these, only some, or all but some. */
  readonly only?: readonly number[];
  readonly except?: readonly number[];
  /** Belongs to the day of UTC, whatever the zone: as a part of it, or taken away from it. */
  readonly ofUtcDay?: 'part' | 'taken';
}

/**
 * Splits a period for the buckets of a calendar: whole days that belong to one bucket, other whole hours that do, and the
 * rest, which are hours whose transactions are read one by one.
 */
export function unitsToRead(calendar: Calendar, period: TimeRange): readonly UnitsToRead[] {
  const hours = wholeUnits(period, HOUR);
  const divided = dividedUnits(calendar, HOUR, hours);
  const rest = [...partsOfHours(period, hours), ...divided];
  const instants: readonly UnitsToRead[] =
    rest.length === 0 ? [] : [{ of: 'instant', ...wholeUnits(period, HOUR, true), only: rest }];
  if (calendar.bucket === 'hour' || calendar.bucket === 'day') {
    const corrected = calendar.bucket === 'day' ? correctedDays(calendar, period) : null;
    if (corrected !== null) return [...corrected, ...instants];
    return [...(isEmpty(hours) ? [] : [{ of: 'hour' as const, ...hours, except: divided }]), ...instants];
  }
  const days = wholeUnits(period, DAY);
  const dividedDays = dividedUnits(calendar, DAY, days);
  const inHours = hoursOutside(hours, days, new Set(dividedDays), new Set(divided));
  return [
    ...(isEmpty(days) ? [] : [{ of: 'day' as const, ...days, except: dividedDays }]),
    ...(inHours.length === 0 ? [] : [{ of: 'hour' as const, ...hours, only: inHours }]),
    ...instants,
  ];
}

/**
 * Days of UTC, corrected by their hours that belong to another local day: these are added there and taken away here. Null
 * where that is not less to read than all hours.
 */
function correctedDays(calendar: Calendar, period: TimeRange): readonly UnitsToRead[] | null {
  const [hours, days] = [wholeUnits(period, HOUR), wholeUnits(period, DAY)];
  const inDays = { from: days.from * 24, to: days.to * 24 };
  if (isEmpty(days) || !hasWholeHours(calendar)) return null;
  const moved = hoursOfOtherDays(calendar, inDays);
  const read = 2 * moved.length + 2 * (days.to - days.from);
  if (read >= inDays.to - inDays.from) return null;
  const outside = [...numbers(hours.from, inDays.from), ...numbers(inDays.to, hours.to)];
  const added = [...outside, ...moved];
  return [
    { of: 'day', ...days, ofUtcDay: 'part' },
    ...(added.length === 0 ? [] : [{ of: 'hour' as const, ...hours, only: added }]),
    ...(moved.length === 0
      ? []
      : [{ of: 'hour' as const, ...hours, only: moved, ofUtcDay: 'taken' as const }]),
  ];
}

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

function isEmpty({ from, to }: TimeRange): boolean {
  return from >= to;
}

/** The units that lie in a period, or that have a part in it. */
function wholeUnits({ from, to }: TimeRange, unit: number, withParts = false): TimeRange {
  const first = withParts ? Math.floor(from / unit) : Math.ceil(from / unit);
  return { from: first, to: Math.max(withParts ? Math.ceil(to / unit) : Math.floor(to / unit), first) };
}

/** The hours at the ends of a period that lie in it only in part. */
function partsOfHours(period: TimeRange, whole: TimeRange): readonly number[] {
  const { from, to } = wholeUnits(period, HOUR, true);
  if (isEmpty(whole)) return Array.from({ length: to - from }, (_, index) => from + index);
  return [...(from < whole.from ? [from] : []), ...(whole.to < to ? [whole.to] : [])];
}

/** Whole hours that no day covers which is read as such. */
function hoursOutside(
  hours: TimeRange,
  days: TimeRange,
  dividedDays: ReadonlySet<number>,
  divided: ReadonlySet<number>,
): readonly number[] {
  const found: number[] = [];
  for (let hour = hours.from; hour < hours.to; hour += 1) {
    const day = Math.floor(hour / 24);
    const isCovered = day >= days.from && day < days.to && !dividedDays.has(day);
    if (!isCovered && !divided.has(hour)) found.push(hour);
  }
  return found;
}
