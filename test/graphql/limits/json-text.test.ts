import fc from 'fast-check';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { JsonMeasure } from '../../../src/graphql/limits/limits.js';
import { systemClock } from '../../../src/platform/clock.js';
import { turnsOf } from '../../support/turns.js';

afterEach(async () => {
  vi.restoreAllMocks();
  // The turn that began with the other clock ends.
  await setImmediate();
});

/** More than the text of a part. */
const LONG = 80_000;
/** The characters of a part, and what it can have more: the measure of a text does not count its escapes. */
const PART = 64 * 1024;

/** From now on, every look at the clock finds that a turn is over. */
function everyTurnIsOver(): void {
  let now = 0;
  vi.spyOn(systemClock, 'elapsed').mockImplementation(() => (now += 1_000));
}

const character = fc.constantFrom(...Array.from('aé"\\/\n\u0000\u2028😀'), '\ud800', '\udfff');
const text = fc.oneof(
  fc.string({ unit: character, maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  // Together they make a value long that has only a few of them.
  fc.tuple(character, fc.constantFrom(1_000, 30_000, LONG)).map(([part, times]) => part.repeat(times)),
);
const leaf = fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constantFrom(null, undefined));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5 }, leaf, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 6 }),
  object: fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', '0', '')), tie('value'), {
    maxKeys: 6,
    noNullPrototype: false,
  }),
}));

describe('the text of a value', () => {
  it('is the one of JSON.stringify', async () => {
    let longTexts = 0;
    await fc.assert(
      fc.asyncProperty(fc.record({ value }), async (given) => {
        const expected = JSON.stringify(given);
        if (expected.length > PART) longTexts += 1;
        expect((await new JsonMeasure().text(given)) === expected).toBe(true);
      }),
      { numRuns: 200 },
    );
    expect(longTexts).toBeGreaterThan(20);
  });

  const long = 'x'.repeat(LONG);
  const shared = { of: long };
  it.each<[string, unknown]>([
    ['many short entries', Array.from({ length: 50_000 }, (_, n) => n)],
    ['nothing in many entries', Array.from({ length: 50_000 }, () => undefined)],
    ['empty lists and objects', Array.from({ length: 40_000 }, (_, n) => (n % 2 === 0 ? [] : {}))],
    ['an entry of its own part among short ones', [1, long, undefined, [long, 2], []]],
    ['fields without a value', { a: undefined, b: long, c: undefined, d: [undefined] }],
    ['no fields with a value', { list: [{ a: undefined }, long], none: { a: undefined } }],
    ['one object in many places', Array.from({ length: 9 }, () => shared)],
  ])('is the one of JSON.stringify for %s', async (_what, given) => {
    everyTurnIsOver();
    expect((await new JsonMeasure().text(given)) === JSON.stringify(given)).toBe(true);
  });

  it('is made in parts if it is long: each in a turn of the event loop, when turns are over', async () => {
    const name = 'x'.repeat(1_000);
    const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name, tags: ['a', 'b'] }));
    const given = { data: { devices: { nodes: rows } }, extensions: {} };
    everyTurnIsOver();
    const stringify = vi.spyOn(JSON, 'stringify');
    const { result, turns } = await turnsOf(() => new JsonMeasure().text(given));
    const parts = stringify.mock.results.map(({ value: part }) => (part as string).length);
    stringify.mockRestore();
    expect(result === JSON.stringify(given)).toBe(true);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(result.length / PART));
    expect(Math.max(...parts)).toBeLessThan(PART * 1.1);
  });

  it('is made at once if it is short', async () => {
    everyTurnIsOver();
    const given = { data: { devices: { nodes: [{ id: 1 }] } } };
    // The first turn counts, whatever happens in it.
    const { turns } = await turnsOf(() => new JsonMeasure().text(given));
    expect(turns).toBeLessThanOrEqual(2);
  });
});
