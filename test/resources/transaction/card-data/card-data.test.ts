import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  scrubJson,
  scrubPayment,
  scrubText,
} from '../../../../src/resources/transaction/card-data/card-data.rules.js';
import { ParsedPayment } from '../../../../src/resources/transaction/transaction.model.js';
import { payment } from '../records.js';

function isLuhnValid(digits: string): boolean {
  const sum = Array.from(digits, Number)
    .reverse()
    .reduce((total, digit, index) => {
      const weighted = index % 2 === 1 ? digit * 2 : digit;
      return total + (weighted > 9 ? weighted - 9 : weighted);
    }, 0);
  return sum % 10 === 0;
}

/** Year to second or millisecond, in this century. */
function isDateAndTime(digits: string): boolean {
  const [, text = '', ms] = /^(20\d{12})(\d{3})?$/.exec(digits) ?? [];
  if (text === '' || (ms === undefined && digits.length !== 14)) return false;
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = (text.slice(4).match(/../g) ?? []).map(
    Number,
  );
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24 && minute < 60 && second < 60;
}

/** Beginnings and lengths of the card numbers of schemes. */
const SCHEMES: readonly (readonly [string, number])[] = [
  ['4', 13],
  ['4', 16],
  ['4', 19],
  ['51', 16],
  ['2221', 16],
  ['34', 15],
  ['37', 15],
  ['36', 14],
  ['6011', 16],
  ['6304', 18],
  ['6304', 19],
];

/**
 * Every card number in a text: separate numbers in one piece, and numbers in groups or within longer runs of digits
 * that begin like those of a scheme.
 */
function cardNumbersIn(text: string): string[] {
  return Array.from(text.matchAll(/\d(?:[\s-]{0,2}\d){12,}/g)).flatMap(([run]) => {
    const groups = Array.from(run.matchAll(/\d+/g), ([group]) => group);
    const digits = groups.join('');
    const embedded = Array.from(digits).flatMap((_, start) =>
      SCHEMES.map(([beginning, length]) =>
        digits.startsWith(beginning, start) ? digits.slice(start, start + length) : '',
      ).filter((number, scheme) => number.length === SCHEMES[scheme]?.[1]),
    );
    return [...groups, ...embedded].filter(
      (number) => number.length >= 13 && number.length <= 19 && isLuhnValid(number) && !isDateAndTime(number),
    );
  });
}

const hex = (bytes: Iterable<number>): string => Buffer.from(Array.from(bytes)).toString('hex');
const ascii = (text: string): string => Buffer.from(text, 'latin1').toString('hex').toUpperCase();
const ebcdic = (digits: string): string => hex(Array.from(digits, (digit) => 0xf0 + Number(digit)));

const VISA = '4111111111111111';
const MASTERCARD = '5555555555554444';
const AMEX = '378282246310005';
const LONG = '6304000000000000000';

const digitsOf = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''));
const withCheckDigit = (body: string): string =>
  body + String([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].find((digit) => isLuhnValid(`${body}${digit}`)));
/** 13 to 19 digits with a valid check digit. */
const validNumber = fc
  .integer({ min: 12, max: 18 })
  .chain(digitsOf)
  .map(withCheckDigit)
  .filter((number) => !isDateAndTime(number));
const cardNumber = fc
  .constantFrom(...SCHEMES)
  .chain(([beginning, length]) =>
    digitsOf(length - 1 - beginning.length).map((rest) => withCheckDigit(beginning + rest)),
  );
const surroundings = fc.string({
  unit: fc.constantFrom(...Array.from('0123456789abDF=^ -_:"{}\nçé🙂')),
  maxLength: 40,
});

