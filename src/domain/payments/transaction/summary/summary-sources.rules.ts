import { DAY, HOUR, UNIT_PARTS } from '../../../../platform/clock.js';
import type { TimeRange } from '../time-range.model.js';
import type { Span } from '../totals/transaction-totals.model.js';
import { segmentsOf, type Calendar, type Segment } from './summary-calendar.model.js';

/** UTC days or hours to read from totals, as numbers since 1970; of `instant`, hours of transactions. */
export interface UnitsToRead {
  readonly of: Span | 'instant';
  /** Exclusive. */
  readonly from: number;
  readonly to: number;
  /** Units of the range to read (`only`) or to skip (`except`). */
  readonly only?: readonly number[];
  readonly except?: readonly number[];
  /** Part of each unit whose transactions are read, in milliseconds from its beginning. */
  readonly part?: TimeRange;
  /** Whether the rows are subtracted from the bucket of their half day, which includes them. */
  readonly isTaken?: true;
}

const HALF = 12 * HOUR;
const WHOLE_HOUR: TimeRange = { from: 0, to: HOUR };
const HALF_DAYS = [
  { from: 0, to: HALF },
  { from: HALF, to: DAY },
] as const;

/** The two parts of an hour that totals have sums for, by the dividing minute in milliseconds. */
const HOUR_PARTS: ReadonlyMap<number, readonly [TimeRange, TimeRange]> = new Map(
  UNIT_PARTS.hour.map(({ from }) => [
    from,
    [
      { from: 0, to: from },
      { from, to: HOUR },
    ],
  ]),
);

/**
 * Units to read for the buckets of a calendar. Each half of a UTC day is added to the bucket that contains
 * its middle; hours and parts of hours that belong to another bucket are added to that one and subtracted
 * here. Hours are read if there are no whole days, or if buckets are hours. Hours that are partly outside of
 * the period, or divided at other minutes than those of `UNIT_PARTS`, are read from transactions. See
 * decisions.md#summary-time-zones.
 */
export function unitsToRead(calendar: Calendar, period: TimeRange): readonly UnitsToRead[] {
  const hours = wholeUnits(period, HOUR);
  const segments = segmentsOf(calendar, period);
  const days = calendar.bucket === 'hour' ? { from: 0, to: 0 } : wholeUnits(period, DAY);
  const halves = bucketsOfHalves(segments, days);
  const bucketsIn = finder(segments);
  const instants = [...partsOfHours(period, hours)];
  const moved = new Map<TimeRange, { readonly added: number[]; readonly taken: number[] }>();
  const move = (hour: number, part: TimeRange, half: number | undefined): void => {
    const { added, taken } = moved.get(part) ?? { added: [], taken: [] };
    moved.set(part, { added, taken });
    added.push(hour);
    if (half !== undefined) taken.push(hour);
  };
  const takenForInstants: number[] = [];
  for (const hour of numbers(hours)) {
    const half = halves.get(Math.floor(hour / 12));
    const buckets = bucketsIn(hour * HOUR, (hour + 1) * HOUR);
    const parts = partsOf(buckets, hour * HOUR);
    if (parts === undefined) {
      instants.push(hour);
      if (half !== undefined) takenForInstants.push(hour);
    } else {
      for (const [index, part] of parts.entries()) if (buckets[index]?.key !== half) move(hour, part, half);
    }
  }
  return [
    ...daysToRead(days, halves),
    ...[...moved].flatMap(([part, { added, taken }]) => [
      ...listed({ of: 'hour', part }, added),
      ...listed({ of: 'hour', part, isTaken: true }, taken),
    ]),
    ...listed({ of: 'hour', isTaken: true }, takenForInstants),
    ...listed(
      { of: 'instant' },
      instants.sort((one, other) => one - other),
      true,
    ),
  ];
}

/** Bucket that contains the middle of each half day, by number of half days since 1970. */
function bucketsOfHalves(segments: readonly Segment[], days: TimeRange): ReadonlyMap<number, number> {
  const bucketsIn = finder(segments);
  const halves = numbers({ from: days.from * 2, to: days.to * 2 });
  return new Map(
    halves.flatMap((half) => {
      const middle = half * HALF + HALF / 2;
      return bucketsIn(middle, middle + 1).map(({ key }) => [half, key] as const);
    }),
  );
}

/** Days whose halves are in one bucket, and the halves of other days. */
function daysToRead(days: TimeRange, halves: ReadonlyMap<number, number>): readonly UnitsToRead[] {
  const isDivided = (day: number): boolean => halves.get(day * 2) !== halves.get(day * 2 + 1);
  const divided = numbers(days).filter(isDivided);
  return [
    ...listed(
      { of: 'day' },
      numbers(days).filter((day) => !isDivided(day)),
    ),
    ...HALF_DAYS.flatMap((part) => listed({ of: 'day', part }, divided)),
  ];
}

/** Parts of an hour by its buckets; undefined if totals have no sums for such parts. */
function partsOf(buckets: readonly Segment[], start: number): readonly TimeRange[] | undefined {
  const [, second, ...others] = buckets;
  if (second === undefined) return [WHOLE_HOUR];
  return others.length === 0 ? HOUR_PARTS.get(second.from - start) : undefined;
}

/** Function that finds the segments that overlap a time range. Its ranges must be ascending. */
function finder(segments: readonly Segment[]): (from: number, to: number) => readonly Segment[] {
  let first = 0;
  return (from, to) => {
    while ((segments[first]?.to ?? Infinity) <= from) first += 1;
    let end = first;
    while ((segments[end]?.from ?? Infinity) < to) end += 1;
    return segments.slice(first, end);
  };
}

/** Ascending units as a list, or as a range with exceptions if this is shorter. */
function listed(
  read: Pick<UnitsToRead, 'of' | 'part' | 'isTaken'>,
  units: readonly number[],
  isList = false,
): readonly UnitsToRead[] {
  const [from, last] = [units[0], units.at(-1)];
  if (from === undefined || last === undefined) return [];
  const range = { from, to: last + 1 };
  if (isList || range.to - from > 2 * units.length) return [{ ...read, ...range, only: units }];
  const known = new Set(units);
  return [{ ...read, ...range, except: numbers(range).filter((unit) => !known.has(unit)) }];
}

const numbers = ({ from, to }: TimeRange): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

/** Units that lie completely in a period; `withParts`, also those that lie in it partly. */
function wholeUnits({ from, to }: TimeRange, unit: number, withParts = false): TimeRange {
  const first = withParts ? Math.floor(from / unit) : Math.ceil(from / unit);
  return { from: first, to: Math.max(withParts ? Math.ceil(to / unit) : Math.floor(to / unit), first) };
}

/** Hours at the ends of a period that lie in it only partly. */
function partsOfHours(period: TimeRange, whole: TimeRange): readonly number[] {
  const { from, to } = wholeUnits(period, HOUR, true);
  if (whole.from >= whole.to) return numbers({ from, to });
  return [...(from < whole.from ? [from] : []), ...(whole.to < to ? [whole.to] : [])];
}
