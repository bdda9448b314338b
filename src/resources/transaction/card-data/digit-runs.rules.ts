import { codePointAt } from './views/view.rules.js';

/** Digits with at most short gaps between them. */
export interface DigitRun {
  /** How many digits it has; the arrays may be longer. */
  readonly count: number;
  readonly digits: Uint8Array;
  /** Where each digit stands. */
  readonly places: Int32Array;
  /** By place among the digits: 1 before the first digit of a group, and after the last digit. */
  readonly cuts: Uint8Array;
  /**
   * Before each digit, two sums of the check-digit weights so far, modulo 10: with the digits of even places doubled in
   * the lower four bits, with those of odd places doubled in the upper ones.
   */
  readonly sums: Uint8Array;
}

const [ZERO, NINE, STAR, LAST_OF_ASCII] = [48, 57, 42, 127];
const LONGEST_GAP = 3;
const LETTER_OR_DIGIT = /^[\p{L}\p{N}]$/u;

/** Whether a character cannot part digits of one number. */
function isWordAt(units: Uint16Array, at: number): boolean {
  const code = units[at] ?? 0;
  if (code <= LAST_OF_ASCII) {
    const lower = code | 0x20;
    return (lower >= 97 && lower <= 122) || (code >= ZERO && code <= NINE);
  }
  const whole = codePointAt(units, at);
  if (whole > LAST_OF_UNITS) return LETTER_OR_DIGIT.test(String.fromCodePoint(whole));
  const known = wordUnits[code] ?? 0;
  if (known !== 0) return known === IS_WORD;
  const isWord = LETTER_OR_DIGIT.test(String.fromCharCode(code));
  wordUnits[code] = isWord ? IS_WORD : IS_NO_WORD;
  return isWord;
}

const LAST_OF_UNITS = 0xffff;
const [IS_WORD, IS_NO_WORD] = [1, 2];
/** By UTF-16 unit, as far as it was looked up. */
const wordUnits = new Uint8Array(LAST_OF_UNITS + 1);

/** Where the next digit of a run stands; -1 if none does. Up to three characters part digits; of stars, which mask, one. */
function nextDigit(units: Uint16Array, after: number): number {
  let at = after + 1;
  for (let gap = 0; at < units.length; gap += 1) {
    const code = units[at] ?? 0;
    if (code >= ZERO && code <= NINE) return at;
    if (gap === LONGEST_GAP) return -1;
    if (code === STAR) return gap === 0 && at + 1 < units.length && isDigit(units[at + 1] ?? 0) ? at + 1 : -1;
    if (isWordAt(units, at)) return -1;
    at += codePointAt(units, at) > 0xffff ? 2 : 1;
  }
  return -1;
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** Calls back with each run of at least so many digits; its arrays are those of the next one too. */
export function eachDigitRun(units: Uint16Array, fewest: number, use: (run: DigitRun) => void): void {
  for (let at = 0; at < units.length; at += 1) {
    if (!isDigit(units[at] ?? 0)) continue;
    const count = addPlaces(units, at);
    if (count >= fewest) use(runOf(units, count));
    at = room.places[count - 1] ?? at;
  }
}

/** Writes where each digit of a run stands; returns how many there are. */
function addPlaces(units: Uint16Array, first: number): number {
  let { places } = room;
  let count = 0;
  for (let at = first; at !== -1;) {
    if (count === places.length) {
      room = roomFor(2 * count, places);
      ({ places } = room);
    }
    places[count] = at;
    count += 1;
    const next = at + 1;
    at = next < units.length && isDigit(units[next] ?? 0) ? next : nextDigit(units, at);
  }
  return count;
}

const roomFor = (count: number, places: Int32Array) => {
  const room = {
    places: new Int32Array(count),
    digits: new Uint8Array(count),
    cuts: new Uint8Array(count + 1),
    sums: new Uint8Array(count + 1),
  };
  room.places.set(places);
  return room;
};
/** Kept from text to text: to make arrays for each run takes longer than to fill them. */
let room = roomFor(64, new Int32Array());

function runOf(units: Uint16Array, count: number): DigitRun {
  room.cuts[count] = 1;
  fillRoom(units, count);
  const { places, digits, cuts, sums } = room;
  return { count, digits, places, cuts, sums };
}

/** By the parity of a place, both sums before it and its digit: both sums after it. */
const NEXT_SUMS = Uint8Array.from({ length: 1 << 13 }, (_, index) => {
  const [isOdd, upper, lower, digit] = [index >> 12, (index >> 8) & 15, (index >> 4) & 15, index & 15];
  const doubled = digit > 4 ? digit * 2 - 9 : digit * 2;
  const even = (lower + (isOdd === 0 ? doubled : digit)) % 10;
  const odd = (upper + (isOdd === 0 ? digit : doubled)) % 10;
  return (odd << 4) | even;
});

/** A function of its own: a loop with more after it is compiled anew for each text. */
function fillRoom(units: Uint16Array, count: number): void {
  const { places, digits, cuts, sums } = room;
  let bothSums = 0;
  let last = -2;
  for (let at = 0; at < count; at += 1) {
    const place = places[at] ?? 0;
    const digit = (units[place] ?? 0) - ZERO;
    digits[at] = digit;
    cuts[at] = place === last + 1 ? 0 : 1;
    last = place;
    bothSums = NEXT_SUMS[((at & 1) << 12) | (bothSums << 4) | digit] ?? 0;
    sums[at + 1] = bothSums;
  }
}

/** Whether the last digit of a part is its check digit: counted from there, every second one is doubled. */
export const isLuhnValid = (sums: DigitRun['sums'], start: number, end: number): boolean =>
  (((sums[start] ?? 0) ^ (sums[end] ?? 0)) & (end % 2 === 0 ? 0x0f : 0xf0)) === 0;
