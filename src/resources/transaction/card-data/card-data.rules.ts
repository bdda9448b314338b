import { searchCardData, searchRest } from './card-data-search.rules.js';
import { FIRST_DIGITS, LAST_DIGITS, type Range } from './card-numbers.rules.js';
import { isIsoSecret, isSecretName } from './secret-names.rules.js';
import { textOf, unitsOf } from './views/view.rules.js';
import type { ParsedPayment } from '../transaction.model.js';

export interface Scrubbed<T> {
  readonly value: T;
  /** Places where something was hidden or left out. */
  readonly scrubs: number;
}

/** What is left of one number may look like another together with the digits beside it; each time is one more search. */
const MOST_SEARCHES = 3;

/**
 * Hides card data in a text, however it is written: of a card number the first 6 and last 4 digits stay, of
 * track data, verification codes and PIN blocks nothing. Each hidden UTF-16 unit becomes a `*`: the text keeps its length.
 */
export function scrubText(text: string): Scrubbed<string> {
  const { ranges, isEncoded } = searchCardData(text);
  const { value, scrubs } = hide(text, ranges);
  let last = text;
  let result = value;
  for (let searches = 1; searches < MOST_SEARCHES && result !== last; searches += 1) {
    last = result;
    result = hide(last, isEncoded ? searchCardData(last).ranges : searchRest(last)).value;
  }
  return { value: result, scrubs: result === text ? 0 : scrubs };
}

const STAR = 42;
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;
const LETTER_OR_DIGIT = /^[\p{L}\p{N}]$/u;
const SPACE_OR_DASH = /^[\s\p{Pd}]$/u;
const [IS_LETTER_OR_DIGIT, IS_SPACE_OR_DASH, IS_KNOWN] = [1, 2, 4];
/** By UTF-16 unit, as far as it was looked up. */
const kinds = new Uint8Array(0x1_0000);

function kindOf(unit: number): number {
  const known = kinds[unit] ?? 0;
  if (known !== 0) return known;
  const kind = kindOfCharacter(String.fromCharCode(unit));
  return (kinds[unit] = kind);
}

const kindOfCharacter = (character: string): number =>
  IS_KNOWN +
  (LETTER_OR_DIGIT.test(character) ? IS_LETTER_OR_DIGIT : 0) +
  (SPACE_OR_DASH.test(character) ? IS_SPACE_OR_DASH : 0);

function hide(text: string, ranges: readonly Range[]): Scrubbed<string> {
  if (ranges.length === 0) return { value: text, scrubs: 0 };
  const units = unitsOf(text);
  const scrubs = hideRanges(units, ranges);
  return { value: scrubs === 0 ? text : textOf(units), scrubs };
}

/** In how many ranges something was hidden. */
function hideRanges(units: Uint16Array, ranges: readonly Range[]): number {
  let scrubs = 0;
  for (const [from, to, keepsGaps = false] of ranges) if (hideRange(units, from, to, keepsGaps)) scrubs += 1;
  return scrubs;
}

/** Whether something was hidden. */
function hideRange(units: Uint16Array, from: number, to: number, keepsGaps: boolean): boolean {
  let isChanged = false;
  for (let at = from; at < to;) {
    const unit = units[at] ?? 0;
    const isPair = isHigh(unit) && at + 1 < to && isLow(units[at + 1] ?? 0);
    const length = isPair ? 2 : 1;
    const kind = isPair ? kindOfCharacter(String.fromCharCode(unit, units[at + 1] ?? 0)) : kindOf(unit);
    const isHidden = keepsGaps ? (kind & IS_LETTER_OR_DIGIT) !== 0 : (kind & IS_SPACE_OR_DASH) === 0;
    if (isHidden) {
      isChanged ||= unit !== STAR;
      units.fill(STAR, at, at + length);
    }
    at += length;
  }
  return isChanged;
}

/** The same in all texts, numbers and keys of a JSON value; fields that are named as secrets are left out. */
export function scrubJson(value: unknown): Scrubbed<unknown> {
  if (typeof value === 'string') return scrubText(value);
  if (typeof value === 'number') {
    const { value: text, scrubs } = scrubText(String(value));
    return { value: scrubs === 0 ? value : text, scrubs };
  }
  if (typeof value !== 'object' || value === null) return { value, scrubs: 0 };
  if (Array.isArray(value)) return joined(value.map(scrubJson), (entries) => entries);
  const fields = Object.entries(value);
  const names = fields
    .filter(([name]) => NAME_OF_PAIR.test(name))
    .flatMap(([, field]) => (typeof field === 'string' || typeof field === 'number' ? [String(field)] : []));
  const kept = fields.filter(([name, field]) => !isSecret(name, field, names));
  const scrubbed = joined(
    kept.map(([name, field]) => joined([scrubText(name), scrubJson(field)], (pair) => pair)),
    (pairs) => Object.fromEntries(pairs as [string, unknown][]),
  );
  return { value: scrubbed.value, scrubs: scrubbed.scrubs + fields.length - kept.length };
}

const NAME_OF_PAIR = /^(?:id|name|nome|nombre|key|chave|field|campo|number|numero|index|tag|bit|de|label)$/i;
const VALUE_OF_PAIR = /^(?:value|valor|data|dado|dato|content|conteudo|contenido|text|raw)$/i;

/** Whether a field is a secret, or the value of one in `{"name": "cvv", "value": "123"}`. */
function isSecret(name: string, field: unknown, namesBeside: readonly string[]): boolean {
  const names = VALUE_OF_PAIR.test(name) ? [name, ...namesBeside] : [name];
  return names.some((each) => isSecretName(each) || isIsoSecret(each, field));
}

function joined<T>(parts: readonly Scrubbed<unknown>[], make: (values: unknown[]) => T): Scrubbed<T> {
  return {
    value: make(parts.map((part) => part.value)),
    scrubs: parts.reduce((sum, part) => sum + part.scrubs, 0),
  };
}

/** A payment without card data: `firstDigits` has at most 6, `lastDigits` at most 4. */
export function scrubPayment(payment: ParsedPayment): Scrubbed<ParsedPayment> {
  const { card, merchant } = payment;
  const first = card.firstDigits?.slice(0, FIRST_DIGITS) ?? null;
  const last = card.lastDigits?.slice(-LAST_DIGITS) ?? null;
  const cuts = Number(first !== card.firstDigits) + Number(last !== card.lastDigits);
  // One CNPJ in ten looks like a card number; its own check digits tell that it is none.
  const keptDocument = merchant.document !== null && isCnpj(merchant.document) ? merchant.document : null;
  const { value, scrubs } = scrubJson({
    ...payment,
    card: { ...card, firstDigits: first, lastDigits: last },
    merchant: { ...merchant, document: keptDocument === null ? merchant.document : null },
  });
  const scrubbed = value as ParsedPayment;
  const document = keptDocument ?? scrubbed.merchant.document;
  return {
    value: { ...scrubbed, merchant: { ...scrubbed.merchant, document } },
    scrubs: scrubs + cuts,
  };
}

const CNPJ_WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

/** Whether 14 digits are the number of a Brazilian company, by its two check digits. */
function isCnpj(text: string): boolean {
  if (!/^[0-9]{14}$/.test(text)) return false;
  const digits = Array.from(text, Number);
  return [12, 13].every((place) => {
    const weights = CNPJ_WEIGHTS.slice(13 - place);
    const sum = weights.reduce((total, weight, index) => total + weight * (digits[index] ?? 0), 0);
    const rest = sum % 11;
    return digits[place] === (rest < 2 ? 0 : 11 - rest);
  });
}
