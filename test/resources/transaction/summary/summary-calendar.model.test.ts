import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { DAY, HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { offsetAt, offsetsIn } from '../../../../src/platform/time-zones.js';
import {
  dividedUnits,
  startOf,
  zonedCalendar,
} from '../../../../src/resources/transaction/summary/summary-calendar.model.js';
import { unitsToRead } from '../../../../src/resources/transaction/summary/summary-sources.rules.js';
import { bucketStart, localMinute } from './local-time.js';

const ZONES = [
  ...['America/Sao_Paulo', 'America/New_York', 'America/St_Johns', 'Europe/London', 'Africa/Casablanca'],
  ...['Asia/Kathmandu', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'Pacific/Chatham', 'UTC'],
];
const BUCKETS = ['hour', 'day', 'week', 'month'] as const;
const instants = fc.integer({ min: Date.UTC(1985, 0, 1), max: Date.UTC(2037, 0, 1) });

describe('offsets of a zone', () => {
  it('hold from each change to the next one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        instants,
        fc.nat(400),
        fc.nat(400 * DAY),
        (zone, from, days, more) => {
          const offsets = offsetsIn(zone, from, from + days * DAY + 1);
          const at = from + Math.min(more, days * DAY);
          expect(offsets.filter((change) => change.at <= at).at(-1)?.offset).toBe(offsetAt(zone, at));
          for (const { at: changed } of offsets.slice(1)) {
            expect(offsetAt(zone, changed)).not.toBe(offsetAt(zone, changed - 1));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('have seconds where local time had', () => {
    expect(offsetsIn('Africa/Monrovia', Date.UTC(1971, 11, 1), Date.UTC(1972, 1, 1))).toEqual([
      { at: Date.UTC(1971, 11, 1), offset: -(44 * MINUTE + 30_000) },
      { at: Date.UTC(1972, 0, 7, 0, 44, 30), offset: 0 },
    ]);
  });
});

describe('what is read for a period', () => {
  it('is each instant once, and totals of one bucket only', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.constantFrom(...BUCKETS),
        instants,
        fc.integer({ min: 1, max: 70 * DAY }),
        (zone, bucket, from, length) => {
          const period = { from, to: from + length };
          const calendar = zonedCalendar(bucket, zone, period);
          /** Of each hour, how often it is in which bucket: the one of the zone is null, otherwise a day of UTC. */
          const read = new Map<number, Map<number | null, number>>();
          const tables = new Map<number, string>();
          for (const { of, only, except = [], ofUtcDay, ...range } of unitsToRead(calendar, period)) {
            const all = Array.from({ length: range.to - range.from }, (_, index) => range.from + index);
            const units = only ?? all.filter((unit) => !except.includes(unit));
            const length = of === 'day' ? 24 : 1;
            for (const hour of units.flatMap((unit) => Array.from({ length }, (_, n) => unit * length + n))) {
              const day = ofUtcDay === undefined ? null : Math.floor(hour / 24);
              const counts = read.get(hour) ?? new Map<number | null, number>();
              counts.set(day, (counts.get(day) ?? 0) + (ofUtcDay === 'taken' ? -1 : 1));
              read.set(hour, counts);
              tables.set(hour, of);
            }
          }
          const hours = new Map<number, string>();
          for (const [hour, counts] of read) {
            const left = [...counts].filter(([, count]) => count !== 0);
            expect(left, `hour ${hour}`).toEqual([[expect.toSatisfy(() => true), 1]]);
            hours.set(hour, tables.get(hour) ?? '');
            const [[day] = [null]] = left;
            const { offset = 0 } =
              calendar.offsets.findLast(({ at }) => at <= hour * HOUR) ?? calendar.offsets[0] ?? {};
            if (day !== null) expect(Math.floor((hour * HOUR + offset) / DAY)).toBe(day);
          }
          const first = Math.floor(from / HOUR);
          expect([...hours.keys()].sort((a, b) => a - b)).toEqual(
            Array.from({ length: Math.ceil(period.to / HOUR) - first }, (_, index) => first + index),
          );
          // At some hours; local time is slow.
          for (const [hour, of] of [...hours].filter((_, index) => index % 101 === 0)) {
            if (of === 'instant') continue;
            const starts = [hour * HOUR, (hour + 1) * HOUR - MINUTE].map((at) =>
              bucketStart(bucket.toUpperCase() as 'DAY', zone, at),
            );
            expect(new Set(starts).size).toBe(1);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is days of UTC with the hours that belong to others, or hours only, and no transaction', () => {
    const period = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2027, 0, 1) };
    const hours = { from: period.from / HOUR, to: period.to / HOUR };
    const unitsIn = (zone: string) => unitsToRead(zonedCalendar('day', zone, period), period);
    // Five hours of each day in winter, four in summer, and one on the day of a change.
    const days = { from: period.from / DAY, to: period.to / DAY };
    const [whole, added, taken] = unitsIn('America/New_York');
    expect(whole).toEqual({ of: 'day', ...days, ofUtcDay: 'part' });
    const moved = (365 - 238) * 5 + 238 * 4;
    expect(added).toMatchObject({ of: 'hour', ...hours });
    expect(added?.only).toHaveLength(moved);
    expect(taken).toEqual({ ...added, ofUtcDay: 'taken' });
    expect(unitsIn('Pacific/Auckland')).toEqual([{ of: 'hour', ...hours, except: [] }]);
    const months = unitsToRead(zonedCalendar('month', 'America/New_York', period), period);
    // One day at the end of each month but the last is divided, and so are no hours.
    expect(months.map(({ of, only, except }) => [of, only?.length, except?.length])).toEqual([
      ['day', undefined, 12],
      ['hour', 12 * 24, undefined],
    ]);
  });
});

describe('the beginning of a day', () => {
  it('is after midnight where clocks are set forward then', () => {
    const calendar = zonedCalendar('day', 'America/Sao_Paulo', {
      from: Date.UTC(2018, 10, 1),
      to: Date.UTC(2018, 10, 9),
    });
    const start = startOf(calendar, Date.UTC(2018, 10, 4) / DAY);
    expect(start?.toISOString()).toBe('2018-11-04T03:00:00.000Z');
    expect(localMinute('America/Sao_Paulo', Number(start))).toBe(Date.UTC(2018, 10, 4, 1));
  });

  it('divides hours in zones that are not whole hours from UTC, and at changes within an hour', () => {
    const period = { from: Date.UTC(2006, 9, 27), to: Date.UTC(2006, 9, 31) };
    const divided = (zone: string): readonly number[] =>
      dividedUnits(zonedCalendar('day', zone, period), HOUR, {
        from: period.from / HOUR,
        to: period.to / HOUR,
      });
    expect(divided('Asia/Kathmandu')).toHaveLength(4);
    expect(divided('America/New_York')).toEqual([]);
    // Clocks went back by an hour a minute after midnight of the 29th, so that day begins twice.
    expect(divided('America/St_Johns')).toEqual([2, 26, 50, 51, 75].map((hour) => period.from / HOUR + hour));
  });
});
