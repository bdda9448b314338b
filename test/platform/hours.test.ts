import fc from 'fast-check';
import { expect, it } from 'vitest';

import { DAY, HOUR, MINUTE } from '../../src/platform/clock.js';
import { type Hours, isOpen, openSince, WEEKDAYS } from '../../src/platform/hours.js';

/** The hour and the weekday that a clock shows. */
function clockOf(timeZone: string): (at: number) => { hour: number; weekday: number } {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    hourCycle: 'h23',
    weekday: 'long',
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const weekday = WEEKDAYS.findIndex((day) => day === parts.weekday?.toLowerCase());
    return { hour: Number(parts.hour), weekday };
  };
}

/** Looks at the clock of a minute. */
function plainlyOpen({ fromHour, toHour, timeZone, days }: Hours): (at: number) => boolean {
  const clock = clockOf(timeZone);
  const isDay = (weekday: number) => !days || days.some((day) => WEEKDAYS.indexOf(day) === weekday);
  return (at) => {
    const { hour, weekday } = clock(at);
    if (fromHour < toHour) return hour >= fromHour && hour < toHour && isDay(weekday);
    // Past midnight, the hours began on the day before.
    return (hour >= fromHour && isDay(weekday)) || (hour < toHour && isDay((weekday + 6) % 7));
  };
}

const ZONES = [
  'UTC',
  'America/Sao_Paulo',
  'America/Santiago',
  'Europe/Lisbon',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
];
/** Clocks are changed in these days in some of the zones. */
const CHANGES = ['2026-03-29', '2026-04-05', '2026-09-06', '2026-10-04', '2026-10-25', '2027-01-05'];

it('time within hours is what clocks show minute by minute, also where they are changed', () => {
  const hours = fc.record({
    fromHour: fc.integer({ min: 0, max: 23 }),
    toHour: fc.integer({ min: 1, max: 24 }),
    timeZone: fc.constantFrom(...ZONES),
    days: fc.option(fc.subarray([...WEEKDAYS], { minLength: 2 }), { nil: null }),
  });
  const now = fc
    .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -600, max: 3_000 }))
    .map(([day, minutes]) => Date.parse(day) + minutes * MINUTE);
  fc.assert(
    fc.property(hours, now, fc.integer({ min: 5, max: 240 }), (given, at, minutes) => {
      const isPlainlyOpen = plainlyOpen(given);
      let [since, left] = [at, minutes];
      while (left > 0) {
        since -= MINUTE;
        if (isPlainlyOpen(since)) left -= 1;
      }
      expect(openSince(given, new Date(at), minutes * MINUTE).toISOString()).toBe(
        new Date(since).toISOString(),
      );
      expect(isOpen(given, new Date(at))).toBe(isPlainlyOpen(at));
    }),
    { numRuns: 150 },
  );
});

it('three days of one hour a week are found within 80 weeks', () => {
  const hours: Hours = { fromHour: 9, toHour: 10, timeZone: 'UTC', days: ['monday'] };
  const now = new Date('2027-01-04T10:00:00Z');
  expect(openSince(hours, now, 3 * DAY).toISOString()).toBe('2025-08-25T09:00:00.000Z');
  expect(now.getTime() - openSince(hours, now, HOUR).getTime()).toBe(HOUR);
});
