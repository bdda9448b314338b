import { Words, withLetter } from '../letters.rules.js';

const NAMES = new Words(['cvc', 'cvv', 'pin', 'track', 'trilha', 'senha']);
/** The code of a digit has one bit more than those of letters. */
const IS_DIGIT_BIT = 5;
const DIGIT = 1 << IS_DIGIT_BIT;
/** By byte, as ASCII: the place of a letter in the alphabet, `DIGIT`, or 0. */
const CODES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[0-9]/.test(character)) return DIGIT;
  return /[a-z]/i.test(character) ? byte & 0x1f : 0;
});
/** By code: no bit for a letter, which parts numbers, otherwise all. */
const KEPT = Int32Array.from({ length: DIGIT + 1 }, (_, code) => (code === 0 || code === DIGIT ? -1 : 0));
const FEWEST_DIGITS = 13;
const LONGEST_GAP = 6;

/** A number with its gaps is at most so many bytes long; a name less. */
const LONGEST_PART = FEWEST_DIGITS * (LONGEST_GAP + 1);
const STEP = 4096;

/** Whether the first bytes, which are no text, have as many digits as a card number, or the name of a secret. */
export function isTextIn(bytes: Uint8Array, end: number): boolean {
  for (let next = 0; next < end; next += STEP) {
    const [from, to] = [Math.max(0, next - LONGEST_PART), Math.min(end, next + STEP)];
    if (mayHaveText(bytes, from, to) && hasText(bytes, from, to)) return true;
  }
  return false;
}

/**
 * The same without a look at the length of gaps, and at the first letters of names: a fast look without branches,
 * since such bytes follow no order.
 */
function mayHaveText(bytes: Uint8Array, from: number, end: number): boolean {
  let [letters, ofNames, digits, missing] = [0, 0, 0, -1];
  for (let at = from; at < end; at += 1) {
    const code = CODES[bytes[at] ?? 0] ?? 0;
    letters = withLetter(letters, code);
    ofNames |= NAMES.mayEnd(letters);
    digits = (digits + (code >> IS_DIGIT_BIT)) & (KEPT[code] ?? 0);
    // Stays below 0 as long as there were never enough digits.
    missing &= digits - FEWEST_DIGITS;
  }
  return ofNames !== 0 || missing >= 0;
}

function hasText(bytes: Uint8Array, from: number, end: number): boolean {
  let [digits, gap, letters] = [0, 0, 0];
  for (let at = from; at < end; at += 1) {
    const code = CODES[bytes[at] ?? 0] ?? 0;
    letters = withLetter(letters, code);
    if (code === 0) gap += 1;
    else if (code === DIGIT) {
      digits = gap > LONGEST_GAP ? 1 : digits + 1;
      if (digits === FEWEST_DIGITS) return true;
      gap = 0;
    } else {
      digits = 0;
      if (NAMES.isEndOf(letters)) return true;
    }
  }
  return false;
}

const [EBCDIC_ZERO, EBCDIC_NINE] = [0xf0, 0xf9];
const FEWEST_EBCDIC_DIGITS = 12;
const LONGEST_EBCDIC_GAP = 4;

/** Whether the first bytes have as many digits of EBCDIC as a card number. */
export function isEbcdicIn(bytes: Uint8Array, end: number): boolean {
  let [digits, gap] = [0, 0];
  for (let at = 0; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= EBCDIC_ZERO && byte <= EBCDIC_NINE) {
      digits += 1;
      gap = 0;
      if (digits === FEWEST_EBCDIC_DIGITS) return true;
    } else if (++gap > LONGEST_EBCDIC_GAP) digits = 0;
  }
  return false;
}
