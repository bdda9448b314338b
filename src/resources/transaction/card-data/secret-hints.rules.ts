import { Words, withLetter } from './letters.rules.js';

/** One of these is in each name of a secret that is no field of ISO 8583, up to what parts its words and letters. */
const ROOTS = new Words([
  ...['cvv', 'cvc', 'cvn', 'cav', 'csc', 'secu', 'segu', 'veri', 'vali', 'safe'],
  ...['pin', 'nip', 'pass', 'pwd', 'senh', 'cont', 'pala', 'clav'],
  ...['trac', 'tril', 'pist', 'trk', 'band', 'tarj', 'magn', 'mags', 'magt', 'magd'],
]);
/** One of these is before the number of a field of ISO 8583, at the end of its name. */
const FIELDS = new Words(['bit', 'fld', 'field', 'campo', 'emento', 'lement', 'df', 'iso', 'de']);

const LAST_OF_ASCII = 127;
const [OTHER, LETTER, DIGIT, PARTING, ENDING] = [0, 1, 2, 3, 4];
/** By ASCII code; `ENDING` for a letter at the end of a root or the name of a field. */
const KINDS = Uint8Array.from({ length: LAST_OF_ASCII + 1 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/i.test(character)) return ROOTS.hasEnding(code) || FIELDS.hasEnding(code) ? ENDING : LETTER;
  if (/[0-9]/.test(character)) return DIGIT;
  return /[\s_.\-/]/.test(character) ? PARTING : OTHER;
});

/**
 * Where the name of a secret may be, from a place on: the end of a root, or the number of a field; -1 if nowhere.
 * This fast look misses none, and finds some that are none.
 */
export function nextHint(units: Uint16Array, from: number): number {
  let letters = 0;
  let isField = false;
  for (let at = from; at < units.length; at += 1) {
    const code = units[at] ?? 0;
    const kind = code > LAST_OF_ASCII ? PARTING : (KINDS[code] ?? PARTING);
    if (kind === PARTING) continue;
    if (kind === LETTER || kind === ENDING) {
      letters = withLetter(letters, code);
      if (kind === ENDING && ROOTS.isEndOf(letters)) return at;
      isField = kind === ENDING && FIELDS.isEndOf(letters);
      continue;
    }
    letters = 0;
    if (kind === OTHER) isField = false;
    else if (isField && at + 1 < units.length && isFieldNumber(code, units[at + 1] ?? 0)) return at;
  }
  return -1;
}

/** Whether two digits are the number of a field with tracks, a PIN or what a chip says: 35, 36, 45, 52 or 55. */
function isFieldNumber(first: number, second: number): boolean {
  const [tens, ones] = [first - 48, second - 48];
  if (tens === 3) return ones === 5 || ones === 6;
  if (tens === 4) return ones === 5;
  return tens === 5 && (ones === 2 || ones === 5);
}
