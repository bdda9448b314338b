import { describe, expect, it } from 'vitest';

import { readInstant, readInterval } from '../../../src/platform/encoding/timestamp.js';
import { ACCEPTED_TIMESTAMPS, REFUSED_TIMESTAMPS } from '../../support/timestamps.js';

describe('readInstant', () => {
  it.each(ACCEPTED_TIMESTAMPS)('reads %s as %s', (text, instant) => {
    expect(readInstant(text)?.toISOString()).toBe(instant);
  });

  it.each([...REFUSED_TIMESTAMPS, '2026-01-05'])('refuses %j', (text) => {
    expect(readInstant(text)).toBeUndefined();
  });
});

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
