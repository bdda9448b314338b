/** Runs of digits of hex or Base64 in a text, without what only parts them. */
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

const isHex = (units: Uint16Array, at: number): boolean => hexValue(units, at) !== NO_DIGIT;
/** What a hex digit says; `NO_DIGIT` if there is none. */
export const hexValue = (units: Uint16Array, at: number): number => HEX[units[at] ?? 0] ?? NO_DIGIT;

const FEWEST_BASE64_DIGITS = 9;
const MOST_LINE_ENDS = 2;
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];

/** Runs of at least nine digits, with line ends in them. */
export function base64Runs(units: Uint16Array): EncodedRuns {
  const values = new Uint8Array(units.length);
  const places = new Int32Array(units.length);
  const bounds: [number, number][] = [];
  let [first, count, gap] = [0, 0, 0];
  for (let at = 0; at <= units.length; at += 1) {
    const code = units[at] ?? 0;
    const value = BASE64[code] ?? NO_DIGIT;
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
  return { values, places, bounds };
}

const FEWEST_PAIRS = 6;
const WHITE_SPACE = /^\s$/;
const PARTS_PAIRS = Uint8Array.from({ length: LAST_OF_ASCII + 1 }, (_, code) =>
  Number(/[\s:-]/.test(String.fromCharCode(code))),
);
const partsPairs = (unit: number): boolean =>
  unit > LAST_OF_ASCII ? WHITE_SPACE.test(String.fromCharCode(unit)) : PARTS_PAIRS[unit] === 1;

/** Runs of at least six pairs of digits, with one character between two pairs; one more digit may follow. */
export function hexRuns(units: Uint16Array): EncodedRuns {
  const values = new Uint8Array(units.length);
  const places = new Int32Array(units.length);
  const bounds: [number, number][] = [];
  let first = 0;
  const add = (at: number, count: number): void => {
    values[count] = hexValue(units, at);
    places[count] = at;
  };
  for (let at = 0; at < units.length;) {
    if (!isHex(units, at + 1) || !isHex(units, at)) {
      at += isHex(units, at + 1) ? 1 : 2;
      continue;
    }
    let count = first;
    let next = at;
    let end = at;
    while (next !== -1) {
      add(next, count);
      add(next + 1, count + 1);
      count += 2;
      end = next + 2;
      next = pairAt(units, end);
    }
    if (count - first < 2 * FEWEST_PAIRS) {
      at += 1;
      continue;
    }
    if (isHex(units, end)) add(end++, count++);
    bounds.push([first, count]);
    first = count;
    at = end;
  }
  return { values, places, bounds };
}

/** Where the pair of digits stands that is at a place or after what parts pairs; -1 if there is none. */
function pairAt(units: Uint16Array, at: number): number {
  if (isHex(units, at)) return isHex(units, at + 1) ? at : -1;
  return isHex(units, at + 1) && isHex(units, at + 2) && partsPairs(units[at] ?? 0) ? at + 1 : -1;
}
