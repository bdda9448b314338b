import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { bufferPieces, PIECE_BYTES } from '../../../src/http/send.js';
import { Base64Content } from '../../../src/platform/encoding/content.js';
import { numbersAsText } from '../../../src/platform/encoding/json.js';
import { crc16Of, formatCrc16 } from '../../../src/platform/hashes.js';
import { normalized } from '../../../src/platform/validate.js';

/** Undefined if the pieces together are not base64. */
function decode(...pieces: string[]): Buffer | undefined {
  const bytes: Uint8Array[] = [];
  const content = new Base64Content({ add: (part) => bytes.push(part) });
  for (const piece of pieces) content.add(piece);
  return content.isBase64 ? Buffer.concat(bytes) : undefined;
}

/** The text in pieces of the given sizes. */
function cut(text: string, sizes: readonly number[]): string[] {
  let at = 0;
  const pieces = sizes.map((size) => text.slice(at, (at += size)));
  return [...pieces, text.slice(at)];
}

describe('base64', () => {
  it('decodes any bytes, with or without line breaks', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.integer({ min: 1, max: 80 }), (bytes, width) => {
        const text = Buffer.from(bytes).toString('base64');
        const lines = text.replace(new RegExp(`.{${width}}`, 'g'), '$&\r\n');
        expect(decode(text)).toEqual(Buffer.from(bytes));
        expect(decode(lines)).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('accepts only the canonical text of any bytes', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('A', 'B', 'Q', 'g', '+', '/', '-', '_', '=', ' ', '\t', '\u00e9'),
        }),
        (text) => {
          const bytes = decode(text);
          if (bytes !== undefined) expect(bytes.toString('base64')).toBe(text);
        },
      ),
    );
  });

  it('is the same in pieces', () => {
    const text = fc.oneof(
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
      fc.string({ unit: fc.constantFrom('A', 'Q', 'g', '=', '\n', '\r', ' ', '*') }),
    );
    fc.assert(
      fc.property(text, fc.array(fc.nat(9)), (sent, sizes) => {
        expect(decode(...cut(sent, sizes))).toEqual(decode(sent));
      }),
    );
  });
});

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

/** About as long as a piece or two, with characters of one to four bytes at the borders. */
const long = fc
  .tuple(
    fc.integer({ min: PIECE_BYTES - 3, max: PIECE_BYTES + 3 }),
    fc.array(fc.constantFrom('a', 'é', '€', '😀')),
  )
  .map(([length, end]) => 'x'.repeat(length) + end.join('') + '😀'.repeat(PIECE_BYTES / 2) + end.join(''));

describe('a long text', () => {
  it('has the bytes of the text in its pieces', () => {
    fc.assert(
      fc.property(long, (text) => {
        expect(Buffer.concat(bufferPieces(text)).equals(Buffer.from(text))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

/** CRC-16/XMODEM computed bit by bit. */
function crcByDefinition(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    crc &= 0xffff;
  }
  return crc;
}

describe('contract 22: the CRC', () => {
  it.each([
    ['123456789', '31C3'],
    ['', '0000'],
  ])('of "%s" is %s', (text, crc) => {
    expect(formatCrc16(crc16Of(Buffer.from(text)))).toBe(crc);
  });

  it('is CRC-16/XMODEM of any bytes, computed at once or in chunks', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (one, two) => {
        const whole = crcByDefinition(Buffer.concat([one, two]));
        expect(crc16Of(Buffer.concat([one, two]))).toBe(whole);
        expect(crc16Of(two, crc16Of(one))).toBe(whole);
      }),
    );
  });
});

describe('normalized', () => {
  it('composes combining marks', () => {
    expect(normalized('e\u0301')).toBe('é');
  });

  it('does not change text that is too long for a name, which would take minutes to compose', () => {
    const marks = `a${'\u0301\u0316'.repeat(250_000)}`;
    expect(normalized(marks)).toBe(marks);
  });
});
