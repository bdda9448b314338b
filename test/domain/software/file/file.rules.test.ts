import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { fileNameOf } from '../../../../src/domain/software/file/file.model.js';
import { type DomainError, messagesOf } from '../../../../src/platform/errors.js';

/** Message about the name; null if it is kept. */
function problemOf(sent: string): string | null {
  try {
    fileNameOf(sent);
    return null;
  } catch (error) {
    return String(messagesOf((error as DomainError).details.fields ?? {}).name);
  }
}

describe('the name of a file', () => {
  it.each([
    ['logo.png', 'logo.png'],
    ['/photos/ana/logo.png', 'logo.png'],
    ['..\\..\\logo.png', 'logo.png'],
    ['C:\\temp\\logo.png', 'logo.png'],
    ['c:logo.png', 'logo.png'],
    ['a/b\\c', 'c'],
    ['cafe\u0301.txt', 'caf\u00e9.txt'],
    ['a%00.html', 'a%00.html'],
    ['CON', 'CON'],
    ['.hidden', '.hidden'],
    ['two words.txt', 'two words.txt'],
  ])('contract 23: %j is kept as %j', (sent, name) => {
    expect(fileNameOf(sent)).toBe(name);
  });

  it.each([
    ['', 'is required'],
    ['/tmp/', 'is required'],
    ['C:', 'is required'],
    ['.', 'folder'],
    ['..', 'folder'],
    ['a/..', 'folder'],
    ['a\u0000b', 'invisible'],
    ['a\nb', 'invisible'],
    ['fdp.\u202eexe', 'invisible'],
    ['a\u200bb', 'invisible'],
    ['-rf', 'dash'],
    ['x/-rf', 'dash'],
    [' x', 'space'],
    ['x ', 'space'],
  ])('UP-06 %j is refused: %s', (sent, reason) => {
    expect(problemOf(sent)).toContain(reason);
  });

  it.each([
    ['x', 255, true],
    ['x', 256, false],
    ['\u00e9', 127, true],
    ['\u00e9', 128, false],
    ['x', 5_000, false],
  ])('UP-06 %j %i times over: kept is %s', (letter, times, kept) => {
    expect(problemOf(letter.repeat(times)) === null).toBe(kept);
  });

  it('is a clean base name whatever was sent, and stays as it is when sent again', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom('..', '.', 'C:', '/', '\\', '-', ' ', '\u202e', 'e\u0301'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        if (problemOf(pieces.join('')) !== null) return;
        const name = fileNameOf(pieces.join(''));
        expect(name).toMatch(/^[^-/\\\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}][^/\\\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u);
        expect(['.', '..']).not.toContain(name);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        expect(name).toBe(name.normalize('NFC'));
        expect(fileNameOf(name)).toBe(name);
      }),
      { numRuns: 1_000 },
    );
  });
});
