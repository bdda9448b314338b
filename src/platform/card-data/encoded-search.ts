import type { Range } from './card-number.js';
import {
  ISO_MESSAGE_IN_BYTES,
  isFraction,
  isoNumbers,
  numbersOfTag5A,
  searchDigitPairs,
  searchText,
  searchField2,
} from './text-search.js';

/** Card data in parts of a text that are percent-encoded, hexadecimal or Base64. One level deep. */
export function searchEncoded(text: string): Range[] {
  return [...searchPercent(text), ...numbersOfTag5A(text), ...searchRuns(text)];
}

const ESCAPE = /%[0-9a-f]{2}/gi;

function searchPercent(text: string): Range[] {
  if (!/%[0-9a-f]{2}/i.test(text)) return [];
  /** Where each decoded character stands. */
  const places: number[] = [];
  let decoded = '';
  let next = 0;
  const addPlain = (to: number): void => {
    decoded += text.slice(next, to);
    for (; next < to; next += 1) places.push(next);
  };
  for (const { 0: escape, index } of text.matchAll(ESCAPE)) {
    addPlain(index);
    decoded += String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    places.push(index);
    next = index + escape.length;
  }
  addPlain(text.length);
  places.push(text.length);
  return searchText(decoded.replaceAll('+', ' ')).map(([from, to]): Range => [
    places[from] ?? 0,
    places[to] ?? text.length,
  ]);
}

/** Digits of Base64, of hexadecimal, or any word; lines of Base64 have 60 to 76 characters. */
const RUN = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{10,}(?:(?<=[A-Za-z0-9+/_-]{60})\r?\n[A-Za-z0-9+/_-]+)*/g;

function searchRuns(text: string): Range[] {
  const ranges: Range[] = [];
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const end = index + run.length;
    const [before, after] = [text.slice(Math.max(0, index - 3), index), text.slice(end, end + 2)];
    if (/^\d+$/.test(run) && isFraction(before, after)) continue;
    for (const hex of run.matchAll(HEX)) ranges.push(...searchHex(hex[0], index + hex.index));
    if (!NO_BASE64.test(run)) ranges.push(...searchBase64(run, index));
  }
  for (const { 0: run, index } of text.matchAll(PARTED_HEX)) ranges.push(...searchHex(run, index));
  return ranges;
}

/** Without capitals, only digits of hexadecimal, or a name such as `authorizationCode`. */
const NO_BASE64 = /^(?:[a-z0-9+/_-]+|[0-9a-fA-F]+|[a-z]+(?:[A-Z][a-z]+)+)$/;
const HEX = /[0-9a-f]{14,}/gi;
const PARTED_HEX = /[0-9a-f]{2}([ :-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){6,}/gi;
/** Three digits of ASCII, perhaps parted. All card data in texts has so many. */
const DIGITS_IN_HEX = /3\d(?:2[0de])?3\d(?:2[0de])?3\d/i;

function searchHex(run: string, from: number): Range[] {
  const part = encodedPart(run, from, 4, /[ :-]/g);
  const ranges = hidden(part, 0, 4, searchField2(part.digits, false));
  if (part.digits.length < run.length) ranges.push(...hidden(part, 0, 4, searchDigitPairs(part.digits)));
  if (!DIGITS_IN_HEX.test(part.digits)) return ranges;
  for (const phase of [0, 1]) {
    const bytes = Buffer.from(part.digits.slice(phase), 'hex');
    ranges.push(...hidden(part, phase, 8, searchBytes(bytes)));
  }
  return ranges;
}

function searchBase64(run: string, from: number): Range[] {
  const part = encodedPart(run, from, 6, /[\r\n]/g);
  const ranges: Range[] = [];
  // The run may have begun with other characters, such as those of a path.
  for (const phase of run.length >= 16 && /[+/_-]/.test(run) ? [0, 1, 2, 3] : [0]) {
    const bytes = Buffer.from(part.digits.slice(phase), 'base64');
    if (hasDigits(bytes)) ranges.push(...hidden(part, phase, 8, searchBytes(bytes)));
    if (!hasDigitPairs(bytes)) continue;
    const hex = bytes.toString('hex');
    ranges.push(...hidden(part, phase, 4, searchDigitPairs(hex)));
    ranges.push(...hidden(part, phase, 4, searchField2(hex, phase === 0)));
  }
  return ranges;
}

/** Whether bytes have three digits of ASCII. All card data in texts has. */
function hasDigits(bytes: Buffer): boolean {
  let count = 0;
  return bytes.some((byte) => byte >= 48 && byte <= 57 && (count += 1) === 3);
}

/** Whether six bytes in a row are two decimal digits each. All card numbers in bytes are. */
function hasDigitPairs(bytes: Buffer): boolean {
  let count = 0;
  return bytes.some((byte) => {
    count = byte < 0xa0 && (byte & 15) < 10 ? count + 1 : 0;
    return count === 6;
  });
}

function searchBytes(bytes: Buffer): Range[] {
  const text = bytes.toString('latin1');
  return [...searchText(text), ...isoNumbers(text, ISO_MESSAGE_IN_BYTES)];
}

/** Digits of hexadecimal or Base64, without what parts them. */
interface EncodedPart {
  readonly digits: string;
  /** Bits of each digit. */
  readonly bits: number;
  readonly placeOf: (digit: number) => number;
}

function encodedPart(run: string, from: number, bits: number, gap: RegExp): EncodedPart {
  const digits = run.replace(gap, '');
  if (digits.length === run.length) return { digits, bits, placeOf: (at) => from + at };
  const gaps = new Set(Array.from(run.matchAll(gap), ({ index }) => index));
  const places = Array.from(run, (_, at) => at).filter((at) => !gaps.has(at));
  return { digits, bits, placeOf: (at) => from + (places[at] ?? run.length) };
}

/** Where the digits stand of which units of so many bits are hidden. */
function hidden(
  { bits, placeOf }: EncodedPart,
  phase: number,
  unitBits: number,
  units: readonly Range[],
): Range[] {
  return units.map(([from, to]) => [
    placeOf(phase + Math.floor((from * unitBits) / bits)),
    placeOf(phase + Math.ceil((to * unitBits) / bits) - 1) + 1,
  ]);
}
