import { scrubText } from './card-data.rules.js';

/** A text with card data masked, for fields of transactions that recording does not search, such as names. */
export function maskedText(text: string): string {
  return scrubText(text).value;
}
