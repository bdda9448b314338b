/** Days whose clocks are changed, also at midnight: a day begins with its first instant. */
import { afterEach, describe, expect, it, vi } from 'vitest';

import { instantOf, startsOf } from '../../src/console/text/zone.js';
import { offsetsFor, segmentsOf } from '../../src/platform/buckets.js';
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
