import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { bufferPieces, LongText, PIECE_BYTES, sharedText } from '../../../src/platform/encoding/long-text.js';

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

  it('is the same before and after its bytes were asked for, and has them once', () => {
    fc.assert(
      fc.property(long, (text) => {
        const shared = sharedText(text);
        if (!(shared instanceof LongText)) throw new Error('It has more than a piece.');
        expect(shared.length).toBe(Buffer.byteLength(text));
        expect(String(shared)).toBe(text);
        const { pieces } = shared;
        expect(Buffer.concat(pieces).equals(Buffer.from(text))).toBe(true);
        expect(shared.pieces).toBe(pieces);
        expect(String(shared)).toBe(text);
      }),
      { numRuns: 30 },
    );
  });

  it('is only made of what is long', () => {
    expect(sharedText('short')).toBe('short');
  });
});
