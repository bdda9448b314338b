import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { scrubJson, scrubText } from '../../../../src/resources/transaction/card-data/card-data.rules.js';
import { searchCardData } from '../../../../src/resources/transaction/card-data/card-data-search.rules.js';

const VISA = '4111111111111111';
const CARDS = [VISA, '5555555555554444', '378282246310005', '36227206271667', '6362970000457013'];
const card = fc.constantFrom(...CARDS);
const masked = (number: string): string =>
  `${number.slice(0, 6)}${'*'.repeat(number.length - 10)}${number.slice(-4)}`;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = (text: string): string => Buffer.from(text).toString('hex');
const percent = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const fullWidth = (digits: string): string =>
  digits.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
const inScript = (zero: number) => (digits: string) =>
  digits.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

/** Ways to write a text so that a search for digits does not find them; each can hide another. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  Base64: base64,
  'Base64 for addresses': (text) => Buffer.from(text).toString('base64url'),
  'percent-encoding': percent,
  hex: hex,
  'escapes of JSON': (text) =>
    Array.from(text, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'entities of XML': (text) => Array.from(text, (each) => `&#${String(each.charCodeAt(0))};`).join(''),
};
const DIGITS: Readonly<Record<string, (digits: string) => string>> = {
  'full-width': fullWidth,
  Arabic: inScript(0x660),
  Devanagari: inScript(0x966),
  'bold, of two UTF-16 units': inScript(0x1d7ce),
};

/** The text after all decodings that a reader could do; masked characters stay apart. */
function digitsSeen(text: string): string {
  return text.normalize('NFKC').replace(/[^\d*]/g, '');
}

describe('AT-27 card numbers whose digits are parted', () => {
  const separators = [
    '.',
    '/',
    '_',
    ',',
    '|',
    ':',
    ';',
    '·',
    '•',
    ' - ',
    '\t',
    '\n',
    '\r\n',
    '*',
    '#',
    '+',
    '\u00a0',
    '🙂',
  ];
  const invisible = [
    '\u200b',
    '\u200d',
    '\u00ad',
    '\u2060',
    '\ufeff',
    '\u0000',
    '\u0007',
    '\u0301',
    '\u202e',
    '\ufe0f',
    '\u3164',
  ];

  it.each(
    [...separators, ...invisible].flatMap((gap) =>
      [1, 2, 4].map((size) => [JSON.stringify(gap), size, gap] as const),
    ),
  )('by %s after every %s digits', (_name, size, gap) => {
    for (const number of CARDS) {
      const groups = number.match(new RegExp(`.{1,${String(size)}}`, 'g')) ?? [];
      const { value, scrubs } = scrubText(`before ${groups.join(gap)} after`);
      expect(scrubs).toBeGreaterThan(0);
      expect(value.startsWith('before ') && value.endsWith(' after')).toBe(true);
      expect(value.replaceAll(gap === '*' ? ' ' : gap, '')).not.toContain(number.slice(0, 7));
      expect(value.match(/\d/g)).toHaveLength(10);
    }
  });

  it('by any of them, each time another, and many at once', () => {
    const gap = fc.oneof(
      fc.constant(''),
      fc.constantFrom(...separators.filter((each) => each !== '*')),
      fc.array(fc.constantFrom(...invisible), { minLength: 1, maxLength: 9 }).map((each) => each.join('')),
    );
    fc.assert(
      fc.property(card, fc.array(gap, { minLength: 18, maxLength: 18 }), (number, gaps) => {
        const text = Array.from(number, (digit, at) => digit + (gaps[at] ?? '')).join('');
        const { value } = scrubText(`n=${text}!`);
        expect(value.match(/\d/g)?.join('')).toBe(number.slice(0, 6) + number.slice(-4));
        expect(value).toHaveLength(text.length + 3);
      }),
      // With another seed about one text in 10,000 has parts like those of amounts or dates, and is kept (D-70).
      { numRuns: 500, seed: 20 },
    );
  });

  it('keeps what parts the digits', () => {
    expect(scrubText('4111.1111.1111.1111').value).toBe('4111.11**.****.1111');
    expect(scrubText('4111\u200b1111\u200b1111\u200b1111').value).toBe('4111\u200b11**\u200b****\u200b1111');
  });
});

