import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { EffectiveParameter } from '../../../../src/domain/fleet/setting/setting.model.js';
import { foldedCompany } from '../../../../src/domain/people/company/company.model.js';
import type {
  Software,
  StoredFile,
  StoredVersion,
} from '../../../../src/domain/software/manifest/manifest.model.js';
import {
  assetsOfNumber,
  menuLabels,
  paramsDatOf,
} from '../../../../src/domain/software/manifest/manifest.rules.js';
import { localName, readParamsDat } from '../../../support/params-dat.js';

const crc = fc.integer({ min: 0, max: 0xffff }).map((n) => n.toString(16).toUpperCase().padStart(4, '0'));
/** Texts of the characters that mean something in the file, among others. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'=",;\n\r\t \0/\\X_-1a'.split('')), maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const name = text.filter((each) => each.trim() === each && each !== '');

const parameter: fc.Arbitrary<EffectiveParameter> = fc.record({
  key: fc.oneof(name, fc.constantFrom('apps_list', 'files_list', 'host')),
  value: text,
  description: fc.constant(null),
  source: fc.constantFrom('GROUP', 'LOGICAL_NUMBER'),
  overridden: fc.constant(null),
});

const bytes = { contentId: fc.option(fc.constant(1)), sha256: fc.constant('f'.repeat(64)) };
const version = (id: number): fc.Arbitrary<StoredVersion> =>
  fc.record({
    id: fc.constant(id),
    appName: fc.oneof(name, fc.constantFrom('sale.posxml', 'bins.dat')),
    language: fc.constantFrom('posxml', 'ruby'),
    number: name,
    displayable: fc.boolean(),
    posDisplayLabel: fc.option(text),
    size: fc.nat(),
    crc,
    ...bytes,
  });
const file = (id: number): fc.Arbitrary<StoredFile> =>
  fc.record({
    id: fc.constant(id),
    name: fc.oneof(name, fc.constant('bins.dat')),
    size: fc.nat(),
    crc,
    ...bytes,
  });

const software: fc.Arbitrary<Software> = fc
  .tuple(fc.tuple(...[1, 2, 3].map(version)), fc.tuple(...[4, 5].map(version)), fc.tuple(...[6, 7].map(file)))
  .map(([apps, modules, files]) => ({
    versions: new Map([[1, apps]]),
    modules: new Map([[1, modules]]),
    files: new Map([
      [2, files],
      [4, files.slice(0, 1)],
    ]),
  }));

describe('params.dat', () => {
  it('is read by a terminal as what it was made of', () => {
    fc.assert(
      fc.property(
        software,
        fc.uniqueArray(parameter, { selector: ({ key }) => key }),
        text,
        (all, given, company) => {
          const { apps, files } = assetsOfNumber(all, 1, company);
          const { text: written, omissions } = paramsDatOf(apps, files, given);
          const read = readParamsDat(written);
          const omitted = new Set(omissions.map(({ name: key }) => key));
          const expected = given.filter(({ key }) => !omitted.has(key)).map(({ key, value }) => [key, value]);
          const lists = ['apps_list', 'files_list'].map((key) => [key, read.values.get(key)]);
          expect([...read.values]).toEqual([...lists, ...expected]);
          expect(read.files).toEqual(files.map((each) => ({ name: each.name, crc: each.crc })));
          expect(read.apps.slice(0, apps.length)).toEqual(
            apps.map((each) => ({ label: each.label, name: each.name, type: each.type, crc: each.crc })),
          );
          const modules = new Set(apps.flatMap((each) => each.modules.map((module) => module.name)));
          for (const each of apps) modules.delete(each.name);
          expect(new Set(read.apps.slice(apps.length).map((each) => each.name))).toEqual(modules);
          const names = [...read.apps, ...read.files].map((each) => each.name);
          expect(new Set(names).size).toBe(names.length);
          for (const each of names) expect(localName(each)).not.toMatch(/[/\\]/);
        },
      ),
    );
  });

  it('leaves out only what cannot stand in it', () => {
    fc.assert(
      fc.property(parameter, (given) => {
        const { omissions } = paramsDatOf([], [], [given]);
        const { key, value } = given;
        const cannot = /[=\p{Cc}]|^"(.*")?$/u.test(key) || key.endsWith('_list');
        const hasControl = /\p{Cc}/u.test(value.replaceAll('\t', ''));
        expect(omissions.map(({ reason }) => reason)).toEqual(cannot ? ['key'] : hasControl ? ['value'] : []);
      }),
    );
  });

  it('quotes values that would lose spaces or quotes', () => {
    const parameters = [' a ', '"a"', '"', 'a "b"', ''].map((value, index): EffectiveParameter => ({
      key: `k${index}`,
      value,
      description: null,
      source: 'GROUP',
      overridden: null,
    }));
    expect(paramsDatOf([], [], parameters).text).toBe(
      'apps_list=\nfiles_list=\nk0=" a "\nk1=""a""\nk2="""\nk3=a "b"\nk4=\n',
    );
  });
});

describe('the name of a company in names of assets', () => {
  it('has letters a to z and digits only', () => {
    expect(['Acme Café 2', 'ÀÉ_Ü', 'Straße', '会社', '___'].map(foldedCompany)).toEqual([
      'acmecafe2',
      'aeu',
      'strae',
      'company',
      'company',
    ]);
  });
});

const inMenu = (id: number, posDisplayLabel: string | null): StoredVersion => ({
  id,
  posDisplayLabel,
  appName: `app${id}.rb`,
  language: 'ruby',
  number: '1.0',
  displayable: true,
  size: 1,
  crc: '31C3',
  contentId: null,
  sha256: null,
});

const labelsOf = (given: readonly (string | null)[]): readonly string[] => [
  ...menuLabels(given.map((label, id) => inMenu(id, label))).values(),
];

describe('labels of the menu', () => {
  it('are numbered without the numbers that an operator gave', () => {
    expect(labelsOf(['Sale', '1 - Refund', '03 - Close', 'Void', null])).toEqual([
      '03 - Close',
      '1 - Refund',
      '2 - Sale',
      '4 - Void',
      '5 - app4',
    ]);
  });

  it('keep what an operator gave, and never repeat a number by themselves', () => {
    const label = fc.oneof(
      fc.tuple(fc.nat(12), fc.constantFrom('', '0', '00')).map(([n, zeros]) => `${zeros}${n} - Numbered`),
      fc.constantFrom('Sale', 'Void', '1 -', '2- Refund', ' 3 - Close', null),
    );
    fc.assert(
      fc.property(fc.array(label, { maxLength: 20 }), (all) => {
        const labels = labelsOf(all);
        const own = all.flatMap((each) => (/^\s*\d+ - ./.test(each ?? '') ? [each?.trim()] : []));
        const automatic = [...labels];
        for (const kept of own) automatic.splice(automatic.indexOf(kept ?? ''), 1);
        const numberOf = (text = ''): number => Number(/^\d+/.exec(text)?.[0]);
        const numbers = automatic.map(numberOf);
        expect(automatic.length + own.length).toBe(all.length);
        expect(new Set(numbers).size).toBe(numbers.length);
        const given = new Set(own.map(numberOf));
        expect(numbers.filter((number) => given.has(number))).toEqual([]);
      }),
    );
  });
});
