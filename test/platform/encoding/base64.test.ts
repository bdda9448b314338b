import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { Base64Decoder } from '../../../src/platform/encoding/base64.js';

/** Undefined if the pieces together are not base64. */
function decode(...pieces: string[]): Buffer | undefined {
  const decoder = new Base64Decoder();
  const bytes = pieces.map((piece) => decoder.decode(piece));
  return decoder.isComplete && bytes.every((part) => part !== undefined) ? Buffer.concat(bytes) : undefined;
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
