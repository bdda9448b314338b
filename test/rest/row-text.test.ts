import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { TimestampShape } from '../../src/rest/envelope.js';
import { objectWriter, rowWriter } from '../../src/rest/fields/row-text.js';
import { storedWriter } from '../../src/rest/fields/stored-text.js';
import { timestamp } from '../../src/rest/fields/timestamps.js';

const Shape = z.strictObject({
  id: z.int(),
  name: z.string().nullable(),
  enabled: z.boolean(),
  meta: z.record(z.string(), z.string()),
  owner_id: z.int().nullable(),
  updated_at: TimestampShape,
  created_via: z.enum(['interface', 'api']),
});
const write = rowWriter(Shape);

const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }));
/** In milliseconds; contract 12 has years of four digits. */
const anyInstant = fc.integer({ min: Date.parse('0000-01-01'), max: Date.parse('9999-12-31T23:59:59.999Z') });
const anyRecord = fc.record({
  id: fc.integer({ min: 1 }),
  name: fc.option(anyText),
  enabled: fc.boolean(),
  meta: fc.dictionary(anyText, anyText, { noNullPrototype: true }),
  owner_id: fc.option(fc.integer()),
  updated_at: anyInstant,
  created_via: fc.constantFrom('interface', 'api'),
});

describe('the text of a row', () => {
  it.each([
    ['SQLite', (flag: boolean) => Number(flag)],
    ['PostgreSQL', (flag: boolean) => flag],
  ])('is that of JSON.stringify for the record, with flags as %s has them', (_, flagOf) => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const row = {
          ...record,
          enabled: flagOf(record.enabled),
          meta: JSON.stringify(record.meta),
          revision: 3,
          company_id: 7,
        };
        const shown = { ...record, updated_at: `${new Date(record.updated_at).toISOString().slice(0, 19)}Z` };
        expect(write(row)).toBe(JSON.stringify(shown));
      }),
      { numRuns: 500 },
    );
  });

  it('is not made of fields whose columns it does not know', () => {
    expect(() => rowWriter(z.strictObject({ any: z.unknown() }))).toThrow('any');
  });
});

const StoredShape = z.strictObject({
  status_reason: z.string().nullable(),
  nsu_reference: z.string().optional(),
  amount: z.int(),
  status: z.enum(['approved', 'denied']),
  card: z.strictObject({ holder_name: z.string().optional(), last_digits: z.string().nullable() }),
  metadata: z.record(z.string(), z.unknown()),
});
const [writeObject, writeText] = [objectWriter(StoredShape), storedWriter(StoredShape)];
/** Without escapes, so that its text is not parsed. */
const plainText = fc.string({ unit: fc.constantFrom('a', '0', ' ', ',', ':', '{', '}', 'é', '😀') });
/** `undefined` is a property that is absent once the object was stored. */
const orAbsent = (text: fc.Arbitrary<string>) => fc.option(text, { nil: undefined });
const storedOf = (anyText: fc.Arbitrary<string>) =>
  fc.record({
    statusReason: fc.option(anyText),
    nsuReference: orAbsent(anyText),
    amount: fc.maxSafeInteger(),
    status: fc.constantFrom('approved', 'denied'),
    card: fc.record({ holderName: orAbsent(anyText), lastDigits: fc.option(anyText) }),
    metadata: fc.dictionary(anyText, fc.jsonValue(), { noNullPrototype: true }),
  });

describe('the text of a stored object', () => {
  it('is that of JSON.stringify for its fields, with absent ones left out and keys of a record as they are', () => {
    fc.assert(
      fc.property(fc.oneof(storedOf(anyText), storedOf(plainText)), (stored) => {
        const { statusReason, nsuReference, amount, status, card, metadata } = stored;
        const reversed = { metadata, card, amount, nsuReference, status, statusReason };
        const shown = {
          ...{ status_reason: statusReason, nsu_reference: nsuReference, amount, status },
          card: { holder_name: card.holderName, last_digits: card.lastDigits },
          metadata,
        };
        const expected = JSON.stringify(JSON.parse(JSON.stringify(shown)));
        for (const each of [stored, reversed]) {
          const text = JSON.stringify(each);
          expect(writeObject(JSON.parse(text) as object)).toBe(expected);
          expect(writeText(text)).toBe(expected);
        }
      }),
      { numRuns: 500 },
    );
  });
});

it('the text of an object that is stored in the order of its fields is not parsed', () => {
  const parse = vi.spyOn(JSON, 'parse');
  const card = { lastDigits: '1234' };
  const stored = { statusReason: null, amount: 1, status: 'denied', card, metadata: { lastDigits: '{}' } };
  const text = '{"status_reason":null,"amount":1,"status":"denied","card":{"last_digits":"1234"}';
  expect(writeText(JSON.stringify(stored))).toBe(`${text},"metadata":{"lastDigits":"{}"}}`);
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
});

describe('contract 12: a timestamp', () => {
  it('has whole seconds, of any day in any order', () => {
    fc.assert(
      fc.property(anyInstant, (at) => {
        const expected = `${new Date(at).toISOString().slice(0, 19)}Z`;
        expect([timestamp(at), timestamp(new Date(at))]).toEqual([expected, expected]);
      }),
    );
    for (let day = 0; day < 10_000; day += 1) timestamp(day * 86_400_000);
    expect(timestamp(86_399_999)).toBe('1970-01-01T23:59:59Z');
  });
});
