import type { z } from 'zod';

import { printableName } from '../encoding/text.js';
import { isCardNumber, type Range } from './card-number.js';
import { searchEncoded } from './encoded-search.js';
import { middleOfValue, namedField, type NamedField } from './named-card-data.js';
import { searchText } from './text-search.js';

export interface Scrubbed<T> {
  readonly value: T;
  /** Number of places where something was hidden. */
  readonly scrubs: number;
}

/** Whether a name has card data in it, or is a card number with spaces, dots and dashes anywhere. */
export function hasCardData(name: string): boolean {
  return scrubText(name).scrubs > 0 || isCardNumber(name.replace(/[\s.-]/g, ''));
}

/**
 * Warning about text or JSON of an operator, which is stored unchanged. Undefined if it contains no card
 * data.
 */
export function warningOfCardData(value: unknown): string | undefined {
  if (scrubJson(value).scrubs === 0) return undefined;
  return 'It looks like a card number or another secret of a card. It is stored and sent to terminals unchanged.';
}

/**
 * Hides card data in a text. Card numbers keep their first 6 and last 4 digits; tracks, verification codes
 * and PIN blocks are hidden completely. Each hidden UTF-16 unit becomes a `*`, so that the text keeps its
 * length. See decisions.md#card-data.
 */
export function scrubText(text: string): Scrubbed<string> {
  return hide(text, searchText(text), searchEncoded(text));
}

/**
 * Hides the ranges. Spaces, dots and dashes in `plain` ranges stay; in `encoded` ranges only white space
 * stays.
 */
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

/**
 * Like `scrubText`, for all strings, whole numbers and keys of a JSON value. Other numbers are not changed.
 */
export function scrubJson(value: unknown, named?: NamedField): Scrubbed<unknown> {
  if (typeof value === 'string') return scrubValue(value, named);
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return { value, scrubs: 0 };
    const { value: text, scrubs } = scrubValue(String(value), named);
    return { value: scrubs === 0 ? value : text, scrubs };
  }
  if (typeof value !== 'object' || value === null) return { value, scrubs: 0 };
  if (Array.isArray(value))
    return joined(
      value.map((each) => scrubJson(each, named)),
      (entries) => entries,
    );
  const given = Object.entries(value);
  const label = labelOf(given);
  const fields = given.map(([name, field]: [string, unknown]) => {
    const isValue = label !== undefined && VALUE_OF_PAIR.test(name);
    const kind = named ?? namedField(isValue ? label : name, field);
    const isNsu = ORDINARY_NAME.test(name) && /^\d{1,15}$/.test(String(field));
    return joined(
      [scrubText(name), isNsu ? { value: field, scrubs: 0 } : scrubJson(field, kind)],
      (pair) => pair,
    );
  });
  return joined(fields, (pairs) => Object.fromEntries(pairs as [string, unknown][]));
}

/**
 * Names of fields whose numbers of up to 15 digits are not hidden: some begin like American Express cards.
 */
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
  return hide(text, [...middleOfValue(text), ...searchText(text)], searchEncoded(text));
}

function joined<T>(parts: readonly Scrubbed<unknown>[], make: (values: unknown[]) => T): Scrubbed<T> {
  return {
    value: make(parts.map((part) => part.value)),
    scrubs: parts.reduce((sum, part) => sum + part.scrubs, 0),
  };
}

/**
 * A name, number or serial number of up to `max` characters. Card data is refused instead of masked, because
 * a masked text no longer identifies.
 */
export function identifyingName(max: number): z.ZodType<string, string> {
  return printableName(max).refine(
    (name) => !hasCardData(name),
    'must not have a card number in it: use another one, or put letters before and after its digits',
  );
}