describe('AT-27 card data in texts', () => {
  it.each([
    ['alone', VISA, '411111******1111'],
    ['between words', `card ${VISA} ok`, 'card 411111******1111 ok'],
    ['of 15 digits', AMEX, '378282*****0005'],
    ['of 19 digits', LONG, '630400*********0000'],
    ['with spaces', '4111 1111 1111 1111', '4111 11** **** 1111'],
    ['with dashes', '4111-1111-1111-1111', '4111-11**-****-1111'],
    ['in JSON', `{"pan":"${VISA}"}`, '{"pan":"411111******1111"}'],
    ['directly beside letters', `PAN${MASTERCARD}X`, 'PAN555555******4444X'],
    ['as track 2 with =', `;${VISA}=25121010000012345678?`, ';411111******1111=********************?'],
    ['as track 2 with D', `${VISA}D25121010000012300000F`, '411111******1111D********************F'],
    ['as track 2 of a number without a check digit', '4111111111111112=2512', '411111******1112=****'],
    ['as track 1', `%B${VISA}^DOE/JOHN^2512101?`, '%B411111******1111^****************?'],
    ['twice', `${VISA},${AMEX}`, '411111******1111,378282*****0005'],
  ])('masks a card number %s', (_how, text, expected) => {
    expect(scrubText(text).value).toBe(expected);
  });

  it.each([
    ['inside ISO 8583 hex', `0200F23C4481A8E0800016${VISA}00300000000000010000ABCD`],
    ['as a BCD field after its length', `7224648108C180821234F1${AMEX}F000000`],
    ['as track 2 in hex', `B2203801000000C037${VISA}D2512101000001230FAA`],
    ['as ASCII in hex', `30323030${ascii(`PAN=${VISA};`)}FF`],
    ['as ASCII in hex with spaces', ascii(VISA).replace(/(..)/g, '$1 ')],
    ['as ASCII in hex at an odd digit', `F${ascii(VISA)}`],
    ['as EBCDIC in hex', `c1c2${ebcdic(VISA)}c3`],
    ['as hex of digits with spaces', VISA.replace(/(..)/g, '$1 ')],
    ['with non-breaking spaces', VISA.replace(/(....)/g, '$1\u00a0')],
    ['with long dashes', VISA.replace(/(....)/g, '$1\u2013')],
  ])('masks a card number %s', (_how, text) => {
    const { value, scrubs } = scrubText(text);
    expect(scrubs).toBeGreaterThan(0);
    for (const form of [VISA, AMEX].flatMap((number) => [number, ascii(number), ebcdic(number)])) {
      expect(value.replace(/[\s\p{Pd}]/gu, '')).not.toContain(form.slice(4, -2));
    }
    expect(cardNumbersIn(value)).toEqual([]);
  });

  it.each([
    ['cvv=123', 'cvv=***'],
    ['"CVV2": "987"', '"CVV2": "***"'],
    ['{\\"cvc\\":\\"987\\"}', '{\\"cvc\\":\\"***\\"}'],
    ['<cvc2>987</cvc2>', '<cvc2>***</cvc2>'],
    ['CVV 123 ok', 'CVV *** ok'],
    ['card_cvv=123&amount=100', 'card_cvv=***&amount=100'],
    ['security code: 4321', 'security code: ****'],
    ['pin_block=04A1B2C3D4E5F607;', 'pin_block=****************;'],
    ['pinBlock:04A1B2C3D4E5F607', 'pinBlock:****************'],
    ['PIN block: 04 A1 B2 C3 D4 E5 F6 07', 'PIN block: ** ** ** ** ** ** ** **'],
    ['pin: 1234', 'pin: ****'],
    ['track2: abcdef', 'track2: ******'],
  ])('masks the secret in %s', (text, expected) => {
    expect(scrubText(text)).toEqual({ value: expected, scrubs: 1 });
  });

  it('masks a verification code in hex', () => {
    expect(scrubText(ascii('AMOUNT=100;CVV=123;')).value).toBe(
      `${ascii('AMOUNT=100;CVV=')}******${ascii(';')}`,
    );
  });

  it.each([
    'Release 2026-03-01 12:00:00',
    'amount 123456 nsu 000123 auth 998877',
    'pinpad: 8.30, spinning, opinion: none',
    'cvv result matched',
    '"cvv":null',
    '4111111111111112',
    'id 9876543210123456789012345',
    '+55 11 91234-5678',
    '',
  ])('does not change %s', (text) => {
    expect(scrubText(text)).toEqual({ value: text, scrubs: 0 });
  });

  it('leaves no card number in any text', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(surroundings, cardNumber, validNumber), { maxLength: 6 }), (parts) => {
        expect(cardNumbersIn(scrubText(parts.join('')).value)).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves at most the first 6 and last 4 digits of a number, whatever surrounds it', () => {
    fc.assert(
      fc.property(surroundings, cardNumber, surroundings, (before, number, after) => {
        const { value } = scrubText(`${before}${number}${after}`);
        expect(value).toHaveLength(before.length + number.length + after.length);
        const masked = value.slice(before.length, before.length + number.length);
        expect(masked.slice(6, -4)).toBe('*'.repeat(number.length - 10));
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps the length of a text whose hidden part has characters of two UTF-16 units', () => {
    expect(scrubText('b4000000000006^🙂^')).toEqual({ value: 'b400000***0006^***', scrubs: 2 });
    const whole = scrubText(`b4000000000006^ab^${'x'.repeat(59)}🙂y`).value;
    expect(whole).toBe(`b400000***0006^${'*'.repeat(64)}y`);
  });

  it('masks any separate number with a valid check digit', () => {
    const border = fc.constantFrom('', ' ', '"', 'a', 'D', '/', ',', '\n', '*');
    fc.assert(
      fc.property(border, validNumber, border, (before, number, after) => {
        const masked = `${number.slice(0, 6)}${'*'.repeat(number.length - 10)}${number.slice(-4)}`;
        expect(scrubText(`${before}${number}${after}`).value).toBe(`${before}${masked}${after}`);
      }),
    );
  });

  it('changes nothing when applied again', () => {
    fc.assert(
      fc.property(
        fc.oneof(surroundings, validNumber, cardNumber.map(ascii), fc.constantFrom('cvv=123', 'pin: ---')),
        (text) => {
          const { value } = scrubText(text);
          expect(scrubText(value)).toEqual({ value, scrubs: 0 });
        },
      ),
    );
  });

  it('takes less than 5 seconds for the worst texts of 64 KiB', () => {
    for (const unit of ['0', '1 ', '4111', 'cvv', '34', '4=', 'B4^']) {
      const text = unit.repeat(65_536 / unit.length);
      expect(scrubText(text).value).toHaveLength(text.length);
    }
  });
});

describe('AT-27 card data in JSON', () => {
  it('masks numbers, strings and keys at every depth, and removes fields of secrets', () => {
    const { value, scrubs } = scrubJson({
      pan: Number(VISA),
      list: [{ text: `n ${AMEX}` }, 7, null, true],
      [MASTERCARD]: 'key',
      cvv: '123',
      cardPin: '1234',
      pin_block: 'AA',
      track2Data: 'x',
      pinpad: 'unchanged',
    });
    expect(value).toEqual({
      pan: '411111******1111',
      list: [{ text: 'n 378282*****0005' }, 7, null, true],
      '555555******4444': 'key',
      pinpad: 'unchanged',
    });
    expect(scrubs).toBe(7);
  });

  it('leaves no card number in any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), validNumber, (json, number) => {
        const { value } = scrubJson({ json, number, nested: [{ [number]: json }] });
        expect(cardNumbersIn(JSON.stringify(value))).toEqual([]);
      }),
    );
  });
});

