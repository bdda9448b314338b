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
  /** Sums of the check-digit weights before each digit, modulo 10: those of even places doubled, and those of odd places. */
  readonly sums: { readonly even: Uint8Array; readonly odd: Uint8Array };
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
  let { places } = room;
  for (let at = 0; at < units.length; at += 1) {
    if (!isDigit(units[at] ?? 0)) continue;
    let count = 0;
    let last = at;
    for (let next = at; next !== -1; next = nextDigit(units, last)) {
      if (count === places.length) {
        room = roomFor(2 * count, places);
        ({ places } = room);
      }
      places[count] = next;
      count += 1;
      last = next;
    }
    if (count >= fewest) use(runOf(units, count));
    at = last;
  }
}

const roomFor = (count: number, places: Int32Array) => {
  const room = {
    places: new Int32Array(count),
    digits: new Uint8Array(count),
    cuts: new Uint8Array(count + 1),
    even: new Uint8Array(count + 1),
    odd: new Uint8Array(count + 1),
  };
  room.places.set(places);
  return room;
};
/** Kept from text to text: to make arrays for each run takes longer than to fill them. */
let room = roomFor(64, new Int32Array());

function runOf(units: Uint16Array, count: number): DigitRun {
  room.cuts[count] = 1;
  fillRoom(units, count);
  const { places, digits, cuts, even, odd } = room;
  return { count, digits, places, cuts, sums: { even, odd } };
}

/** A function of its own: a loop with more after it is compiled anew for each text. */
function fillRoom(units: Uint16Array, count: number): void {
  const { places, digits, cuts, even, odd } = room;
  let [evenSum, oddSum, last] = [0, 0, -1];
  for (let at = 0; at < count; at += 1) {
    const place = places[at] ?? 0;
    const digit = (units[place] ?? 0) - ZERO;
    const doubled = digit > 4 ? digit * 2 - 9 : digit * 2;
    digits[at] = digit;
    cuts[at] = Number(at === 0 || place !== last + 1);
    last = place;
    evenSum += at % 2 === 0 ? doubled : digit;
    oddSum += at % 2 === 0 ? digit : doubled;
    if (evenSum > 9) evenSum -= 10;
    if (oddSum > 9) oddSum -= 10;
    even[at + 1] = evenSum;
    odd[at + 1] = oddSum;
  }
}

/** Whether the last digit of a part is its check digit: counted from there, every second one is doubled. */
export function isLuhnValid({ even, odd }: DigitRun['sums'], start: number, end: number): boolean {
  const sum = end % 2 === 0 ? even : odd;
  return sum[end] === sum[start];
}
