/** Days whose clocks are changed, also at midnight: a day begins with its first instant. */
import { afterEach, describe, expect, it, vi } from 'vitest';

import { INTERVALS, instantOf, intervalOf, startsOf } from '../../src/console/text/zone.js';
import { calendarRange, CALENDAR_INTERVALS, offsetsFor, segmentsOf } from '../../src/platform/buckets.js';
import { DAY, HOUR, MINUTE } from '../../src/platform/clock.js';
import { offsetAt, offsetsIn } from '../../src/platform/time-zones.js';

const YEAR = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2027, 0, 1) };

/** Each local day of 2026 in which the clocks of a zone are changed, and the day after, with its first instant. */
const DAYS = Intl.supportedValuesOf('timeZone').flatMap((zone) => {
  const offsets = offsetsIn(zone, YEAR.from, YEAR.to);
  return offsets.slice(1).flatMap(({ at, offset }) => {
    const day = Math.floor((at + offset) / DAY);
    return [day, day + 1].map((each) => {
      let first = each * DAY - 15 * HOUR;
      while (Math.floor((first + offsetAt(zone, first)) / DAY) < each) first += 15 * MINUTE;
      return { zone, date: new Date(each * DAY).toISOString().slice(0, 10), first };
    });
  });
});

describe('days of the calendar', () => {
  it.each(CALENDAR_INTERVALS)(
    '%s is the same in a filter of the API and on pages, in zones all over the world',
    (name) => {
      const shownAs = INTERVALS.find((each) => each.toLowerCase() === name) ?? 'TODAY';
      const wrong = DAYS.flatMap(({ zone, first }) =>
        [first, first - 1, first + 40 * HOUR].flatMap((now) => {
          const { from, to } = calendarRange(name, zone, now);
          const page = intervalOf(shownAs, zone, new Date(now));
          const isSame = Date.parse(page.from) === from && Date.parse(page.to) === to;
          return isSame ? [] : [{ zone, now: new Date(now).toISOString(), from, to, page }];
        }),
      );
      expect(wrong).toEqual([]);
    },
  );
});

describe('the first instant of a day', () => {
  it('is 04:00Z in Santiago on 2026-09-06, which has no midnight', () => {
    expect(instantOf('2026-09-06T00:00', 'America/Santiago').toISOString()).toBe('2026-09-06T04:00:00.000Z');
  });

  it('is the same for a filter of the console and for a bucket of a summary in every time zone', () => {
    expect(DAYS.length).toBeGreaterThan(400);
    const wrong = DAYS.flatMap(({ zone, date, first }) => {
      const period = { from: first, to: first + HOUR };
      const bucket = segmentsOf('day', offsetsFor(zone, period), period)[0]?.bucketStart;
      const filter = instantOf(`${date}T00:00`, zone).getTime();
      return bucket === first && filter === first ? [] : [{ zone, date, first, bucket, filter }];
    });
    expect(wrong).toEqual([]);
  });
});

describe('an interval of the console', () => {
  it.each([
    ['TODAY', '2026-03-31T03', '2026-04-01T03', '2026-03-30T03', '2026-03-30T15:20'],
    ['YESTERDAY', '2026-03-30T03', '2026-03-31T03', '2026-03-29T03', '2026-03-30T03'],
    ['LAST_7_DAYS', '2026-03-25T03', '2026-04-01T03', '2026-03-18T03', '2026-03-24T15:20'],
    ['LAST_30_DAYS', '2026-03-02T03', '2026-04-01T03', '2026-01-31T03', '2026-03-01T15:20'],
    // February has no day 31.
    ['THIS_MONTH', '2026-03-01T03', '2026-04-01T03', '2026-02-01T03', '2026-03-01T03'],
    ['LAST_MONTH', '2026-02-01T03', '2026-03-01T03', '2026-01-01T03', '2026-02-01T03'],
  ] as const)('%s has whole days, and before it a time as long', (name, from, to, earlier, until) => {
    const instant = (text: string): string => new Date(`${text.padEnd(16, ':00')}Z`).toISOString();
    expect(intervalOf(name, 'America/Sao_Paulo', new Date('2026-03-31T15:20:30Z'))).toEqual({
      from: instant(from),
      to: instant(to),
      before: { from: instant(earlier), to: instant(until) },
    });
  });

  it('of the present includes it, and ends where the next begins, on days with changed clocks', () => {
    const zones = ['America/Santiago', 'Australia/Lord_Howe'];
    for (const { zone, first } of DAYS.filter((day) => zones.includes(day.zone))) {
      for (const hours of [0, 12, 22]) {
        const now = new Date(first + hours * HOUR);
        const [today, yesterday, , , month, lastMonth] = INTERVALS.map((name) => intervalOf(name, zone, now));
        expect(today && today.from <= now.toISOString() && now.toISOString() < today.to).toBe(true);
        expect([yesterday?.to, lastMonth?.to]).toEqual([today?.from, month?.from]);
        for (const each of INTERVALS) {
          const { from, before } = intervalOf(each, zone, now);
          expect(before.from <= before.to && before.to <= from).toBe(true);
        }
      }
    }
  });
});

describe('the overview of the console', () => {
  afterEach(() => void vi.useRealTimers());

  it.each([
    // Clocks went back from Sunday 00:00 to Saturday 23:00, on 2026-04-05.
    ['2026-04-06T03:30:00Z', '2026-04-05T04:00:00.000Z', '2026-03-30T03:00:00.000Z'],
    // They went forward from Sunday 00:00 to 01:00, on 2026-09-06.
    ['2026-09-06T04:10:00Z', '2026-09-06T04:00:00.000Z', '2026-08-31T04:00:00.000Z'],
    ['2026-09-12T03:30:00Z', '2026-09-12T03:00:00.000Z', '2026-09-06T04:00:00.000Z'],
  ])('counts the day and the 7 days of Santiago at %s from their first instants', (now, day, week) => {
    vi.useFakeTimers({ now: new Date(now), toFake: ['Date'] });
    expect(startsOf('America/Santiago')).toMatchObject({ day, week });
  });
});
