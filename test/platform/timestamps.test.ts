import { describe, expect, it } from 'vitest';

import { readConfig } from '../../src/platform/config/config.js';
import { parsePeriod } from '../../src/platform/config/parsing.js';
import { instantBefore, readInterval } from '../../src/platform/timestamps.js';

describe('readInterval', () => {
  it.each([
    ['2026-01-05', 86_400_000],
    ['2026-01-05T12:00Z', 60_000],
    ['2026-01-05T12:00:00Z', 1_000],
    ['2016-12-31T23:59:60Z', 1_000],
    ['2026-01-05T12:00:00.000Z', 1],
  ])('gives %s %i milliseconds', (text, length) => {
    const { from = 0, to = 0 } = readInterval(text) ?? {};
    expect(to - from).toBe(length);
  });

  it('reads a plus sign that was not percent-encoded', () => {
    expect(readInterval('2026-01-05T15:00:00 03:00')).toEqual(readInterval('2026-01-05T12:00:00Z'));
  });
});

describe('a period', () => {
  it.each([
    ['1 day', { months: 0, days: 1 }],
    ['90d', { months: 0, days: 90 }],
    ['12 weeks', { months: 0, days: 84 }],
    ['24m', { months: 24, days: 0 }],
    ['13 Months', { months: 13, days: 0 }],
    ['2y', { months: 24, days: 0 }],
    ['100 years', { months: 1_200, days: 0 }],
  ])('is read from %s', (text, period) => {
    expect(parsePeriod(text)).toEqual(period);
  });

  it.each([
    '',
    '0 days',
    '1',
    'days',
    '1.5 months',
    '-1 day',
    '1 hour',
    '15 min',
    '1 day 2',
    '101 years',
    '99999d',
  ])('is not read from "%s"', (text) => {
    expect(() => parsePeriod(text)).toThrow(/^must be /);
  });

  it.each([
    ['2026-03-31T12:00:00.000Z', '1 month', '2026-02-28T12:00:00.000Z'],
    ['2024-03-31T12:00:00.000Z', '1 month', '2024-02-29T12:00:00.000Z'],
    ['2026-01-15T00:00:00.001Z', '13 months', '2024-12-15T00:00:00.001Z'],
    ['2024-02-29T23:59:59.999Z', '1 year', '2023-02-28T23:59:59.999Z'],
    ['2026-03-01T00:00:00.000Z', '1 day', '2026-02-28T00:00:00.000Z'],
    ['2026-11-25T08:30:00.000Z', '90 days', '2026-08-27T08:30:00.000Z'],
  ])('before %s, %s is %s', (now, text, before) => {
    expect(instantBefore(new Date(now), parsePeriod(text)).toISOString()).toBe(before);
  });
});

describe('the settings KEEP_…', () => {
  const settings = { DATABASE_URL: 'file:x.db' };

  it('have their defaults, and can be for ever', () => {
    expect(readConfig(settings).keep).toEqual({
      transactions: null,
      ledger: { months: 13, days: 0 },
      deliveries: { months: 0, days: 90 },
      logs: { months: 0, days: 30 },
    });
    const given = {
      KEEP_TRANSACTIONS: '24 months',
      KEEP_LEDGER: 'forever',
      KEEP_DELIVERIES: ' 7d ',
      KEEP_LOGS: '2w',
    };
    expect(readConfig({ ...settings, ...given }).keep).toEqual({
      transactions: { months: 24, days: 0 },
      ledger: null,
      deliveries: { months: 0, days: 7 },
      logs: { months: 0, days: 14 },
    });
  });

  it('are refused with the name, and what they must be', () => {
    expect(() => readConfig({ ...settings, KEEP_LEDGER: '12 hours', KEEP_DELIVERIES: 'never' })).toThrow(
      [
        'KEEP_LEDGER: must be a length of time from 1 day on, for example 90 days or 13 months; or forever',
        'KEEP_DELIVERIES: must be a length of time from 1 day on, for example 90 days or 13 months; or forever',
      ].join('\n'),
    );
  });
});
