import { namedCardData, type Range } from './named-card-data.js';

export const FIRST_DIGITS = 6;
export const LAST_DIGITS = 4;
const SHORTEST_NUMBER = 13;
const LONGEST_NUMBER = 19;

/** Ranges of card data in plain text: card numbers, tracks 1 and 2, and the values of named fields. */
export function searchText(text: string): Range[] {
  if (!hasDigitsOfNumber(text)) return namedCardData(text);
  return [
    ...numbersInOnePiece(text),
    ...numbersInGroups(text),
    ...tracks(text),
    ...isoNumbers(text, ISO_MESSAGE),
    ...namedCardData(text),
  ];
}

const FEWEST_DIGITS = 12;

/** True if a text has as many digits as the shortest number in a track. Most names and serial numbers have fewer. */
function hasDigitsOfNumber(text: string): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) count += 1;
    if (count === FEWEST_DIGITS) return true;
  }
  return false;
}

const DIGITS = /\d{13,}/g;

function numbersInOnePiece(text: string): Range[] {
  const ranges: Range[] = [];
  for (const { 0: digits, index } of text.matchAll(DIGITS)) {
    if (digits.length > LONGEST_NUMBER || !isCardNumber(digits)) continue;
    if (!isOrdinaryIn(text, index, digits)) ranges.push(middleOf(index, digits.length));
  }
  return ranges;
}

/** Bytes in hexadecimal, in which `searchDigitPairs` finds card numbers. Other digits in them are no card numbers. */
const HEX = /^(?=.*[a-f])[0-9a-f]{24,}$/i;

/** True if the digits are part of hexadecimal bytes, judging by the characters beside them. */
function isInHex(before: string, digits: string, after: string): boolean {
  return HEX.test(`${/[0-9a-z]*$/i.exec(before)?.[0] ?? ''}${digits}${/^[0-9a-z]*/i.exec(after)?.[0] ?? ''}`);
}

const middleOf = (from: number, length: number): Range => [from + FIRST_DIGITS, from + length - LAST_DIGITS];

