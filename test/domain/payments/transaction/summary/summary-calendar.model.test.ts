import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  segmentsOf,
  startOf,
  zonedCalendar,
} from '../../../../../src/domain/payments/transaction/summary/summary-calendar.model.js';
import { unitsToRead } from '../../../../../src/domain/payments/transaction/summary/summary-sources.rules.js';
import { DAY, HOUR, MINUTE } from '../../../../../src/platform/clock.js';
import { offsetAt, offsetsIn } from '../../../../../src/platform/time-zones.js';
import { bucketStart, localMinute } from './local-time.js';

const ZONES = [
  ...['America/Sao_Paulo', 'America/New_York', 'America/St_Johns', 'Europe/London', 'Africa/Casablanca'],
  ...['Asia/Kathmandu', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'Pacific/Chatham', 'UTC'],
];
const QUARTER = 15 * MINUTE;
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
  it('is each instant once, in the bucket that it is in', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.constantFrom(...BUCKETS),
        instants,
        fc.integer({ min: 1, max: 70 * DAY }),
        (zone, bucket, from, length) => {
          const period = { from, to: from + length };
          const calendar = zonedCalendar(bucket, zone, period);
          const wide = { from: from - 2 * DAY, to: period.to + 2 * DAY };
          const buckets = new Map<number, number>();
          for (const segment of segmentsOf(calendar, wide)) {
            for (let at = Math.ceil(segment.from / QUARTER); at < segment.to / QUARTER; at += 1) {
              buckets.set(at, segment.key);
            }
          }
          /** Number of reads of each quarter of an hour, by bucket. */
          const read = new Map<number, Map<number | undefined, number>>();
          for (const { of, part, isTaken, only, except = [], ...range } of unitsToRead(calendar, period)) {
            const unit = of === 'day' ? DAY : HOUR;
            const all = Array.from({ length: range.to - range.from }, (_, index) => range.from + index);
            for (const start of (only ?? all.filter((each) => !except.includes(each))).map((n) => n * unit)) {
              const [first, end] = [start + (part?.from ?? 0), start + (part?.to ?? unit)];
              const isOfHalf = of === 'day' || isTaken === true;
              const middle = Math.floor(first / (12 * HOUR)) * 12 * HOUR + 6 * HOUR;
              for (let at = first; at < end; at += QUARTER) {
                // Each transaction of an hour that is read from them is in its own bucket.
                const place = of === 'instant' ? at : isOfHalf ? middle : first;
                const key = buckets.get(place / QUARTER);
                const counts = read.get(at) ?? new Map<number | undefined, number>();
                counts.set(key, (counts.get(key) ?? 0) + (isTaken === true ? -1 : 1));
                read.set(at, counts);
              }
            }
          }
          for (const [at, counts] of read) {
            const left = [...counts].filter(([, count]) => count !== 0);
            expect(left, new Date(at).toISOString()).toEqual([[buckets.get(at / QUARTER), 1]]);
          }
          const first = Math.floor(from / HOUR) * HOUR;
          expect(read.size).toBe((Math.ceil(period.to / HOUR) * HOUR - first) / QUARTER);
          // At some times; local time is slow.
          for (const at of [...read.keys()].filter((_, index) => index % 401 === 0)) {
            const start = startOf(calendar, buckets.get(at / QUARTER) ?? Number.NaN);
            expect(start?.getTime()).toBe(bucketStart(bucket.toUpperCase() as 'DAY', zone, at));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is days of UTC or their halves with what belongs to others, and no transaction', () => {
    const period = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2027, 0, 1) };
    const unitsIn = (zone: string, bucket: 'day' | 'hour' | 'month' = 'day') =>
      unitsToRead(zonedCalendar(bucket, zone, period), period).map(
        ({ of, part, isTaken, only, except, from, to }) => {
          const units = only?.length ?? to - from - (except?.length ?? 0);
          const minutes = part === undefined ? [] : [part.from / MINUTE, part.to / MINUTE];
          return [of, ...minutes, ...(isTaken === true ? ['taken'] : []), units].join(' ');
        },
      );
    // Five hours of each day in winter, four in summer, and one on the day of a change.
    const moved = (365 - 238) * 5 + 238 * 4;
    expect(unitsIn('America/New_York')).toEqual([
      'day 365',
      `hour 0 60 ${moved}`,
      `hour 0 60 taken ${moved}`,
    ]);
    expect(unitsIn('Asia/Kolkata')).toEqual([
      'day 365',
      'hour 30 60 365',
      'hour 30 60 taken 365',
      `hour 0 60 ${365 * 5}`,
      `hour 0 60 taken ${365 * 5}`,
    ]);
    expect(unitsIn('Asia/Kathmandu')).toEqual([
      'day 365',
      'hour 15 60 365',
      'hour 15 60 taken 365',
      `hour 0 60 ${365 * 5}`,
      `hour 0 60 taken ${365 * 5}`,
    ]);
    expect(unitsIn('Asia/Tokyo')).toEqual([
      ...['day 0 720 365', 'day 720 1440 365'],
      ...[`hour 0 60 ${365 * 3}`, `hour 0 60 taken ${365 * 3}`],
    ]);
    expect(unitsIn('Asia/Kolkata', 'hour')).toEqual([`hour 0 30 ${365 * 24}`, `hour 30 60 ${365 * 24}`]);
    // Three or four hours at the end of each month but the last.
    expect(unitsIn('America/New_York', 'month')).toEqual(['day 365', 'hour 0 60 52', 'hour 0 60 taken 52']);
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

  it('is the end of the day before, also where a day begins twice', () => {
    // Clocks went back by an hour a minute after midnight of the 29th.
    const period = { from: Date.UTC(2006, 9, 28), to: Date.UTC(2006, 9, 31) };
    const segments = segmentsOf(zonedCalendar('day', 'America/St_Johns', period), period);
    expect(segments.map(({ from }) => new Date(from).toISOString().slice(8, 16))).toEqual([
      ...['28T00:00', '28T02:30', '29T02:30', '29T02:31', '29T03:30', '30T03:30'],
    ]);
  });
});
