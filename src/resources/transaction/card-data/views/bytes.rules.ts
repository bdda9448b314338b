import { Words, withLetter } from '../letters.rules.js';

const NAMES = new Words(['cvc', 'cvv', 'pin', 'track', 'trilha', 'senha']);
const DIGIT = 31;
/** Added to the code of what may end a name, or is a digit. */
const IS_OF_NOTE = 32;
/** By byte, as ASCII: the place of a letter in the alphabet, `DIGIT`, or 0. */
const CODES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[0-9]/.test(character)) return DIGIT + IS_OF_NOTE;
  if (!/[a-z]/i.test(character)) return 0;
  return (byte & 0x1f) + (NAMES.hasEnding(byte) ? IS_OF_NOTE : 0);
});
const FEWEST_DIGITS = 13;
const LONGEST_GAP = 6;

/** Whether the first bytes, which are no text, have as many digits as a card number, or the name of a secret. */
export function isTextIn(bytes: Uint8Array, end: number): boolean {
  let [digits, last, letters] = [0, -1, 0];
  for (let at = 0; at < end; at += 1) {
    const code = CODES[bytes[at] ?? 0] ?? 0;
    letters = withLetter(letters, code);
    if (code < IS_OF_NOTE) continue;
    if (code !== DIGIT + IS_OF_NOTE) {
      if (NAMES.isEndOf(letters)) return true;
      continue;
    }
    digits = isGap(bytes, last + 1, at) ? digits + 1 : 1;
    if (digits === FEWEST_DIGITS) return true;
    last = at;
  }
  return false;
}

/** Whether bytes may stand between two digits of one number. */
function isGap(bytes: Uint8Array, from: number, end: number): boolean {
  if (end - from > LONGEST_GAP) return false;
  for (let at = from; at < end; at += 1) if (CODES[bytes[at] ?? 0] !== 0) return false;
  return true;
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
