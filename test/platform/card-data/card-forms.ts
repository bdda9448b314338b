/** One card number of each scheme and length. */
export const CARDS = [
  '4111111111111111',
  '4222222222222',
  '4111222333444555666',
  '5555555555554444',
  '2223003122003222',
  '378282246310005',
  '36227206271667',
  '30569309025904',
  '6011111111111117',
  '3530111333300000',
  '6362970000457013',
  '6062825624254001',
  '6759649826438453',
  '6212345678901234569',
] as const;

const bcd = (digits: string): Buffer => Buffer.from(digits.length % 2 === 0 ? digits : `${digits}F`, 'hex');
const lengthByte = (bytes: Buffer): Buffer => Buffer.from([bytes.length]);
const track2 = (number: string): string => `${number}D25122010000012345678`;
const digitCount = (text: string): Buffer => Buffer.from(String(text.length), 'hex');
const percent = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const groupsOf = (number: string, size: number, gap: string): string =>
  number.match(new RegExp(`.{1,${String(size)}}`, 'g'))?.join(gap) ?? '';

/** Text formats in which a terminal may write a card number. */
export const TEXTS: Readonly<Record<string, (number: string) => string>> = {
  alone: (number) => number,
  'in a sentence': (number) => `card ${number} ok`,
  'in JSON': (number) => `{"a":"${number}","b":1}`,
  'in a row of CSV': (number) => `123456,${number},1225`,
  'after another number': (number) => `0200 ${number} 003000`,
  'in groups with spaces': (number) => groupsOf(number, 4, ' '),
  'in groups with dashes': (number) => groupsOf(number, 4, '-'),
  'in groups with dots': (number) => groupsOf(number, 4, '.'),
  'in groups before its end': (number) => `${groupsOf(number, 4, ' ')} 12/25`,
  'as pairs': (number) => groupsOf(number, 2, ' '),
  'as track 1': (number) => `%B${number}^DOE/JOHN^25121010000000000000?`,
  'as track 2': (number) => `;${number}=25121010000012345678?`,
};

/** Bytes of parts: hexadecimal texts and bytes. */
const bytes = (...parts: (string | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : part)));
const withLength = (value: Buffer): Buffer => bytes(lengthByte(value), value);
const inAscii = (number: string): Buffer => Buffer.from(`${number.length}${number}003000000000001000`);

/** Byte formats in which a terminal may write a card number. */
export const BYTES: Readonly<Record<string, (number: string) => Buffer>> = {
  'EMV tag 5A': (number) => bytes('5A', withLength(bcd(number)), '5F2403251231'),
  'EMV tags before 5A': (number) => bytes('9F02060000000010005A', withLength(bcd(number))),
  'EMV tag 57': (number) => bytes('57', withLength(bcd(track2(number)))),
  'ISO 8583 field 2': (number) => bytes(digitCount(number), bcd(number)),
  'ISO 8583 field 35': (number) => bytes(digitCount(track2(number)), bcd(track2(number))),
  'ISO 8583 message in BCD': (number) =>
    bytes('02007020048020C08000', digitCount(number), bcd(number), '003000000000001000'),
  'ISO 8583 message in ASCII': (number) => bytes(Buffer.from('0200723A048020C08000'), inAscii(number)),
  'ISO 8583 message in ASCII with a binary bitmap': (number) =>
    bytes(Buffer.from('0200'), '723A048020C08000', inAscii(number)),
};

const base64Forms = (bytes: Buffer): Readonly<Record<string, string>> => ({
  Base64: bytes.toString('base64'),
  Base64url: bytes.toString('base64url'),
  'Base64 in JSON': `{"tlv":"${bytes.toString('base64')}"}`,
  'Base64 after a path': `tlv/${bytes.toString('base64')}`,
});
const hexForms = (bytes: Buffer): Readonly<Record<string, string>> => ({
  hexadecimal: bytes.toString('hex'),
  'hexadecimal in capitals': bytes.toString('hex').toUpperCase(),
  'hexadecimal by bytes': bytes.toString('hex').match(/../g)?.join(' ') ?? '',
  'hexadecimal in JSON': `{"tlv":"${bytes.toString('hex')}"}`,
});

/** Each way to write a card number, by its name. */
export function formsOf(number: string): [name: string, form: string][] {
  const forms: [string, string][] = [];
  for (const [name, write] of Object.entries(TEXTS)) {
    const text = write(number);
    const encoded = {
      plain: text,
      percent: percent(text),
      ...hexForms(Buffer.from(text)),
      ...base64Forms(Buffer.from(text)),
    };
    for (const [encoding, form] of Object.entries(encoded)) forms.push([`${name}, ${encoding}`, form]);
  }
  for (const [name, write] of Object.entries(BYTES)) {
    // A field 2 by itself is found where it is the whole of the bytes.
    const encoded = { ...hexForms(write(number)), ...base64Forms(write(number)) };
    for (const [encoding, form] of Object.entries(encoded)) {
      if (name !== 'ISO 8583 field 2' || encoding !== 'Base64 after a path')
        forms.push([`${name}, ${encoding}`, form]);
    }
  }
  return forms;
}

/** A text in all forms that it may be read in: itself, and what its percent-encoding, hexadecimal and Base64 say. */
export function readingsOf(text: string): string[] {
  const percentDecoded = text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const hex = text.replaceAll(/(?<=[0-9a-f]{2}) (?=[0-9a-f]{2})/gi, '');
  const bytes = [
    ...Array.from(hex.matchAll(/[0-9a-f]{12,}/gi), ([run]) => [
      Buffer.from(run, 'hex'),
      Buffer.from(run.slice(1), 'hex'),
    ]).flat(),
    ...Array.from(text.matchAll(/[\w+/-]{12,}/g), ([run]) =>
      [0, 1, 2, 3].map((phase) => Buffer.from(run.slice(phase), 'base64')),
    ).flat(),
  ];
  return [
    text,
    percentDecoded,
    hex,
    ...bytes.flatMap((each) => [each.toString('latin1'), each.toString('hex')]),
  ];
}

/** Whether more of a card number can be read than its first 6 and last 4 digits. */
export function shows(text: string, number: string): boolean {
  return readingsOf(text).some((reading) => {
    const digits = reading.replaceAll(/(?<=\d)[ .-](?=\d)/g, '');
    return (
      digits.includes(number.slice(2, -2)) ||
      digits.includes(number.slice(0, 9)) ||
      digits.includes(number.slice(-7))
    );
  });
}
