/** SQL for the bucket number of a row, see `Calendar`. */
import { sql, type RawBuilder } from 'kysely';

import { greaterOf, instant, shiftedUnits } from '../../../../database/storage.js';
import { DAY, HOUR } from '../../../../platform/clock.js';
import type { OffsetChange } from '../../../../platform/time-zones.js';
import { hasWholeHours, isUtc, type Calendar } from './summary-calendar.model.js';
import type { Bucket } from './transaction-summary.model.js';

/** Column with the time of a row: days or hours since 1970, or an instant, whose unit is 1. */
export interface TimeColumn {
  readonly name: string;
  /** In milliseconds. */
  readonly unit: number;
  /** Milliseconds after the beginning of the row's unit. The bucket that contains this time gets the row. */
  readonly after: number;
  /** Whether the bucket that contains the middle of the half day gets the row instead. */
  readonly isOfHalfDay: boolean;
}

/** SQL key of a row: its hour, or its local day, from which weeks and months are computed. */
export function keyOfRow(calendar: Calendar, time: TimeColumn): RawBuilder<number | null> {
  if (calendar.bucket === 'none') return sql`null`;
  return calendar.bucket === 'hour' ? hourOf(calendar, time) : dayOf(calendar, time);
}

function hourOf(calendar: Calendar, time: TimeColumn): RawBuilder<number> {
  if (hasWholeHours(calendar)) return sql`${localUnits(time, sql.lit(0), HOUR)} * ${sql.lit(HOUR)}`;
  const offset = offsetOf(calendar, time);
  return greaterOf(
    sql<number>`${localUnits(time, offset, HOUR)} * ${sql.lit(HOUR)} - ${offset}`,
    chosen(calendar, time, ({ at }) => at),
  );
}

function dayOf(calendar: Calendar, time: TimeColumn): RawBuilder<number> {
  if (time.unit === DAY && isUtc(calendar)) return unitOf(time);
  return localUnits(time, offsetOf(calendar, time), DAY);
}

/**
 * Local days or hours since 1970. Adds a day before each division, because local time may be before 1970 and
 * divisions would round negative numbers up.
 */
function localUnits(time: TimeColumn, offset: RawBuilder<number>, unit: number): RawBuilder<number> {
  const shift = sql<number>`${offset} + ${sql.lit(DAY + time.after)}`;
  const since =
    time.unit === 1
      ? shiftedUnits(time.name, shift, unit)
      : sql`(${unitOf(time)} * ${sql.lit(time.unit)} + ${shift}) / ${sql.lit(unit)}`;
  return sql`(${since} - ${sql.lit(DAY / unit)})`;
}

/** Day or hour that determines the bucket of a row. */
function unitOf({ name, isOfHalfDay }: TimeColumn): RawBuilder<number> {
  const unit = sql.ref<number>(name);
  return isOfHalfDay ? sql`(${unit} / 12 * 12 + 6)` : sql`${unit}`;
}

const offsetOf = (calendar: Calendar, time: TimeColumn): RawBuilder<number> =>
  chosen(calendar, time, ({ offset }) => offset);

/** SQL number of the offset change that applies at the time of a row. */
function chosen(
  { offsets }: Calendar,
  time: TimeColumn,
  number: (change: OffsetChange) => number,
): RawBuilder<number> {
  const values = offsets.map((change) => sql.lit(number(change)));
  const cases = offsets.slice(1).map(({ at }, index) => {
    const end =
      time.unit === 1 ? instant.toColumn(new Date(at)) : sql.lit(Math.ceil((at - time.after) / time.unit));
    return sql`when ${unitOf(time)} < ${end} then ${values[index]}`;
  });
  const last = values.at(-1) ?? sql.lit(0);
  return cases.length === 0 ? sql`${last}` : sql`case ${sql.join(cases, sql` `)} else ${last} end`;
}

/** SQL bucket of a key of `keyOfRow` in the column `bucket`. */
export function bucketOfKey(bucket: Bucket): RawBuilder<number | null> {
  const key = sql.ref<number>('bucket');
  if (bucket === 'week') return sql`(${key} + 3) / 7`;
  return bucket === 'month' ? monthOf(key) : sql`${key}`;
}

/** Months since March of the year 0, from days since 1970, by cycles of 400, 100, 4 years and 1 year. */
function monthOf(day: RawBuilder<number>): RawBuilder<number> {
  const sinceYear0 = sql`(${day} + 719468)`;
  const ofEra = sql`(${sinceYear0} % 146097)`;
  const years = sql`((${ofEra} - ${ofEra} / 1460 + ${ofEra} / 36524 - ${ofEra} / 146096) / 365)`;
  const ofYear = sql`(${ofEra} - (365 * ${years} + ${years} / 4 - ${years} / 100))`;
  return sql`(${sinceYear0} / 146097 * 400 + ${years}) * 12 + (5 * ${ofYear} + 2) / 153`;
}
