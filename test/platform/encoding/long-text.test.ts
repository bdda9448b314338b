import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { bufferPieces, PIECE_BYTES } from '../../../src/platform/encoding/long-text.js';

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
