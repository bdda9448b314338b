import { describe, expect, it } from 'vitest';

import { rowsIn } from '../../../../src/domain/fleet/import/import.model.js';
import { MAX_ROW_BYTES } from '../../../../src/platform/encoding/json.js';

describe('a file of 100 MB', () => {
  const PIECE = 256 * 1024;

  it.each<[string, string, string]>([
    ['one broken quote in it', 'serial_number\nX1\n"X2\n', 'X3\n'],
    ['a broken quote in its first line', '"serial_number\n', 'X1\n'],
    ['a first line without an end', 'serial_number', 'x'],
  ])('with %s is refused before it is read', async (_what, beginning, rest) => {
    let pieces = 0;
    async function* file(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(beginning);
      for (; pieces < 400; pieces += 1) yield await Promise.resolve(Buffer.alloc(PIECE, rest));
    }
    await expect(rowsIn(file())).rejects.toMatchObject({ code: 'invalid' });
    expect(pieces * PIECE).toBeLessThan(4 * MAX_ROW_BYTES + 2 * PIECE);
  });
});
