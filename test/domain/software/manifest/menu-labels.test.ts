import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { menuLabels } from '../../../../src/domain/software/manifest/assets.rules.js';
import type { StoredVersion } from '../../../../src/domain/software/manifest/manifest.model.js';

const version = (id: number, posDisplayLabel: string | null): StoredVersion => ({
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
  ...menuLabels(given.map((label, id) => version(id, label))).values(),
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
