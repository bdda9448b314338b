import { describe, expect, it } from 'vitest';

import { scrubJson, scrubText } from '../../../src/platform/card-data/card-data.js';
import { CARDS, formsOf, shows } from './card-forms.js';
import { NEVER_ALTERED, SELDOM_ALTERED } from './ordinary-values.js';

describe('AT-27 RU-01 card data in a text', () => {
  it.each(CARDS)('of %s is masked in each form', (number) => {
    const leaks: string[] = [];
    for (const [name, form] of formsOf(number)) {
      for (const [before, after] of [
        ['', ''],
        ['sent: ', ' end'],
        ['"', '"'],
      ] as const) {
        const { value, scrubs } = scrubText(before + form + after);
        expect(value).toHaveLength((before + form + after).length);
        if (scrubs === 0 || shows(value, number)) leaks.push(`${name}: ${before}${form}${after} -> ${value}`);
      }
    }
    expect(leaks).toEqual([]);
  });
});

describe('AT-27 what is left of card data', () => {
  it.each([
    ['4111111111111111', '411111******1111'],
    ['378282246310005', '378282*****0005'],
    ['4111 1111 1111 1111', '4111 11** **** 1111'],
    ['3782-822463-10005', '3782-82****-*0005'],
    ['4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1', '4.1.1.1.1.1.*.*.*.*.*.*.1.1.1.1'],
    ['2026 4111 1111 1111 1111 1225', '2026 4111 11** **** 1111 1225'],
    [';4111111111111111=25121010000012345678?', ';411111******1111=********************?'],
    ['4111111111111112=2512', '411111******1112=****'],
    ['%B4111111111111111^DOE/JOHN^2512101?', '%B411111******1111^****************?'],
    [
      'pan=%34%31%31%31%31%31%31%31%31%31%31%31%31%31%31%31',
      'pan=%34%31%31%31%31%31******************%31%31%31%31',
    ],
    ['5A0841111111111111115F2403251231', '5A08411111******11115F2403251231'],
    ['57134111111111111111D25122010000012345678F', '5713411111******1111D********************F'],
    ['WghBEREREREREV8kAyUSMQ==', 'WghBER*****REV8kAyUSMQ=='],
  ])('%s', (text, expected) => {
    expect(scrubText(text).value).toBe(expected);
  });

  it('masks numbers, texts and keys of JSON at every depth', () => {
    expect(
      scrubJson({
        list: [{ text: 'n 378282246310005' }, 7, null, true, 0.4111111111111111],
        '5555555555554444': 4_111_111_111_111_111,
        debt: -4_111_111_111_111_111,
      }),
    ).toEqual({
      value: {
        list: [{ text: 'n 378282*****0005' }, 7, null, true, 0.4111111111111111],
        '555555******4444': '411111******1111',
        debt: '-411111******1111',
      },
      scrubs: 4,
    });
  });

  it.each(['4111111111111112', '41111111111111111111', '1.4111111111111111', '0,4111111111111111', ''])(
    'does not change %s',
    (text) => {
      expect(scrubText(text)).toEqual({ value: text, scrubs: 0 });
    },
  );

  it('finishes with the worst texts of 64 KiB, which keep their length', () => {
    for (const unit of [
      '0',
      '1 ',
      '4111',
      '4111 ',
      'cvv',
      'cvv=',
      '34',
      '4=',
      'B4^',
      'QUFB',
      '%34',
      '5A08',
      'aB/',
    ]) {
      const text = unit.repeat(65_536 / unit.length);
      expect(scrubText(text).value).toHaveLength(text.length);
    }
  });
});

describe('RU-63 RU-09 ordinary values', () => {
  const kinds = [NEVER_ALTERED, SELDOM_ALTERED].flatMap((values, group) =>
    Object.entries(values).map(([kind, make]) => [kind, make, group * 10] as const),
  );

  it.each(kinds)('%s', (_kind, make, most) => {
    const altered: unknown[] = [];
    for (let count = 0; count < 2_000; count += 1) {
      const value = { value: make() };
      const inJson = scrubJson(value);
      const text = JSON.stringify(value);
      const inText = scrubText(text);
      if (inJson.scrubs + inText.scrubs > 0) altered.push(value, inJson.value, inText.value);
      // `expect` takes longer than the search for card data.
      else if (inText.value !== text || JSON.stringify(inJson.value) !== text)
        expect([inJson.value, inText.value]).toEqual([value, text]);
    }
    expect(altered.length / 3).toBeLessThanOrEqual(most);
  });
});
