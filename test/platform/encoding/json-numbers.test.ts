import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { numbersAsText } from '../../../src/platform/encoding/json-numbers.js';

const read = (text: string, ...names: string[]) => numbersAsText(text, new Set(names));

/** The value with its numbers as texts. */
function withTexts(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) =>
    typeof inner === 'number' ? String(inner) : inner,
  );
}

describe('the numbers of a JSON object as text', () => {
  it.each([
    ['{"a":1.10}', '1.10'],
    ['{"a": 1.0 }', '1.0'],
    ['{ "a" :-0}', '-0'],
    ['{"a":1E+2,"b":1}', '1E+2'],
    ['{"a":12345678901234567890}', '12345678901234567890'],
    ['{"a":1e400}', '1e400'],
    ['{"\\u0061":7}', '7'],
    ['{"b":{"a":1},"a":2.0,"c":[{"a":3}]}', '2.0'],
    ['{"a":1,"a":2.0}', '2.0'],
    ['{"b":"\\\\\\"a\\":1","a":2.50}', '2.50'],
    ['{"b":"\\\\","a":3.0}', '3.0'],
    ['{"\\"":1,"a":4.0}', '4.0'],
    [' {"a":"text"} ', 'text'],
    ['{"a":[1.0,[2.0],{"b":3.0}]}', ['1.0', ['2.0'], { b: '3.0' }]],
  ])('%s has %j as a', (text, value) => {
    expect(read(text, 'a')).toEqual({ a: value });
  });

  it('has only the members that were named', () => {
    expect(read('{"a":1,"b":2}', 'b', 'c')).toEqual({ b: '2' });
    expect(read('{}', 'a')).toEqual({});
  });

  it('keeps a member __proto__ as a member', () => {
    const { __proto__: own } = read('{"__proto__":1.0}', '__proto__');
    expect(own).toBe('1.0');
  });

  it('agrees with JSON.parse on any object, however it is spaced', () => {
    // No quotes in names: once V8 has seen the name \\ in an object, JSON.parse takes the name " of the next one for it.
    const name = fc
      .oneof(fc.string(), fc.constantFrom('a', '\\', '{', ',', ':'))
      .filter((text) => !text.includes('"'));
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom('"', '\\', '\\"', '}', '{"a":1}'));
    fc.assert(
      fc.property(fc.dictionary(name, value), fc.constantFrom(undefined, 1, '\t'), (object, space) => {
        const text = JSON.stringify(object, null, space);
        expect(read(text, ...Object.keys(object))).toEqual(withTexts(object));
      }),
      { numRuns: 500 },
    );
  });
});
