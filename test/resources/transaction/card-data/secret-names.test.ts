import { describe, expect, it } from 'vitest';

import { scrubText } from '../../../../src/resources/transaction/card-data/card-data.rules.js';

describe('AT-27 names of secrets in long texts', () => {
  it.each([0, 1, 60, 64, 127, 128, 191, 192, 193, 255, 256, 300, 1_000])(
    '%s characters after another part of a name',
    (distance) => {
      for (const name of ['cvv', 'codigo de verificacao', 'data element 052', 'c.v.v.', 'cardPin']) {
        for (const hint of ['pinpad', 'track', 'de 52', 'clave publica: x', 'cvv=1;']) {
          const before = `${hint}${' x'.repeat(distance).slice(0, distance)} `;
          const { value } = scrubText(`${before}${name}=9876;`);
          expect(value.slice(-name.length - 6)).toBe(`${name}=****;`);
        }
      }
    },
  );
});