function scrubbed(parsed: Record<string, unknown>) {
  return scrubPayment(ParsedPayment.parse(payment(parsed).parsed));
}

describe('AT-28 truncation of a payment', () => {
  it.each([
    ['411111', '1111', '411111', '1111', 0],
    ['4111111', '11111', '411111', '1111', 2],
    ['41111111', '0005', '411111', '0005', 1],
    [VISA, VISA, '411111', '1111', 2],
    ['4111', '5', '4111', '5', 0],
  ])('of first %s and last %s keeps %s and %s', (firstDigits, lastDigits, first, last, scrubs) => {
    const result = scrubbed({ card: { firstDigits, lastDigits } });
    expect(result.value.card).toMatchObject({ firstDigits: first, lastDigits: last });
    expect(result.scrubs).toBe(scrubs);
  });

  it.each(['41111a', '4111 11', '411111******1111', '4'.repeat(20)])('refuses %s as digits', (digits) => {
    for (const field of ['firstDigits', 'lastDigits']) {
      expect(ParsedPayment.safeParse(payment({ card: { [field]: digits } }).parsed).success).toBe(false);
    }
  });

  it('masks card data in fields that are for other data', () => {
    const { value } = scrubbed({ nsu: VISA, metadata: { raw: `${VISA}=2512101`, cvv2: '123' } });
    expect(value).toMatchObject({ nsu: '411111******1111', metadata: { raw: '411111******1111=*******' } });
  });

  it('does not mask the document number of a company, unless it is a valid card number of a scheme', () => {
    const cnpj = '00000000000191';
    const luhnValid = '11222333000181';
    expect(scrubbed({ merchant: { id: '1', document: cnpj, name: 'x' } }).value.merchant.document).toBe(cnpj);
    expect(isLuhnValid('36000000000008')).toBe(true);
    const diners = scrubbed({ merchant: { id: '1', document: '36000000000008', name: 'x' } });
    expect(diners.value.merchant.document).toBe('360000****0008');
    expect(scrubbed({ merchant: { id: '1', document: luhnValid, name: 'x' } }).scrubs).toBe(0);
  });

  it('does not change a payment without card data, not even the order of its fields', () => {
    const parsed = ParsedPayment.parse(payment({ nsuReference: '000100' }).parsed);
    expect(JSON.stringify(scrubPayment(parsed))).toBe(JSON.stringify({ value: parsed, scrubs: 0 }));
  });
});
