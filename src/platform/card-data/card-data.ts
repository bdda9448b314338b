import type { z } from 'zod';

import { rule } from '../rules.js';
import { printableName } from '../validate.js';
import { middleOfValue, namedField, type NamedField, type Range } from './named-card-data.js';
import * as search from './text-search.js';

export interface Scrubbed<T> {
  readonly value: T;
  /** Number of places where something was hidden. */
  readonly scrubs: number;
}

export function hasCardData(name: string): boolean {
  return scrubText(name).scrubs > 0 || search.isCardNumber(name.replace(/[\s.-]/g, ''));
}

/** Warning about text or JSON of an operator, which is stored unchanged. Undefined if it contains no card data. */
export function warningOfCardData(value: unknown, fate = 'sent to terminals'): string | undefined {
  if (scrubJson(value).scrubs === 0) return undefined;
  return `It looks like a card number or another secret of a card. It is stored and ${fate} unchanged.`;
}

/** Fields that have warnings of their own, and those whose digits are no text of a person. */
const UNTYPED = /^(?:content|value|crc|sha256|uuid)$/;

/** Warnings about names, filters and other texts of a record that a change has set, by field. */
export function warningsOfChange(before: object | null = null, after: object | null = null): string[] {
  const earlier = new Map(Object.entries(before ?? {}));
  return Object.entries(after ?? {}).flatMap(([name, value]) => {
    const isText = typeof value === 'string' || (typeof value === 'object' && !(value instanceof Date));
    if (!isText || UNTYPED.test(name)) return [];
    if (JSON.stringify(earlier.get(name)) === JSON.stringify(value)) return [];
    const warning = warningOfCardData(value, 'shown');
    return warning === undefined ? [] : [`${name}: ${warning}`];
  });
}

/**
 * Hides card data in a text: each hidden UTF-16 unit becomes a `*`. Card numbers keep their first 6 and last 4 digits;
 * tracks, verification codes and PIN blocks are hidden completely (decisions.md#card-data).
 */
export function scrubText(text: string): Scrubbed<string> {
  return hide(text, search.searchText(text), searchEncoded(text));
}

/** Hides the ranges. Spaces, dots and dashes in `plain` ranges stay; in `encoded` ranges only white space stays. */
function hide(text: string, plain: readonly Range[], encoded: readonly Range[]): Scrubbed<string> {
  if (plain.length === 0 && encoded.length === 0) return { value: text, scrubs: 0 };
  const once = replaced(text, plain, /[^\s.-]/g);
  const twice = replaced(once.value, encoded, /[^\s]/g);
  return { value: twice.value, scrubs: once.scrubs + twice.scrubs };
}

function replaced(text: string, ranges: readonly Range[], hiddenCharacters: RegExp): Scrubbed<string> {
  const parts: string[] = [];
  let [scrubs, next] = [0, 0];
  for (const [start, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const from = Math.max(start, next);
    if (to <= from) continue;
    const part = text.slice(from, to);
    const stars = part.replace(hiddenCharacters, '*');
    if (stars !== part) scrubs += 1;
    parts.push(text.slice(next, from), stars);
    next = to;
  }
  return { value: parts.join('') + text.slice(next), scrubs };
}

/** Like `scrubText`, for all strings, whole numbers and keys of a JSON value. Other numbers are not changed. */
export function scrubJson(json: unknown): Scrubbed<unknown> {
  let scrubs = 0;
  const counted = ({ value, scrubs: more }: Scrubbed<string>): string => {
    scrubs += more;
    return value;
  };
  const scrub = (value: unknown, named?: NamedField): unknown => {
    if (typeof value === 'string') return counted(scrubValue(value, named));
    if (Number.isInteger(value)) {
      const text = counted(scrubValue(String(value), named));
      return text === String(value) ? value : text;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => scrub(each, named));
    const label = labelOf(Object.entries(value));
    const scrubField = ([name, field]: [string, unknown]): [string, unknown] => {
      const isValue = label !== undefined && VALUE_OF_PAIR.test(name);
      const isNsu = ORDINARY_NAME.test(name) && /^\d{1,15}$/.test(String(field));
      const kind = named ?? namedField(isValue ? label : name, field);
      return [counted(scrubText(name)), isNsu ? field : scrub(field, kind)];
    };
    return Object.fromEntries(Object.entries(value).map(scrubField));
  };
  return { value: scrub(json), scrubs };
}

/** Names of fields whose numbers of up to 15 digits are not hidden: some begin like American Express cards. */
const ORDINARY_NAME = /nsu|imei/i;
/** `{"name": "cvv", "value": "123"}` */
const LABEL = /^(?:name|nome|key|id|field)$/i;
const VALUE_OF_PAIR = /^(?:value|valor)$/i;

function labelOf(fields: readonly (readonly [string, unknown])[]): string | undefined {
  for (const [name, field] of fields) {
    if (LABEL.test(name) && (typeof field === 'string' || typeof field === 'number')) return String(field);
  }
  return undefined;
}

function scrubValue(text: string, named: NamedField | undefined): Scrubbed<string> {
  if (named === 'secret') return replaced(text, [[0, text.length]], /[^\s.-]/g);
  if (named === undefined) return scrubText(text);
  return hide(text, [...middleOfValue(text), ...search.searchText(text)], searchEncoded(text));
}

/** A name of up to `max` characters. Card data is refused instead of masked: a masked text no longer identifies. */
export function identifyingName(max: number): z.ZodType<string, string> {
  return printableName(max).refine(
    (name) => !hasCardData(name),
    rule('must not have a card number in it: {advice}', {
      advice: 'use another one, or put letters before and after its digits',
    }),
  );
}

/** Ranges of card data in parts of a text that are percent-encoded, hexadecimal or Base64. One level deep. */
function searchEncoded(text: string): Range[] {
  return [...searchPercent(text), ...search.numbersOfTag5A(text), ...searchRuns(text)];
}

const ESCAPE = /%[0-9a-f]{2}/gi;

function searchPercent(text: string): Range[] {
  if (!/%[0-9a-f]{2}/i.test(text)) return [];
  /** Index in `text` of each decoded character. */
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
  return search
    .searchText(decoded.replaceAll('+', ' '))
    .map(([from, to]): Range => [places[from] ?? 0, places[to] ?? text.length]);
}

/** Run of characters that may be Base64, hexadecimal or a plain word. Lines of Base64 have 60 to 76 characters. */
const RUN = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{10,}(?:(?<=[A-Za-z0-9+/_-]{60})\r?\n[A-Za-z0-9+/_-]+)*/g;

function searchRuns(text: string): Range[] {
  const ranges: Range[] = [];
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const end = index + run.length;
    const [before, after] = [text.slice(Math.max(0, index - 3), index), text.slice(end, end + 2)];
    if (/^\d+$/.test(run) && search.isFraction(before, after)) continue;
    for (const hex of run.matchAll(HEX)) ranges.push(...searchHex(hex[0], index + hex.index));
    if (!NO_BASE64.test(run)) ranges.push(...searchBase64(run, index));
  }
  if (text.length < SHORTEST_PARTED_HEX) return ranges;
  for (const { 0: run, index } of text.matchAll(PARTED_HEX)) ranges.push(...searchHex(run, index));
  return ranges;
}

