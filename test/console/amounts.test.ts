import { expect, it } from 'vitest';

import { readAmount } from '../../src/console/text/index.js';

it.each<[string, number, number | null]>([
  ['1,234.56', 100, 123_456],
  ['1.234,56', 100, 123_456],
  ['1.234', 100, 123_400],
  ['12.5', 100, 1_250],
  ['1.234.567', 100, 123_456_700],
  ['123456', 1, 123_456],
  ['1,234', 1, 1_234],
  ['1.234', 1_000, 1_234],
  ['1,234', 1_000, 1_234],
  ['12.5', 1_000, 12_500],
  ['1.234,567', 1_000, 1_234_567],
  ['1,234.5', 1_000, 1_234_500],
  ['1.234.567', 1_000, 1_234_567_000],
  ['1 234', 100, null],
  ['ten', 100, null],
])('"%s" with %i smallest units is %s', (typed, unit, amount) => {
  expect(readAmount(typed, unit)).toBe(amount);
});
