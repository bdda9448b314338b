import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decodeBase64 } from '../../../src/platform/encoding/base64.js';

describe('base64', () => {
  it('decodes any bytes, with or without line breaks', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.integer({ min: 1, max: 80 }), (bytes, width) => {
        const text = Buffer.from(bytes).toString('base64');
        const lines = text.replace(new RegExp(`.{${width}}`, 'g'), '$&\r\n');
        expect(decodeBase64(text)).toEqual(Buffer.from(bytes));
        expect(decodeBase64(lines)).toEqual(Buffer.from(bytes));
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
          const bytes = decodeBase64(text);
          if (bytes !== undefined) expect(bytes.toString('base64')).toBe(text);
        },
      ),
    );
  });
});