/** Runs that are not Base64: without capitals, only hexadecimal digits, or a name such as `authorizationCode`. */
const NO_BASE64 = /^(?:[a-z0-9+/_-]+|[0-9a-fA-F]+|[a-z]+(?:[A-Z][a-z]+)+)$/;
const HEX = /[0-9a-f]{14,}/gi;
/** Eight bytes with separators, for example `08 41 11 11 11 11 11 11`. */
const SHORTEST_PARTED_HEX = 23;
const PARTED_HEX = /[0-9a-f]{2}([ :-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){6,}/gi;
/** Three ASCII digits in hexadecimal, with or without separators. All card data in texts has at least three. */
const DIGITS_IN_HEX = /3\d(?:2[0de])?3\d(?:2[0de])?3\d/i;

function searchHex(run: string, from: number): Range[] {
  const part = encodedPart(run, from, 4, /[ :-]/g);
  const ranges = hidden(part, 0, 4, search.searchField2(part.digits, false));
  if (part.digits.length < run.length)
    ranges.push(...hidden(part, 0, 4, search.searchDigitPairs(part.digits)));
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
  // Base64 may begin at any of 4 offsets, after other characters such as those of a path.
  for (const phase of run.length >= 16 && /[+/_-]/.test(run) ? [0, 1, 2, 3] : [0]) {
    const bytes = Buffer.from(part.digits.slice(phase), 'base64');
    if (hasDigits(bytes)) ranges.push(...hidden(part, phase, 8, searchBytes(bytes)));
    if (!hasDigitPairs(bytes)) continue;
    const hex = bytes.toString('hex');
    ranges.push(...hidden(part, phase, 4, search.searchDigitPairs(hex)));
    ranges.push(...hidden(part, phase, 4, search.searchField2(hex, phase === 0)));
  }
  return ranges;
}

/** True if the bytes contain at least three ASCII digits, as all card data in texts does. */
function hasDigits(bytes: Buffer): boolean {
  let count = 0;
  return bytes.some((byte) => byte >= 48 && byte <= 57 && (count += 1) === 3);
}

/** True if six consecutive bytes hold two decimal digits each (BCD), as all card numbers in bytes do. */
function hasDigitPairs(bytes: Buffer): boolean {
  let count = 0;
  return bytes.some((byte) => {
    count = byte < 0xa0 && (byte & 15) < 10 ? count + 1 : 0;
    return count === 6;
  });
}

function searchBytes(bytes: Buffer): Range[] {
  const text = bytes.toString('latin1');
  return [...search.searchText(text), ...search.isoNumbers(text, search.ISO_MESSAGE_IN_BYTES)];
}

/** Hexadecimal or Base64 digits without their separators. */
interface EncodedPart {
  readonly digits: string;
  /** Bits per digit: 4 or 6. */
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

/** Ranges of the text that encode `units`, which are ranges of units of `unitBits` bits each. */
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
