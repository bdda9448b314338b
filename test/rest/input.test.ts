import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { type BodyFields, formBody } from '../../src/http/body/body.js';
import { FormFields } from '../../src/http/body/form.js';
import { numbersAsText } from '../../src/platform/encoding/json.js';
import { recordId, recordIds } from '../../src/platform/validate.js';
import { pickInput } from '../../src/rest/fields.js';

const Model = z.object({
  flag: z.boolean(),
  ownerId: recordId.nullable(),
  title: z.string().nullable().optional(),
  kind: z.enum(['show', 'hide']),
  fileIds: recordIds,
  names: z.union([z.string(), z.array(z.string())]).nullable(),
  anything: z.unknown(),
});

function ofJson(text: string): BodyFields {
  const fields = JSON.parse(text) as Record<string, unknown>;
  return { fields, isForm: false, numbersAsText: (names) => numbersAsText(text, names) };
}

function ofForm(text: string): BodyFields {
  const form = new FormFields();
  for (const [name, value] of new URLSearchParams(text)) form.add(name, value);
  return formBody(form.values);
}

const json = (fields: unknown) => pickInput(Model, ofJson(JSON.stringify(fields)));
const form = (text: string) => pickInput(Model, ofForm(text));

const spellings = (...words: string[]) =>
  fc.constantFrom(...words).chain((word) => fc.mixedCase(fc.constant(word)));

describe('contract 6: a boolean', () => {
  it('has the five pairs in any letter case, in JSON and in forms, and nothing else', () => {
    const yes = spellings('true', '1', 'on', 'yes', 't').map((text) => [text, true] as const);
    const no = spellings('false', '0', 'off', 'no', 'f').map((text) => [text, false] as const);
    fc.assert(
      fc.property(fc.oneof(yes, no), ([text, value]) => {
        expect(json({ flag: text })).toEqual({ flag: value });
        expect(form(`flag=${text}`)).toEqual({ flag: value });
      }),
    );
    const known = /^(?:true|false|on|off|yes|no|[tf01])?$/i;
    fc.assert(
      fc.property(
        fc.string().filter((text) => !known.test(text)),
        (text) => {
          expect(json({ flag: text })).toEqual({ flag: text });
        },
      ),
    );
  });

  it.each([
    [{ flag: 1 }, { flag: true }],
    [{ flag: 0 }, { flag: false }],
    [{ flag: true }, { flag: true }],
    [{ flag: '' }, {}],
    [{ flag: null }, {}],
    [{ flag: 2 }, { flag: 2 }],
    [{ flag: -1 }, { flag: -1 }],
    [{ flag: 0.5 }, { flag: 0.5 }],
    [{ flag: [true] }, { flag: [true] }],
  ])('%j is read as %j', (sent, read) => {
    expect(json(sent)).toEqual(read);
  });
});

describe('contract 8: types', () => {
  it('digits count as an integer, and a JSON number as its text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (number) => {
        expect(json({ owner_id: String(number) })).toEqual({ ownerId: number });
        expect(form(`owner_id=${number}`)).toEqual({ ownerId: number });
        expect(json({ title: number })).toEqual({ title: String(number) });
      }),
    );
    expect(form('owner_id=&title=')).toEqual({ ownerId: null, title: '' });
    for (const text of ['', '01', '1.0', ' 1', '1e0', '-1', '+1', '0x1', '٣']) {
      expect(json({ owner_id: text })).toEqual({ ownerId: text });
    }
  });

  it('a number in a text keeps its spelling', () => {
    const read = pickInput(Model, ofJson('{"title":1.10,"names":[2.0,"x"],"anything":1.10}'));
    expect(read).toEqual({ title: '1.10', names: ['2.0', 'x'], anything: 1.1 });
    const names = '112233000000000000000';
    expect(pickInput(Model, ofJson(`{"names":${names}}`))).toEqual({ names });
  });

  it('fields that the model lacks are left out, however often they are given', () => {
    expect(form('other=1&other=2&other[]=3&title=x&__proto__[]=1')).toEqual({ title: 'x' });
    expect(json({ other: [1], id: 7, title: 'x' })).toEqual({ title: 'x' });
  });
});

describe('contract 8: a list in a form', () => {
  it('has the same entries in each of its spellings', () => {
    const ids = fc.array(fc.integer({ min: 1, max: 1e9 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(ids, (fileIds) => {
        const of = (pair: (id: number, index: number) => string) => form(fileIds.map(pair).join('&'));
        const expected = { fileIds };
        expect(of((id) => `file_ids[]=${id}`)).toEqual(expected);
        expect(of((id) => `file_ids%5B%5D=${id}`)).toEqual(expected);
        expect(of((id, index) => `file_ids%5B${index}%5D=${id}`)).toEqual(expected);
        expect(of((id) => `file_ids=${id}`)).toEqual(expected);
        expect(form(`file_ids=${fileIds.join(',')}`)).toEqual(expected);
        expect(form(`file_ids=${fileIds.join('%2C+')}`)).toEqual(expected);
      }),
    );
  });

  it.each([
    ['file_ids=', {}],
    ['file_ids[]=', { fileIds: [] }],
    ['file_ids[]=&file_ids[]=7', { fileIds: [7] }],
    ['file_ids=1,2&file_ids=3', { fileIds: [1, 2, 3] }],
    ['file_ids=1,,2', { fileIds: [1, '', 2] }],
    ['file_ids=a,01', { fileIds: ['a', '01'] }],
    ['names[]=1&names[]=b', { names: ['1', 'b'] }],
    ['kind=SHOW', { kind: 'show' }],
  ])('%s is read as %j', (text, read) => {
    expect(form(text)).toEqual(read);
  });

  it('has at most 10,000 entries', () => {
    expect(form(`names=${Array(10_000).fill('a').join(',')}`).names).toHaveLength(10_000);
    expect(() => form(`names=${Array(10_001).fill('a').join(',')}`)).toThrow('Some fields are not valid');
  });

  it.each(['title=a&title=b', 'title[]=a', 'flag[0]=1', 'owner_id=1&owner_id[]=2', 'anything=1&anything=2'])(
    '%s gives a list for one value: refused',
    (text) => {
      expect(() => form(text)).toThrow('has one value, but the form gives several');
    },
  );
});
