/** Digits with at most short gaps between them. */
export interface DigitRun {
  /** From the first digit to the last one. */
  readonly text: string;
  readonly digits: Uint8Array;
  /** Where each digit stands. */
  readonly places: Int32Array;
  /** By place among the digits: 1 before the first digit of a group, and after the last digit. */
  readonly cuts: Uint8Array;
  /** Sums of the check-digit weights before each digit, modulo 10: those of even places doubled, and those of odd places. */
  readonly sums: readonly [even: Uint8Array, odd: Uint8Array];
}

const [ZERO, NINE, STAR, LAST_OF_ASCII] = [48, 57, 42, 127];
const LONGEST_GAP = 3;
const LETTER_OR_DIGIT = /^[\p{L}\p{N}]$/u;

/** Whether a character cannot part digits of one number. */
function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code <= LAST_OF_ASCII) {
    const lower = code | 0x20;
    return (lower >= 97 && lower <= 122) || (code >= ZERO && code <= NINE);
  }
  return LETTER_OR_DIGIT.test(String.fromCodePoint(text.codePointAt(at) ?? 0));
}

/** Where the next digit of a run stands; -1 if none does. Up to three characters part digits; of stars, which mask, one. */
function nextDigit(text: string, after: number): number {
  let at = after + 1;
  for (let gap = 0; at < text.length; gap += 1) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) return at;
    if (gap === LONGEST_GAP) return -1;
    if (code === STAR) return gap === 0 && isDigit(text.charCodeAt(at + 1)) ? at + 1 : -1;
    if (isWordAt(text, at)) return -1;
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return -1;
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** The runs of at least so many digits. */
export function digitRuns(text: string, fewest: number): DigitRun[] {
  const runs: DigitRun[] = [];
  let places = new Int32Array(64);
  for (let at = 0; at < text.length; at += 1) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let count = 0;
    let last = at;
    for (let next = at; next !== -1; next = nextDigit(text, next)) {
      if (count === places.length) {
        const more = new Int32Array(2 * count);
        more.set(places);
        places = more;
      }
      places[count++] = next;
      last = next;
    }
    if (count >= fewest) runs.push(runOf(text, places.slice(0, count)));
    at = last;
  }
  return runs;
}

function runOf(text: string, places: Int32Array): DigitRun {
  const digits = new Uint8Array(places.length);
  const even = new Uint8Array(places.length + 1);
  const odd = new Uint8Array(places.length + 1);
  const cuts = new Uint8Array(places.length + 1).fill(1);
  for (let at = 0; at < places.length; at += 1) {
    const digit = text.charCodeAt(places[at] ?? 0) - ZERO;
    const doubled = digit > 4 ? digit * 2 - 9 : digit * 2;
    digits[at] = digit;
    if (at > 0 && places[at] === (places[at - 1] ?? 0) + 1) cuts[at] = 0;
    even[at + 1] = ((even[at] ?? 0) + (at % 2 === 0 ? doubled : digit)) % 10;
    odd[at + 1] = ((odd[at] ?? 0) + (at % 2 === 0 ? digit : doubled)) % 10;
  }
  return { text: text.slice(places[0], (places.at(-1) ?? 0) + 1), digits, places, cuts, sums: [even, odd] };
}

/** Whether the last digit of a part is its check digit: counted from there, every second one is doubled. */
export function isLuhnValid([even, odd]: DigitRun['sums'], start: number, end: number): boolean {
  const sum = end % 2 === 0 ? even : odd;
  return sum[end] === sum[start];
}
