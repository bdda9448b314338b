import { DAY, HOUR, UNIT_PARTS } from '../../../../platform/clock.js';
import { offsetAt } from '../../../../platform/time-zones.js';

/** Years whose offsets represent all times. */
const YEARS = { from: 1970, to: 2040 };
const known = new Map<string, readonly number[]>();
const MAX_ZONES = 500;

/** Times within an hour of UTC at which buckets may begin that are read from totals. */
const READABLE: readonly number[] = [0, ...UNIT_PARTS.hour.map(({ from }) => from)];

/**
 * UTC hours, 0 to 23, in which days of a zone begin at a minute without sums in totals; empty for most zones:
 * some had such days before 1976.
 */
export function hoursWithOddMidnight(timeZone: string): readonly number[] {
  const found = known.get(timeZone);
  if (found !== undefined) return found;
  if (known.size >= MAX_ZONES) known.clear();
  const hours = new Set<number>();
  for (let month = YEARS.from * 12; month < YEARS.to * 12; month += 6) {
    const offset = offsetAt(timeZone, Date.UTC(Math.floor(month / 12), month % 12, 1));
    const midnight = (DAY - (offset % DAY)) % DAY;
    if (!READABLE.includes(midnight % HOUR)) hours.add(Math.floor(midnight / HOUR));
  }
  const listed = [...hours];
  known.set(timeZone, listed);
  return listed;
}
