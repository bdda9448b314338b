import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  isOffHalfHours,
  rangesToRead,
} from '../../../../../src/domain/payments/transaction/summary/transaction-summary.model.js';
import { offsetsFor, segmentsOf } from '../../../../../src/platform/buckets.js';
import { DAY, MINUTE } from '../../../../../src/platform/clock.js';
import { offsetAt, offsetsIn } from '../../../../../src/platform/time-zones.js';
import { localMinute } from './expected-summary.js';

const ZONES = [
  'America/Sao_Paulo',
  'America/New_York',
  'America/St_Johns',
  'Europe/London',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'UTC',
];
type Bucket = 'hour' | 'day' | 'week' | 'month';
type Period = Parameters<typeof offsetsFor>[1];
const segmentsIn = (bucket: Bucket, zone: string, period: Period) =>
  segmentsOf(bucket, offsetsFor(zone, period), period);
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
  it('is the longest spans within the buckets, and no transaction where days begin at half hours', () => {
    const period = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2027, 0, 1) };
    const spansIn = (zone: string, bucket: Bucket = 'day') =>
      Object.fromEntries(
        [...rangesToRead(bucket, segmentsIn(bucket, zone, period))].map(([of, ranges]) => {
          const length = of === 'instant' ? 1 : of * MINUTE;
          return [of, ranges.reduce((sum, { from, to }) => sum + (to - from) / length, 0)];
        }),
      );
    const days = { 360: 365 * 3, 30: 365 * 12 };
    for (const zone of ['America/Sao_Paulo', 'America/New_York', 'Asia/Kolkata', 'Asia/Tokyo']) {
      expect(spansIn(zone), zone).toEqual(days);
    }
    expect(spansIn('Asia/Shanghai', 'month')).toEqual({ 1440: 365 - 12, 360: 12 * 3, 30: 12 * 12 });
    expect(spansIn('UTC')).toEqual({ 1440: 365 });
    expect(spansIn('Asia/Kolkata', 'hour')).toEqual({ 30: 365 * 48 });
    // Days begin at 18:15 UTC: the transactions of half an hour are read.
    expect(spansIn('Asia/Kathmandu')).toEqual({ 360: 365 * 3, 30: 365 * 11, instant: 365 * 30 * MINUTE });
  });

  it('has transactions in three zones that are in use', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const off = zones.filter((zone) => offsetAt(zone, Date.UTC(2026, 0, 1)) % (30 * MINUTE) !== 0);
    expect(off.sort()).toEqual(['Asia/Katmandu', 'Australia/Eucla', 'Pacific/Chatham']);
    for (const zone of off) expect(isOffHalfHours(zone)).toBe(true);
    for (const zone of ['America/Sao_Paulo', 'Asia/Kolkata']) expect(isOffHalfHours(zone)).toBe(false);
  });
});

describe('the beginning of a day', () => {
  it('is after midnight where clocks are set forward then', () => {
    const period = { from: Date.UTC(2018, 10, 1), to: Date.UTC(2018, 10, 9) };
    const starts = segmentsIn('day', 'America/Sao_Paulo', period).map((segment) => segment.bucketStart);
    const start = Date.UTC(2018, 10, 4, 3);
    expect(starts).toContain(start);
    expect(localMinute('America/Sao_Paulo', start)).toBe(Date.UTC(2018, 10, 4, 1));
  });

  it('is the end of the day before, also where a day begins twice', () => {
    // Clocks went back by an hour a minute after midnight of the 29th.
    const period = { from: Date.UTC(2006, 9, 28), to: Date.UTC(2006, 9, 31) };
    expect(
      segmentsIn('day', 'America/St_Johns', period).map(({ from }) =>
        new Date(from).toISOString().slice(8, 16),
      ),
    ).toEqual(['28T00:00', '28T02:30', '29T02:30', '29T02:31', '29T03:30', '30T03:30']);
  });
});