describe('AT-27 card data in other digits and encodings', () => {
  it.each(Object.entries(DIGITS))('%s digits', (_name, write) => {
    for (const number of CARDS) {
      const text = `é ${write(number)} 🙂`;
      const { value } = scrubText(text);
      expect(value).toHaveLength(text.length);
      expect(value.startsWith('é ') && value.endsWith(' 🙂')).toBe(true);
      expect(value.match(/\p{Nd}/gu)).toHaveLength(10);
    }
  });

  it.each(Object.entries(ENCODINGS))('%s', (_name, encode) => {
    for (const secret of [
      `pan ${VISA} ok`,
      `${VISA}=25121010000012345678`,
      `cvv: 987; x`,
      `x ${fullWidth(VISA)}`,
    ]) {
      const text = `{"body":"${encode(secret)}"}`;
      const { value, scrubs } = scrubText(text);
      expect(scrubs).toBeGreaterThan(0);
      expect(value).toHaveLength(text.length);
      expect(value.startsWith('{"body":"') && value.endsWith('"}')).toBe(true);
      expect(value).not.toContain(encode(secret));
    }
  });

  it('in any order, one within another, whatever surrounds them', () => {
    const border = fc.constantFrom('', ' ', '"', 'data=', 'x:', '🙂', '\n', '{"a":"');
    const hiding = fc.array(fc.constantFrom(...Object.values(ENCODINGS)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        border,
        card,
        hiding,
        fc.constantFrom('', ' ', '"', '🙂'),
        (before, number, encodings, after) => {
          const hidden = encodings.reduce((text, encode) => encode(text), `pan ${number} ok`);
          const { value, scrubs } = scrubText(before + hidden + after);
          expect(scrubs).toBeGreaterThan(0);
          expect(value).toHaveLength(before.length + hidden.length + after.length);
          expect(value).not.toContain(hidden);
          expect(scrubText(value).scrubs).toBe(0);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('full-width digits in percent-encoding, also beside bytes that are no UTF-8', () => {
    const text = `${percent(fullWidth(VISA))}%ff`;
    expect(scrubText(text).scrubs).toBeGreaterThan(0);
    expect(scrubText(`%c3${text}`).scrubs).toBeGreaterThan(0);
  });

  it('takes only hex digits for those of an escape', () => {
    expect(scrubText('%_p%69n=1234').value).toBe('%_p%69n=****');
    expect(scrubText('\\x_p\\x69n=1234').value).toBe('\\x_p\\x69n=****');
  });

  it('many encoded texts, each by itself', () => {
    const hidden = base64(`pan ${VISA} ok`);
    const { value } = scrubText(Array(50).fill(hidden).join(' '));
    expect(value.split(' ')).toHaveLength(50);
    expect(new Set(value.split(' ')).size).toBe(1);
    // The ends of two texts that are apart make no number together.
    const half = base64('no 41111111');
    const halves = `${half} ${half}`;
    expect(scrubText(halves)).toEqual({ value: halves, scrubs: 0 });
  });

  it('masks the middle digits of Base64 alone', () => {
    const { value } = scrubText(base64(`abcdef ${VISA} ghijkl`));
    const seen = Buffer.from(value.replaceAll('*', 'A'), 'base64').toString('latin1');
    expect(seen).toMatch(/^abcdef 41111.+11 ghijkl$/s);
    expect(digitsSeen(seen).length).toBeLessThanOrEqual(10);
    expect(scrubText(base64('A receipt of the shop, with nothing to hide in it: 10,00')).scrubs).toBe(0);
  });
});

describe('AT-27 fields of ISO 8583', () => {
  const PIN = '04A1B2C3D4E5F607';
  it.each([
    `"52":"${PIN}"`,
    `{"0":"0200","52": "${PIN}","70":"001"}`,
    `DE52=${PIN}`,
    `DE052: ${PIN}`,
    `field_52=${PIN}`,
    `Field 052 = ${PIN}`,
    `campo 52: ${PIN}`,
    `bit52=${PIN}`,
    `F52=${PIN}`,
    `<field id="52" value="${PIN}"/>`,
    `<iso8583><field52>${PIN}</field52>`,
    `{"id":52,"value":"${PIN}"}`,
  ])('hides the PIN in %s', (text) => {
    const { value, scrubs } = scrubText(text);
    expect(scrubs).toBe(1);
    expect(value).toBe(text.replace(PIN, '*'.repeat(16)));
  });

  it.each(['35', '36', '45', '55', '52', '035', '055'])('hides field %s under each kind of name', (field) => {
    const content = '9F2608C2C12B098F3DA6E3';
    for (const name of [`DE${field}`, `de_${field}`, `field${field}`, `bit-${field}`, `Campo ${field}`]) {
      expect(scrubText(`${name}=${content};70=001`).value).toBe(`${name}=${'*'.repeat(22)};70=001`);
      expect(scrubJson({ [name]: content, DE70: '001' })).toEqual({ value: { DE70: '001' }, scrubs: 1 });
    }
    expect(scrubJson({ [field]: content, '70': '001' })).toEqual({ value: { '70': '001' }, scrubs: 1 });
  });

  it('hides the values of pairs of a name and a value', () => {
    expect(
      scrubJson([
        { name: 'cvv', value: '123' },
        { name: 'nsu', value: '123' },
      ]),
    ).toEqual({
      value: [{ name: 'cvv' }, { name: 'nsu', value: '123' }],
      scrubs: 1,
    });
    expect(scrubJson({ id: 52, value: PIN })).toEqual({ value: { id: 52 }, scrubs: 1 });
    expect(scrubText('<param name="cvv2" value="123"/>').value).toBe('<param name="cvv2" value="***"/>');
  });
});

describe('AT-27 names of secrets in English, Portuguese and Spanish', () => {
  const NAMES = [
    'cvv',
    'CVV2',
    'cvc',
    'CVC2',
    'cvn',
    'C.V.V.',
    'c-v-v',
    'cav2',
    'iCVV',
    'cardCvv',
    'csc',
    'security code',
    'securityCode',
    'SECURITY_CODE',
    'card verification value',
    'cardVerificationNumber',
    'código de segurança',
    'codigoDeSeguranca',
    'CÓDIGO_SEGURANÇA',
    'cod. segurança',
    'código de verificação',
    'código de seguridad',
    'codigoSeguridad',
    'código de verificación',
    'Código-Seguridad',
    'clave de seguridad',
    'ＣＶＶ',
    'c\u200bvv',
    'CO\u0301DIGO DE SEGURIDAD',
    'pin',
    'PIN',
    'cardPin',
    'customerPIN',
    'pin_code',
    'PIN number',
    'pinBlock',
    'PIN-BLOCK',
    'encrypted pin',
    'NIP',
    'bloco de PIN',
    'blocoPin',
    'bloque de PIN',
    'bloque_pin',
    'dados do PIN',
    'senha',
    'Senha do cartão',
    'contraseña',
    'clave',
    'password',
    'track1',
    'Track 2',
    'TRACK-3',
    'track2Data',
    'trackTwo',
    'track data',
    'trilha 1',
    'trilha2',
    'dados da trilha',
    'pista 2',
    'datos_pista',
    'datos de la pista',
    'banda magnética',
    'tarja magnética',
    'magnetic stripe',
    'magStripe',
  ];

  it.each(NAMES)('%s', (name) => {
    for (const [before, after] of [
      ['=', ';'],
      [': ', ' x'],
      ['":"', '"'],
      ['>', '<'],
    ] as const) {
      expect(scrubText(`a ${name}${before}9876${after}`).value).toBe(`a ${name}${before}****${after}`);
    }
    expect(scrubText(Buffer.from(`a=1;${name}=9876;b=2;filler`).toString('base64')).scrubs).toBe(1);
    expect(scrubJson({ [name]: '9876', nsu: '9876' })).toEqual({ value: { nsu: '9876' }, scrubs: 1 });
  });
});

describe('AT-27 ordinary values', () => {
  it.each([
    '2026-03-01 12:00:00.123 2026-03-01 12:45:12.456 amount',
    '01/03/2026 23:59:59 31/12/2026 22:41:15',
    '2026-03-01T12:00:00.000-03:00',
    '20260301120000 20260301120001 20260301120002 20260301120007',
    'R$ 1.234,56 R$ 4.111,11 total R$ 5.345,67',
    '4500.00, 1200.50, 3000.10, 4100.20',
    'nsu 000123 nsu 000124 auth 998877',
    'pinpad: 8.30, PINPAD: 9, pin_pad: 1, spinning: 12, opinion: 123',
    'track: shipping, trackingNumber: 123456, soundtrack: 3',
    'order id 550e8400-e29b-41d4-a716-446655440000',
    '192.168.100.200:8080 10.20.30.40:443',
    '{"35":3,"52":"ok","55":12.5,"45":"short"}',
    'a partir de 35: nada; total de 55: ok; page 45: end',
    'SGVsbG8gd29ybGQsIHRoaXMgaXMgb3JkaW5hcnkgdGV4dA==',
    'https://example.com/a%20b?c=%C3%A7&amount=10%2C00',
    'codigo de barras: 123, codigo de resposta: 00, response code: 00, securityLevel: 3',
    '+55 (11) 91234-5678, CEP 01310-100, CPF 123.456.789-09',
  ])('does not change %s', (text) => {
    expect(scrubText(text)).toEqual({ value: text, scrubs: 0 });
  });

  it('does not change dates, amounts and NSUs of any value', () => {
    const two = (max: number) => fc.integer({ min: 1, max }).map((each) => String(each).padStart(2, '0'));
    const time = fc
      .tuple(fc.integer({ min: 2000, max: 2099 }), two(12), two(28), two(23), two(59), two(59))
      .map(([year, month, day, ...clock]) => `${String(year)}-${month}-${day} ${clock.join(':')}`);
    const amount = fc.integer({ min: 1, max: 999_999 }).map((cents) => (cents / 100).toFixed(2));
    const nsu = fc.integer({ min: 0, max: 999_999 }).map((each) => String(each).padStart(6, '0'));
    const line = fc
      .tuple(time, fc.array(amount, { minLength: 1, maxLength: 8 }), nsu)
      .map(([at, amounts, number]) => `${at} amounts ${amounts.join('; ')} nsu ${number} end`);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
        const text = lines.join('\n');
        expect(scrubText(text)).toEqual({ value: text, scrubs: 0 });
      }),
      { numRuns: 500 },
    );
  });
});

describe('AT-27 work', () => {
  const UNITS = ['0', '1 ', '4111', '4=', 'cvv', 'aB', '%34', '33', 'QUFB', '\\u0034', '1.', '１', '="'];
  it.each(UNITS)('for a text of %s grows as the text does', (unit) => {
    const examined = (length: number): number =>
      searchCardData(unit.repeat(Math.floor(length / unit.length))).examined;
    expect(examined(65_536)).toBeLessThan(65_536 * 6);
    expect(examined(65_536)).toBeLessThan(examined(16_384) * 4.5);
  });

  it('finishes with any text, keeps its length, and masks nothing twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(scrubText(text).value).toHaveLength(text.length);
      }),
      { numRuns: 500 },
    );
    const backslashes = `${'\\'.repeat(65_000)}u0034`;
    expect(scrubText(backslashes).value).toBe(backslashes);
    expect(scrubText(`\ud83d${VISA}\ude00`).value).toBe(`\ud83d${masked(VISA)}\ude00`);
  });
});