/** Text before the decimals of a fraction such as 1.4111111111111111 or 0,4111111111111111. */
const FRACTION = /\d\.$|(?<!\d)0,$/;
/** Names such as `"nsu":"`: up to 15 digits after them are not hidden, since some look like American Express. */
const ORDINARY_NAME = /(?:nsu|imei)[\w-]{0,20}(?:\\{0,4}["'])?\s{0,3}[:=>]?\s{0,3}(?:\\{0,4}["'])?$/i;
const NEAR = 40;

export function isFraction(before: string, after: string): boolean {
  return FRACTION.test(before) && !/^\.\d/.test(after);
}

function isOrdinaryIn(text: string, from: number, digits: string): boolean {
  if (isOrdinaryNumber(digits)) return true;
  const before = text.slice(Math.max(0, from - NEAR), from);
  const after = text.slice(from + digits.length, from + digits.length + NEAR);
  if (isFraction(before, after)) return true;
  // A telephone number, for example +49 1512 3456789.
  if (digits.length === SHORTEST_NUMBER && before.endsWith('+')) return true;
  return (digits.length <= 15 && ORDINARY_NAME.test(before)) || isInHex(before, digits, after);
}

const GAP = String.raw`[ \u00a0.-]`;
/** Card numbers in groups: 4111 1111 1111 1111, 3782-822463-10005, 41 11 11 11 11 11 11 11. */
const GROUPS_OF_FOUR = new RegExp(
  String.raw`\d{4}(?<!\d{5})(${GAP})\d{4}\1\d{4}(?!\d)(?:\1\d{4}(?!\d))*(?:\1\d{1,3}(?!\d))?`,
  'g',
);
const OTHER_GROUPS = new RegExp(
  [
    String.raw`\d(?<!\d\d|\d${GAP}\d)(?:\d{3}(${GAP})\d{6}\1\d{4,5}`,
    String.raw`(${GAP})\d(?:\2\d){11,17}`,
    String.raw`\d(${GAP})\d\d(?:\3\d\d){4,7}(?:\3\d)?`,
    String.raw`\d\d([ \u00a0-])\d{3}(?:\4\d{3}){2,4}(?:\4\d{1,2})?)(?!${GAP}?\d)`,
  ].join('|'),
  'g',
);
const PARTED = new RegExp(String.raw`\d${GAP}\d`);
/** Maximum groups in a row with a card number. Longer rows are others, such as the 11 groups of an invoice key. */
const MOST_GROUPS_OF_FOUR = 6;

function numbersInGroups(text: string): Range[] {
  if (!PARTED.test(text)) return [];
  const others = Array.from(text.matchAll(OTHER_GROUPS)).flatMap(({ 0: row, index }) =>
    middleOfGroups(row, index),
  );
  const rows = Array.from(text.matchAll(GROUPS_OF_FOUR));
  return [...others, ...rows.flatMap(({ 0: row, index }) => numbersInRow(row, index))];
}

/**
 * Ranges of card numbers in a row of groups of four digits, which may include other groups such as the expiry
 * month and year.
 */
function numbersInRow(row: string, from: number): Range[] {
  if (row.length > MOST_GROUPS_OF_FOUR * 5) return [];
  const ranges: Range[] = [];
  for (let start = 0; start + SHORTEST_NUMBER < row.length; start += 5) {
    for (const end of new Set([start + 19, row.length])) {
      ranges.push(...middleOfGroups(row.slice(start, end), from + start));
    }
  }
  return ranges;
}

function middleOfGroups(row: string, from: number): Range[] {
  if (!isCardNumber(row.replace(/\D/g, ''))) return [];
  const places = Array.from(row.matchAll(/\d/g), ({ index }) => from + index);
  return [[places[FIRST_DIGITS] ?? from, (places[places.length - LAST_DIGITS - 1] ?? from) + 1]];
}

const TRACK_1 = /B(?<number>\d{12,19})\^(?<data>[^^]{2,26}\^[^?\s]{0,60})/dgiu;
/** Track 2 data: it begins with the year and month of expiry. */
const TRACK_2 = /(?<=\d{12})[=D]\d\d(?:0[1-9]|1[0-2])\d{0,19}/gi;
/** Digits examined before track 2 data: in a message without separators, others may precede the card number. */
const MOST_BEFORE = 40;

/** Ranges of the middle digits of card numbers in tracks, and of all data after these numbers. */
function tracks(text: string): Range[] {
  const ranges: Range[] = [];
  if (text.includes('^')) {
    for (const { indices } of text.matchAll(TRACK_1)) {
      const { number, data } = indices?.groups ?? {};
      if (number !== undefined && data !== undefined)
        ranges.push([number[0] + FIRST_DIGITS, number[1] - LAST_DIGITS], data);
    }
  }
  for (const { 0: whole, index } of text.matchAll(TRACK_2)) {
    const before = /\d+$/.exec(text.slice(Math.max(0, index - MOST_BEFORE), index))?.[0] ?? '';
    const length = lengthOfNumber(before);
    if (length > 0) ranges.push(middleOf(index - length, length), [index + 1, index + whole.length]);
  }
  return ranges;
}

/**
 * Length of the card number at the end of the digits; 0 if there is none. If all digits are the number, its
 * check digit may be wrong.
 */
function lengthOfNumber(digits: string): number {
  if (hasSchemeOf(digits)) return digits.length;
  for (let length = LONGEST_NUMBER; length >= SHORTEST_NUMBER; length -= 1) {
    if (digits.length > length && isCardNumber(digits.slice(-length))) return length;
  }
  return 0;
}

/**
 * Head of an ISO 8583 message up to field 2: type, bitmaps with the second bit set, length of field 2.
 * Bitmaps are hexadecimal here, and raw bytes in `ISO_MESSAGE_IN_BYTES`.
 */
const ISO_MESSAGE = /0[1-8][0-4][0-5](?:[4-7][0-9a-f]{15}|[c-f][0-9a-f]{31})(?<length>1[3-9])(?=\d{13})/gi;
export const ISO_MESSAGE_IN_BYTES =
  /0[1-8][0-4][0-5](?:[\x40-\x7f][^]{7}|[\xc0-\xff][^]{15})(?<length>1[3-9])(?=\d{13})/g;

/** Ranges of the middle digits of field 2 in ISO 8583 messages. A 0 may precede an odd number of digits. */
export function isoNumbers(text: string, form: RegExp): Range[] {
  const ranges: Range[] = [];
  for (const match of text.matchAll(form)) {
    const length = Number(match.groups?.length);
    const end = match.index + match[0].length;
    const from = length % 2 === 1 && text[end] === '0' ? end + 1 : end;
    if (isCardNumber(text.slice(from, from + length))) ranges.push(middleOf(from, length));
  }
  return ranges;
}

/** EMV tag 5A: length in bytes, digits, then F up to the end of the last byte. */
const TAG_5A = /5A0(?<bytes>[7-9A])(?=(?<digits>\d{13,19}))/gi;

/** Ranges of card data in hexadecimal bytes: EMV tags 5A and 57, ISO 8583 fields 2 and 35. */
export function searchDigitPairs(hex: string): Range[] {
  return [...numbersOfTag5A(hex), ...tracks(hex), ...isoNumbers(hex, ISO_MESSAGE)];
}

export function numbersOfTag5A(hex: string): Range[] {
  const ranges: Range[] = [];
  for (const { index, groups } of hex.matchAll(TAG_5A)) {
    const value = hex.slice(index + 4, index + 4 + 2 * Number.parseInt(groups?.bytes ?? '', 16));
    const digits = /^(\d{13,19})F*$/i.exec(value)?.[1];
    if (digits !== undefined) ranges.push(middleOf(index + 4, digits.length));
  }
  return ranges;
}

/**
 * Range of the card number in bytes that hold an ISO 8583 field 2 and nothing else: the number of digits, then the
 * digits. An odd number of digits has a 0 before or an F after it. With `mayBeAlone`, the length may be absent.
 */
export function searchField2(hex: string, mayBeAlone: boolean): Range[] {
  const all = /^\d{13,22}(?=F?$)/i.exec(hex)?.[0] ?? '';
  for (let length = SHORTEST_NUMBER; length <= Math.min(all.length, LONGEST_NUMBER); length += 1) {
    const before = all.slice(0, -length);
    const filler = length % 2 === 1 && all === hex ? '0' : '';
    const isField = before === `${length}${filler}` || (mayBeAlone && before === filler);
    if (isField && isCardNumber(all.slice(-length))) return [middleOf(before.length, length)];
  }
  return [];
}

/** First digits of card numbers, by number of digits. */
const LONG_NUMBERS = String.raw`3841|5[0678]|6[0237]`;
const SCHEMES: Readonly<Record<number, RegExp>> = {
  13: /^4/, // Visa
  14: /^3(?:[68]|0[0-5])/, // Diners
  15: /^3[47]/, // American Express
  // Visa, Mastercard, JCB, Discover and Elo, and schemes of up to 19 digits: Maestro, Hipercard, UnionPay.
  16: new RegExp(
    String.raw`^(?:4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|35(?:2[89]|[3-8])|64[4-9]|65|${LONG_NUMBERS})`,
  ),
  17: new RegExp(`^(?:${LONG_NUMBERS})`),
  18: new RegExp(`^(?:${LONG_NUMBERS})`),
  19: new RegExp(`^(?:4|${LONG_NUMBERS})`),
};

export function isCardNumber(digits: string): boolean {
  return hasSchemeOf(digits) && sumOfDigits(digits, luhnWeight) % 10 === 0;
}

/** True if digits have the length and the first digits of a card number. */
const hasSchemeOf = (digits: string): boolean => SCHEMES[digits.length]?.test(digits) === true;

/** True if the digits are an EAN (13), a CNPJ (14), or a date and time (14) such as 30112026235959. */
function isOrdinaryNumber(digits: string): boolean {
  if (digits.length === 13)
    return sumOfDigits(digits, (digit, place) => digit * (place % 2 === 0 ? 1 : 3)) % 10 === 0;
  return digits.length === 14 && (DATE_AND_TIME.test(digits) || isCnpj(digits));
}

const DATE_AND_TIME = /^30(?:0[1-9]|1[0-2])(?:19|20)\d\d(?:[01]\d|2[0-3])[0-5]\d[0-5]\d$/;

/** Weight of a digit in the Luhn sum. `place` is its index from the last digit, which has 0. */
function luhnWeight(digit: number, place: number): number {
  if (place % 2 === 0) return digit;
  return digit > 4 ? digit * 2 - 9 : digit * 2;
}

/** Sum of the digits, each weighted by `weightOf`. `place` is the index from the last digit, which has 0. */
function sumOfDigits(digits: string, weightOf: (digit: number, place: number) => number): number {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    sum += weightOf(digits.charCodeAt(at) - 48, digits.length - 1 - at);
  }
  return sum;
}

/** True if 14 digits are a CNPJ, the number of a Brazilian company, by its two check digits. */
function isCnpj(digits: string): boolean {
  return [12, 13].every((length) => {
    const rest = sumOfDigits(digits.slice(0, length), (digit, place) => digit * (2 + (place % 8))) % 11;
    return Number(digits[length]) === (rest < 2 ? 0 : 11 - rest);
  });
}

export const MARKS = /[\u0300-\u036f]/;
const ALL_MARKS = new RegExp(MARKS, 'g');

/** A text without accents, in lower case, with one form of the Greek sigma. SQL has a function of this name. */
export const folded = (text: string): string =>
  text.normalize('NFD').replace(ALL_MARKS, '').normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
