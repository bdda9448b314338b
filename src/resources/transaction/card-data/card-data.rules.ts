import { cardDataIn, isSecretName, type Range } from './card-data-search.rules.js';
import type { ParsedPayment } from '../transaction.model.js';

export interface Scrubbed<T> {
  readonly value: T;
  /** Places where something was hidden or left out. */
  readonly scrubs: number;
}

const FIRST_DIGITS = 6;
const LAST_DIGITS = 4;

/**
 * Hides card data in a text, however it is written: of a card number the first 6 and last 4 digits stay, of
 * track data, verification codes and PIN blocks nothing. Each hidden UTF-16 unit becomes a `*`: the text keeps its length.
 */
export function scrubText(text: string): Scrubbed<string> {
  const { value, scrubs } = hide(text, cardDataIn(text));
  if (value === text) return { value, scrubs: 0 };
  // What is left of one number may look like another together with the digits beside it.
  return { value: scrubText(value).value, scrubs };
}

function hide(text: string, ranges: readonly Range[]): Scrubbed<string> {
  let value = '';
  let end = 0;
  let scrubs = 0;
  for (const [from, to] of ranges) {
    const shown = text.slice(from, to);
    const hidden = shown.replace(/[^\s\p{Pd}]/gu, (character) => '*'.repeat(character.length));
    if (hidden !== shown) scrubs += 1;
    value += text.slice(end, from) + hidden;
    end = to;
  }
  return { value: value + text.slice(end), scrubs };
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
  const kept = fields.filter(([name]) => !isSecretName(name));
  const scrubbed = joined(
    kept.map(([name, field]) => joined([scrubText(name), scrubJson(field)], (pair) => pair)),
    (pairs) => Object.fromEntries(pairs as [string, unknown][]),
  );
  return { value: scrubbed.value, scrubs: scrubbed.scrubs + fields.length - kept.length };
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
