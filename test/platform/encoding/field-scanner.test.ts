import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  FormFieldScanner,
  JsonFieldScanner,
  type FieldScanner,
  type FieldTarget,
} from '../../../src/platform/encoding/field-scanner.js';

type Scanner = new (field: string, target: FieldTarget) => FieldScanner;

/** The value of `bytecode`, undefined if the text has none, and the rest of the text. */
function scan(Scanner: Scanner, pieces: readonly string[]): { value: string | undefined; rest: string } {
  let value: string | undefined;
  const scanner = new Scanner('bytecode', {
    begin: () => (value = ''),
    add: (piece) => (value = (value ?? '') + piece),
  });
  const rest = pieces.map((piece) => scanner.add(piece)).join('') + scanner.finish();
  return { value, rest };
}

function cut(text: string, sizes: readonly number[]): string[] {
  let at = 0;
  const pieces = sizes.map((size) => text.slice(at, (at += size)));
  return [...pieces, text.slice(at)];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return 'malformed';
  }
}

const sizes = fc.array(fc.nat(12), { maxLength: 30 });

describe('the field of a JSON object', () => {
  it.each([
    ['{"bytecode":"QUJD","number":"1"}', 'QUJD', '{"bytecode":"","number":"1"}'],
    ['{ "number" : "1" , "bytecode" : "QUJD" }', 'QUJD', '{ "number" : "1" , "bytecode" : "" }'],
    ['{"\\u0062ytecode":"Q\\/Q\\u003d\\n"}', 'Q/Q=\n', '{"\\u0062ytecode":""}'],
    ['{"bytecode":"one","bytecode":"two"}', 'two', '{"bytecode":"","bytecode":""}'],
    ['{"bytecode":""}', '', '{"bytecode":""}'],
    ['{"bytecode":null}', undefined, '{"bytecode":null}'],
    ['{"a":{"bytecode":"inner"}}', undefined, '{"a":{"bytecode":"inner"}}'],
    ['{"a":"bytecode","b":"x"}', undefined, '{"a":"bytecode","b":"x"}'],
    ['{"a":"\\"bytecode\\":","b":"x"}', undefined, '{"a":"\\"bytecode\\":","b":"x"}'],
    ['[{"bytecode":"x"}]', undefined, '[{"bytecode":"x"}]'],
  ])('of %s is %j', (text, value, rest) => {
    for (const pieces of [[text], text.split('')]) {
      expect(scan(JsonFieldScanner, pieces)).toEqual({ value, rest });
    }
  });

  it.each([
    '{"bytecode":"QUJD',
    '{"bytecode":"QUJD\\',
    '{"bytecode":"QU\nJD"}',
    '{"bytecode":"QU\\xJD"}',
    '{"bytecode":"QU\\u00"}',
    '{"bytecode" "QUJD"}',
    '{"bytecode"::"QUJD"}',
    '{"bytecode":"QUJD"',
    '{"bytecode":"QUJD"}}',
  ])('is not read from the malformed %s', (text) => {
    for (const pieces of [[text], text.split('')]) {
      expect(parsed(scan(JsonFieldScanner, pieces).rest)).toBe('malformed');
    }
  });

  it('and the rest make the same object as the whole text, however it is cut', () => {
    const name = fc.constantFrom('bytecode', 'bytecode ', 'number', 'a"b', '\\', '__proto__', '\u00e9');
    const text = fc.string({
      unit: fc.constantFrom('A', '/', '=', '"', '\\', '\n', '\u00e9', '\ud83d\ude00', ':', '{'),
    });
    const object = fc.dictionary(name, fc.oneof(text, fc.jsonValue({ maxDepth: 2 })));
    fc.assert(
      fc.property(object, sizes, fc.boolean(), (sent, at, indented) => {
        const whole = JSON.stringify(sent, null, indented ? 2 : 0);
        const { value, rest } = scan(JsonFieldScanner, cut(whole, at));
        const kept = JSON.parse(rest) as Record<string, unknown>;
        if (typeof sent.bytecode === 'string') expect(kept.bytecode).toBe('');
        expect(value).toBe(typeof sent.bytecode === 'string' ? sent.bytecode : undefined);
        if (value !== undefined) kept.bytecode = value;
        expect(JSON.stringify(kept)).toBe(JSON.stringify(JSON.parse(whole)));
      }),
    );
  });

  it('leaves a rest that is JSON exactly if the whole text is', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '\\',
      'u',
      '"bytecode"',
      '"x"',
      '1',
      ' ',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 14 }), sizes, (tokens, at) => {
        for (const text of [tokens.join(''), `{"bytecode":${tokens.join('')}}`]) {
          const { rest } = scan(JsonFieldScanner, cut(text, at));
          expect(parsed(rest) === 'malformed').toBe(parsed(text) === 'malformed');
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the field of a form', () => {
  it.each([
    ['bytecode=QUJD&number=1', 'QUJD', 'bytecode=&number=1'],
    ['number=1&bytecode=a%2Fb%2B%3D', 'a/b+=', 'number=1&bytecode='],
    ['number=1&byte%63ode=a+b', 'a b', 'number=1&byte%63ode='],
    ['bytecode=a%', 'a%', 'bytecode='],
    ['bytecode=a%4&number=1', 'a%4', 'bytecode=&number=1'],
    ['bytecode=one&bytecode=two', 'two', 'bytecode=&bytecode='],
    ['bytecode&number=1', undefined, 'bytecode&number=1'],
    ['number=bytecode=1', undefined, 'number=bytecode=1'],
    ['', undefined, ''],
  ])('of %j is %j', (text, value, rest) => {
    for (const pieces of [[text], text.split('')]) {
      expect(scan(FormFieldScanner, pieces)).toEqual({ value, rest });
    }
  });

  it('is the value that was encoded, however the text is cut', () => {
    const text = fc.string({ unit: fc.constantFrom('A', '/', '=', '+', '&', '%', ' ', '\n', '4') });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('bytecode', 'number', 'a&b'), text), sizes, (sent, at) => {
        const whole = new URLSearchParams(sent).toString();
        const { value, rest } = scan(FormFieldScanner, cut(whole, at));
        expect(value).toBe(sent.bytecode);
        const kept = Object.fromEntries(new URLSearchParams(rest));
        expect(kept).toEqual('bytecode' in sent ? { ...sent, bytecode: '' } : sent);
      }),
    );
  });
});
