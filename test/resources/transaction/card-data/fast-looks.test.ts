import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { cardNumbers } from '../../../../src/resources/transaction/card-data/card-numbers.rules.js';
import { isTextIn } from '../../../../src/resources/transaction/card-data/views/bytes.rules.js';
import {
  base64Runs,
  hexRuns,
  type EncodedRuns,
} from '../../../../src/resources/transaction/card-data/views/encoded-runs.rules.js';
import { read, unitsOf } from '../../../../src/resources/transaction/card-data/views/view.rules.js';

/** What is found without shortcuts: regular expressions and a look at every part. */
function runsIn(text: string, run: RegExp): number[][] {
  return Array.from(text.matchAll(run), (match) =>
    Array.from(match[0].matchAll(/[\w+/-]/g))
      .filter(([digit]) => run.source.includes('+') || /[0-9a-f]/i.test(digit))
      .map((digit) => match.index + digit.index),
  );
}
const HEX_RUN = /[0-9a-f]{2}(?:[\s:-]?[0-9a-f]{2}){5,}[0-9a-f]?/gi;
const BASE64_RUN = /[A-Za-z0-9+/_-](?:[\r\n]{0,2}[A-Za-z0-9+/_-]){8,}/g;

const placesOf = ({ places, bounds }: EncodedRuns): number[][] =>
  bounds.map(([first, end]) => Array.from(places.subarray(first, end)));

const textOf = (characters: string, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...Array.from(characters)), maxLength });

function isLuhnValid(digits: string): boolean {
  const weighted = Array.from(digits, Number).map((digit, at) =>
    (digits.length - at) % 2 === 0 ? digit * 2 - (digit > 4 ? 9 : 0) : digit,
  );
  return weighted.reduce((sum, each) => sum + each, 0) % 10 === 0;
}

const OF_SCHEMES: Readonly<Record<number, RegExp>> = {
  13: /^4/,
  14: /^3[0689]/,
  15: /^3[47]/,
  16: /^(?:2[2-7]|3[05689]|4|5|6|81)/,
  17: /^(?:3[05689]|5[0678]|6|81)/,
  18: /^(?:3[05689]|5[0678]|6|81)/,
  19: /^(?:3[05689]|4|5[0678]|6|81)/,
};

/** Each place of a run of digits that must be hidden, by a look at every part of it. */
function hiddenPlaces(digits: string): number[] {
  const hidden = new Set<number>();
  for (let start = 0; start < digits.length; start += 1) {
    for (let end = start + 13; end <= Math.min(digits.length, start + 19); end += 1) {
      const number = digits.slice(start, end);
      if (!isLuhnValid(number) || OF_SCHEMES[number.length]?.test(number) !== true) continue;
      for (let at = start + 6; at < end - 4; at += 1) hidden.add(at);
    }
  }
  return [...hidden].sort((a, b) => a - b);
}

describe('AT-27 fast looks find what slow ones find', () => {
  it('runs of hex digits', () => {
    const alphabet = textOf('0123456789abcdefABCDEF0123456789ab :-\u2028g', 120);
    fc.assert(
      fc.property(alphabet, (text) => {
        expect(placesOf(hexRuns(unitsOf(text)))).toEqual(runsIn(text, HEX_RUN));
      }),
      { numRuns: 3_000 },
    );
    const words = fc.array(fc.oneof(textOf('0f', 30), textOf('0f -:x', 9)), { maxLength: 8 });
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join('');
        expect(placesOf(hexRuns(unitsOf(text)))).toEqual(runsIn(text, HEX_RUN));
      }),
      { numRuns: 3_000 },
    );
  });

  it('runs of Base64', () => {
    fc.assert(
      fc.property(textOf('ABCxyz019+/-_AAAA\r\n é', 80), (text) => {
        expect(placesOf(base64Runs(unitsOf(text)))).toEqual(runsIn(text, BASE64_RUN));
      }),
      { numRuns: 3_000 },
    );
  });

  it('digits and names among bytes that are no text', () => {
    const noise = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
    const part = fc.oneof(noise, textOf('0123456789', 14), textOf('1 .\u00ff', 9), textOf('cvCVpintr', 5));
    const place = fc.integer({ min: 0, max: 9_000 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), place, (parts, before) => {
        const text = `${'\u00fe'.repeat(before)}${parts.join('')}`;
        const expected = /\d(?:[^a-z0-9]{0,6}\d){12}|cvc|cvv|pin|track|trilha|senha/i.test(text);
        const bytes = Buffer.from(`${text}4111111111111111`, 'latin1');
        expect(isTextIn(bytes, text.length)).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(['x', '\u00ff\u00fe'])('a number across any two parts of %j', (other) => {
    for (let before = 4_000; before < 4_200; before += 1) {
      const text = `${other.repeat(before).slice(0, before)}4......1......1......1......1111......1111......1x`;
      const bytes = Buffer.from(text, 'latin1');
      expect(isTextIn(bytes, bytes.length)).toBe(true);
    }
  });

  it('numbers of each length amid other digits', () => {
    const digits = fc
      .array(fc.integer({ min: 0, max: 9 }), { minLength: 21, maxLength: 90 })
      .map((each) => each.join(''));
    fc.assert(
      fc.property(digits, (run) => {
        const text = `a${run}b`;
        const hidden = cardNumbers(read(text)).flatMap(([from, to]) =>
          Array.from({ length: to - from }, (_, index) => from + index - 1),
        );
        expect([...new Set(hidden)].sort((a, b) => a - b)).toEqual(hiddenPlaces(run));
      }),
      { numRuns: 2_000 },
    );
  });
});
