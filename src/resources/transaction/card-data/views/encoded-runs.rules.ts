/** Runs of digits of hex or Base64 in a text, without what only parts them; valid until the next ones are sought. */
export interface EncodedRuns {
  /** What each digit says, and where it stands; of all runs, one after another. */
  readonly values: Uint8Array;
  readonly places: Int32Array;
  /** Of each run the index of its first digit, and that after its last one. */
  readonly bounds: readonly (readonly [first: number, end: number])[];
}

export const NO_DIGIT = 255;
const LAST_OF_ASCII = 127;

/** By ASCII code: what a digit says. */
const valuesOf = (...alphabets: string[]): Uint8Array =>
  Uint8Array.from({ length: LAST_OF_ASCII + 1 }, (_, code) => {
    const values = alphabets.map((alphabet) => alphabet.indexOf(String.fromCharCode(code)));
    const value = Math.max(...values);
    return value < 0 ? NO_DIGIT : value;
  });

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ALPHABET = `${LETTERS}${LETTERS.toLowerCase()}0123456789`;
const BASE64 = valuesOf(`${ALPHABET}+/`, `${ALPHABET}-_`);
const HEX = valuesOf('0123456789abcdef', '0123456789ABCDEF');

const hexOf = (unit: number): number => (unit > LAST_OF_ASCII ? NO_DIGIT : (HEX[unit] ?? NO_DIGIT));
/** What a hex digit says; `NO_DIGIT` if there is none. */
export const hexValue = (units: Uint16Array, at: number): number =>
  at < units.length ? hexOf(units[at] ?? 0) : NO_DIGIT;

/** Kept from text to text: to make arrays takes longer than to fill them. */
let room = { values: new Uint8Array(), places: new Int32Array() };

/** Room for so many digits, and a few more that runs may overwrite. */
function roomFor(digits: number): typeof room {
  if (room.values.length < digits)
    room = { values: new Uint8Array(2 * digits), places: new Int32Array(2 * digits) };
  return room;
}

const FEWEST_BASE64_DIGITS = 9;
const MOST_LINE_ENDS = 2;
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];

/** Runs of at least nine digits, with line ends in them. */
export function base64Runs(units: Uint16Array): EncodedRuns {
  const { values, places } = roomFor(units.length);
  const bounds: [number, number][] = [];
  let [first, count, gap] = [0, 0, 0];
  for (let at = 0; at < units.length; at += 1) {
    const code = units[at] ?? 0;
    const value = code > LAST_OF_ASCII ? NO_DIGIT : (BASE64[code] ?? 0);
    if (value !== NO_DIGIT) {
      values[count] = value;
      places[count] = at;
      count += 1;
      gap = 0;
      continue;
    }
    gap += 1;
    if (gap <= MOST_LINE_ENDS && (code === LINE_FEED || code === CARRIAGE_RETURN)) continue;
    if (count - first >= FEWEST_BASE64_DIGITS) bounds.push([first, count]);
    else count = first;
    first = count;
  }
  if (count - first >= FEWEST_BASE64_DIGITS) bounds.push([first, count]);
  return { values, places, bounds };
}

const FEWEST_PAIRS = 6;
const SHORTEST_RUN = 2 * FEWEST_PAIRS;
const [OTHER, DIGIT, PARTING] = [0, 1, 2];
const WIDE_SPACES =
  '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
/** By UTF-16 unit: whether it is a hex digit, or may part pairs of them. */
const KINDS = new Uint8Array(0x1_0000);
for (let code = 0; code <= LAST_OF_ASCII; code += 1) {
  const isParting = /[\s:-]/.test(String.fromCharCode(code));
  KINDS[code] = hexOf(code) !== NO_DIGIT ? DIGIT : isParting ? PARTING : OTHER;
}
for (const space of WIDE_SPACES) KINDS[space.charCodeAt(0)] = PARTING;

/** Runs of at least six pairs of digits, with one character between two pairs; one more digit may follow. */
export function hexRuns(units: Uint16Array): EncodedRuns {
  const bounds: [number, number][] = [];
  for (let first = 0; first + SHORTEST_RUN <= units.length;) {
    // Read backwards: in most texts the last of these characters shows that no run has it.
    let other = first + SHORTEST_RUN - 1;
    while (other >= first && KINDS[units[other] ?? 0] !== OTHER) other -= 1;
    if (other >= first) {
      first = other + 1;
      continue;
    }
    let end = first + SHORTEST_RUN;
    while (end < units.length && KINDS[units[end] ?? 0] !== OTHER) end += 1;
    addPairs(units, first, end, bounds);
    first = end + 1;
  }
  return { ...roomFor(units.length), bounds };
}

/** Adds the runs of a part that has only digits and what parts them: elsewhere are none. */
function addPairs(units: Uint16Array, from: number, to: number, bounds: [number, number][]): void {
  const { values, places } = roomFor(units.length);
  let first = bounds.at(-1)?.[1] ?? 0;
  for (let at = from; at + 1 < to;) {
    let count = first;
    let end = at;
    for (let next = at; isPairAt(units, next, to);) {
      values[count] = HEX[units[next] ?? 0] ?? 0;
      values[count + 1] = HEX[units[next + 1] ?? 0] ?? 0;
      places[count] = next;
      places[count + 1] = next + 1;
      count += 2;
      end = next + 2;
      next = end < to && KINDS[units[end] ?? 0] === PARTING ? end + 1 : end;
    }
    if (count - first < SHORTEST_RUN) {
      at += 1;
      continue;
    }
    if (end < to && KINDS[units[end] ?? 0] === DIGIT) {
      values[count] = HEX[units[end] ?? 0] ?? 0;
      places[count] = end;
      count += 1;
      end += 1;
    }
    bounds.push([first, count]);
    first = count;
    at = end;
  }
}

const isPairAt = (units: Uint16Array, at: number, end: number): boolean =>
  at + 1 < end && KINDS[units[at] ?? 0] === DIGIT && KINDS[units[at + 1] ?? 0] === DIGIT;
