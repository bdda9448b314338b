/** The bucket of a row as a number of SQL, see `Calendar`. */
import { sql, type RawBuilder } from 'kysely';

import { greaterOf, instant, shiftedUnits } from '../../../database/storage.js';
import { DAY, HOUR } from '../../../platform/clock.js';
import type { OffsetChange } from '../../../platform/time-zones.js';
import { hasWholeHours, isUtc, type Calendar } from './summary-calendar.model.js';
import type { Bucket } from './transaction-summary.model.js';

/** A column with the time of a row: days or hours since 1970, or the instant itself, whose unit is 1. */
export interface TimeColumn {
  readonly name: string;
  /** In milliseconds. */
  readonly unit: number;
}

/** Of one row of a source: its hour, or its local day, from which weeks and months are made. */
export function keyOfRow(calendar: Calendar, time: TimeColumn): RawBuilder<number | null> {
  if (calendar.bucket === 'none') return sql`null`;
  return calendar.bucket === 'hour' ? hourOf(calendar, time) : dayOf(calendar, time);
}

function hourOf(calendar: Calendar, time: TimeColumn): RawBuilder<number> {
  // Rows of totals are of whole local hours.
  if (time.unit === HOUR) return sql`${sql.ref(time.name)} * ${sql.lit(HOUR)}`;
  const offset = hasWholeHours(calendar) ? sql.lit(0) : offsetOf(calendar, time);
  const start = sql<number>`${shifted(time.name, offset, HOUR)} * ${sql.lit(HOUR)} - ${offset} - ${sql.lit(DAY)}`;
  return hasWholeHours(calendar)
    ? start
    : greaterOf(
        start,
        chosen(calendar, time, ({ at }) => at),
      );
}

function dayOf(calendar: Calendar, time: TimeColumn): RawBuilder<number> {
  const column = sql.ref<number>(time.name);
  if (time.unit === DAY && isUtc(calendar)) return sql`${column}`;
  const offset = offsetOf(calendar, time);
  if (time.unit === 1) return sql`${shifted(time.name, offset, DAY)} - 1`;
  return sql`(${column} * ${sql.lit(time.unit)} + ${offset} + ${sql.lit(DAY)}) / ${sql.lit(DAY)} - 1`;
}

/** Local time may be before 1970 by less than a day, where divisions would round to the other side. */
function shifted(column: string, offset: RawBuilder<number>, unit: number): RawBuilder<number> {
  return shiftedUnits(column, sql`${offset} + ${sql.lit(DAY)}`, unit);
}

const offsetOf = (calendar: Calendar, time: TimeColumn): RawBuilder<number> =>
  chosen(calendar, time, ({ offset }) => offset);

/** A number of the change that holds at the time of a row. No row of totals has a change inside that makes a difference. */
function chosen(
  { offsets }: Calendar,
  { name, unit }: TimeColumn,
  number: (change: OffsetChange) => number,
): RawBuilder<number> {
  const values = offsets.map((change) => sql.lit(number(change)));
  const cases = offsets.slice(1).map(({ at }, index) => {
    const end = unit === 1 ? instant.toColumn(new Date(at)) : sql.lit(Math.ceil(at / unit));
    return sql`when ${sql.ref(name)} < ${end} then ${values[index]}`;
  });
  const last = values.at(-1) ?? sql.lit(0);
  return cases.length === 0 ? sql`${last}` : sql`case ${sql.join(cases, sql` `)} else ${last} end`;
}

/** The bucket of a key that `keyOfRow` has made, which is in the column `bucket`. */
export function bucketOfKey(bucket: Bucket): RawBuilder<number | null> {
  const key = sql.ref<number>('bucket');
  if (bucket === 'week') return sql`(${key} + 3) / 7`;
  return bucket === 'month' ? monthOf(key) : sql`${key}`;
}

/** Months since March of the year 0 of a number of days since 1970, by the lengths of 400, 100, 4 years and 1 year. */
function monthOf(day: RawBuilder<number>): RawBuilder<number> {
  const sinceYear0 = sql`(${day} + 719468)`;
  const ofEra = sql`(${sinceYear0} % 146097)`;
  const years = sql`((${ofEra} - ${ofEra} / 1460 + ${ofEra} / 36524 - ${ofEra} / 146096) / 365)`;
  const ofYear = sql`(${ofEra} - (365 * ${years} + ${years} / 4 - ${years} / 100))`;
  return sql`(${sinceYear0} / 146097 * 400 + ${years}) * 12 + (5 * ${ofYear} + 2) / 153`;
}
