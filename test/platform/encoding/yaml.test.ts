import { describe, expect, it } from 'vitest';

import { valueOfDocument } from '../../../src/platform/encoding/yaml.js';

const KEYS = [
  '0042',
  '42',
  '4_2',
  '0x2A',
  '0o52',
  '1e3',
  '.5',
  '-1',
  '.inf',
  '2026-11-28',
  '12:30',
  'yes',
  'on',
];
const OTHERS = ['true', 'False', 'null', '~', 'NULL', '<<', '1.0', '1.00', '+1', 'a b', 'é'];

describe('a document', () => {
  it('RU-85 has the names of its maps as they are written, at every depth', () => {
    for (const name of [...KEYS, ...OTHERS]) {
      const expected = { logicalNumbers: { [name]: { parameters: { [name]: name } } } };
      const block = `logicalNumbers:\n  ${name}:\n    parameters:\n      ${name}: '${name}'\n`;
      const flow = `{ logicalNumbers: { ${name}: { parameters: { ${name}: '${name}' } } } }`;
      for (const text of [block, flow, JSON.stringify(expected)]) {
        expect(valueOfDocument(text), text).toEqual(expected);
      }
    }
  });

  it('keeps names that a reader of numbers would take for one', () => {
    expect(valueOfDocument('{ 42: 1, 0042: 2, 42.0: 3, 0x2A: 4 }')).toEqual({
      42: 1,
      '0042': 2,
      '42.0': 3,
      '0x2A': 4,
    });
  });

  it('reads values as YAML does, and repeats what an alias names', () => {
    expect(valueOfDocument('a: &a { b: [042, yes, true, null] }\nc: *a')).toEqual({
      a: { b: [42, 'yes', true, null] },
      c: { b: [42, 'yes', true, null] },
    });
  });

  it.each([
    ['', 'The document is empty.'],
    ['# Nothing yet\n', 'The document is empty.'],
    ['a: &x\n  b: *x', 'A part of the document refers to itself.'],
    ['&x [ *x ]', 'A part of the document refers to itself.'],
    ['['.repeat(4_000), 'The document is nested too deeply.'],
    ['a: 1\n---\nb: 2', 'There must be one document, not several.'],
    ['groups:\n  north: {}\n  "north": {}', 'Line 3: "north" is given twice.'],
    ['? [a]\n: 1', 'Line 1: the name of a value must be a text.'],
    ['a: *b', 'Unresolved alias (the anchor must be set before the alias): b'],
  ])('%.30j is refused with a sentence', (text, message) => {
    expect(() => valueOfDocument(text)).toThrow(message);
  });

  it('takes about as long with all names in one map as with the same names in many', () => {
    const textOf = (maps: number): string => {
      const lines = Array.from({ length: 12_000 / maps }, (_, n) => `  k${n}:\n`).join('');
      return Array.from({ length: maps }, (_, n) => `m${n}:\n${lines}`).join('');
    };
    const timeOf = (maps: number): number => {
      const text = textOf(maps);
      const before = process.cpuUsage().user;
      valueOfDocument(text);
      return process.cpuUsage().user - before;
    };
    timeOf(200);
    // A comparison of each name with all others of its map takes several times as long.
    expect(timeOf(1)).toBeLessThan(3 * timeOf(200));
  });
});
