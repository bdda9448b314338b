import { expect, it } from 'vitest';

import { isQuiet } from '../../../../src/domain/fleet/device/silence.service.js';
import { HOUR } from '../../../../src/platform/clock.js';

const rule = (fromHour: number, toHour: number, timeZone = 'UTC', silentFor = HOUR) => ({
  percent: 10,
  silentFor,
  fromHour,
  toHour,
  timeZone,
});

it.each([
  ['2027-01-05T07:59:59Z', rule(8, 18), true],
  ['2027-01-05T08:59:59Z', rule(8, 18), true],
  ['2027-01-05T09:00:00Z', rule(8, 18), false],
  ['2027-01-05T17:59:59Z', rule(8, 18), false],
  ['2027-01-05T18:00:00Z', rule(8, 18), true],
  // Past midnight.
  ['2027-01-05T22:30:00Z', rule(22, 6), true],
  ['2027-01-05T23:00:00Z', rule(22, 6), false],
  ['2027-01-06T05:59:59Z', rule(22, 6), false],
  ['2027-01-06T06:00:00Z', rule(22, 6), true],
  // To the end of the day, and a whole day.
  ['2027-01-05T23:59:59Z', rule(8, 24), false],
  ['2027-01-06T00:00:00Z', rule(8, 24), true],
  ['2027-01-05T07:59:59Z', rule(8, 8), false],
  // São Paulo is three hours behind UTC; Lisbon is an hour ahead of it from 28 March on.
  ['2027-01-05T11:59:59Z', rule(8, 18, 'America/Sao_Paulo'), true],
  ['2027-01-05T12:00:00Z', rule(8, 18, 'America/Sao_Paulo'), false],
  ['2027-03-27T08:30:00Z', rule(8, 18, 'Europe/Lisbon'), true],
  ['2027-03-28T08:30:00Z', rule(8, 18, 'Europe/Lisbon'), false],
  // Santiago has no midnight on 6 September: the day begins at 01:00, 04:00Z. On 4 April it has 23:00 to 24:00 twice.
  ['2026-09-06T04:59:59Z', rule(0, 6, 'America/Santiago'), true],
  ['2026-09-06T05:00:00Z', rule(0, 6, 'America/Santiago'), false],
  ['2026-04-05T03:59:59Z', rule(22, 6, 'America/Santiago', 3 * HOUR), true],
  ['2026-04-05T04:00:00Z', rule(22, 6, 'America/Santiago', 3 * HOUR), false],
  // A longer time than the hours counts from earlier days, a shorter one only within them.
  ['2027-01-05T08:00:00Z', rule(8, 18, 'UTC', 24 * HOUR), false],
  ['2027-01-05T13:59:59Z', rule(8, 18, 'UTC', 6 * HOUR), true],
  ['2027-01-05T14:00:00Z', rule(8, 18, 'UTC', 6 * HOUR), false],
])('at %s, %o opens no alert: %s', (now, on, quiet) => {
  expect(isQuiet(on, new Date(now))).toBe(quiet);
});

it('a rule without hours opens alerts at any time', () => {
  expect(isQuiet({ percent: 10, silentFor: HOUR }, new Date('2027-01-05T03:00:00Z'))).toBe(false);
});
