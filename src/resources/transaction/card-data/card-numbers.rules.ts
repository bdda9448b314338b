import { eachDigitRun, isLuhnValid, type DigitRun } from './digit-runs.rules.js';
import { SIGNS } from './views/signs.rules.js';
import { read, type Read } from './views/view.rules.js';

/** From and to a character of a text, `to` excluded; whether what is neither letter nor digit stays readable. */
export type Range = readonly [from: number, to: number, keepsGaps?: boolean];

const SHORTEST_NUMBER = 13;
const LONGEST_NUMBER = 19;
export const FIRST_DIGITS = 6;
export const LAST_DIGITS = 4;

/** How numbers of card schemes begin, by their length. */
const CARD_BEGINNINGS: Readonly<Record<number, RegExp>> = {
  13: /^4/,
  14: /^3[0689]/,
  15: /^3[47]/,
  16: /^(?:2[2-7]|3[05689]|4|5|6|81)/,
  17: /^(?:3[05689]|5[0678]|6|81)/,
  18: /^(?:3[05689]|5[0678]|6|81)/,
  19: /^(?:3[05689]|4|5[0678]|6|81)/,
};
/** By the first two digits: the lengths of the numbers of card schemes that begin so, each as a bit, such as 2 ** 16. */
const LENGTHS = Int32Array.from({ length: 100 }, (_, two) =>
  Object.entries(CARD_BEGINNINGS)
    .filter(([, beginning]) => beginning.test(String(two).padStart(2, '0')))
    .reduce((lengths, [length]) => lengths | (1 << Number(length)), 0),
);
/** Each length that a card number has, as a bit. */
const ALL_LENGTHS = (1 << (LONGEST_NUMBER + 1)) - (1 << SHORTEST_NUMBER);
const DAY = String.raw`(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])`;
/** Year, month, day, hour, minute and second in one piece; no number of a card begins so. */
const MOMENT = String.raw`20\d\d${DAY}(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(?:\d{3})?`;
const DATE_AND_TIME = new RegExp(`^${MOMENT}$`);

const AMOUNT = String.raw`\d{1,3}(?:(?:\.\d{3})*,|(?:,\d{3})*\.|\d*[.,])\d{2}(?![\d.,]\d)`;
const NEAR = String.raw`[^\p{L}\p{N}]{0,3}`;
/** Dates, times and lists of amounts: what stands in them is not part of a number with gaps. */
const ORDINARY = new RegExp(
  [
    String.raw`(?<!\d)${MOMENT}(?!\d)`,
    String.raw`(?<!\d[-./]?)(?:19|20)\d\d([-./])(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\1?\d)(?: \d\d:\d\d(?::\d\d)?)?`,
    String.raw`(?<!\d[-./]?)(?:0[1-9]|[12]\d|3[01])([-./])(?:0[1-9]|1[0-2])\2(?:19|20)\d\d(?!\2?\d)(?: \d\d:\d\d(?::\d\d)?)?`,
    String.raw`(?<!\d${NEAR})(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?!:?\d)`,
    String.raw`(?<!\d${NEAR})${AMOUNT}(?<gap>[\s;|]{1,2}|, ?)${AMOUNT}(?:\k<gap>${AMOUNT})*(?!${NEAR}\d)`,
  ].join('|'),
  'gu',
);

/**
 * The digits to hide of each card number. One that stands by itself needs a valid check digit only, in one piece or in
 * groups as on a card; amid other digits, as in a packed message, and in other groups, one number in ten has that, so
 * there it must also begin as card numbers do.
 */
export function cardNumbers(view: Read): Range[] {
  const { units } = view;
  let ordinary: readonly Range[] | undefined;
  const isOrdinary = (from: number, to: number): boolean => {
    ordinary ??= Array.from(view.text.matchAll(ORDINARY), (match): Range => [
      match.index,
      match.index + match[0].length,
    ]);
    return (ordinary[firstEndingAfter(ordinary, from)]?.[0] ?? units.length) <= to;
  };
  const ranges: Range[] = [];
  eachDigitRun(units, SHORTEST_NUMBER, (run) => {
    addNumbers(ranges, view, run, isOrdinary);
  });
  return ranges;
}

/** The index of the first range that ends after a place. */
function firstEndingAfter(ranges: readonly Range[], place: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.[1] ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

function addNumbers(
  ranges: Range[],
  view: Read,
  run: DigitRun,
  isOrdinary: (from: number, to: number) => boolean,
): void {
  const { count, digits, places, cuts, sums } = run;
  for (let start = 0; start + SHORTEST_NUMBER <= count; start += 1) {
    const begun = LENGTHS[(digits[start] ?? 0) * 10 + (digits[start + 1] ?? 0)] ?? 0;
    const isStart = cuts[start] === 1;
    // Nearly all that a long run of digits costs is here: only lengths that a number may have are looked at.
    for (let rest = isStart ? ALL_LENGTHS : begun; rest !== 0; rest &= rest - 1) {
      const length = 31 - Math.clz32(rest & -rest);
      const end = start + length;
      if (end > count) break;
      if (!isLuhnValid(sums, start, end)) continue;
      const begins = (begun & (1 << length)) !== 0;
      const isWhole = isStart && cuts[end] === 1;
      if (!(begins || isWhole) || !isCardNumber(view, run, start, end, begins, isWhole)) continue;
      if (hasGaps(places, start, end) && isOrdinary(places[start] ?? 0, places[end - 1] ?? 0)) continue;
      addRange(ranges, places[start + FIRST_DIGITS] ?? 0, (places[end - LAST_DIGITS - 1] ?? 0) + 1);
    }
  }
}

const hasGaps = (places: Int32Array, start: number, end: number): boolean =>
  (places[end - 1] ?? 0) - (places[start] ?? 0) !== end - 1 - start;

/** Numbers that overlap become one range, so that long runs of digits have few. */
function addRange(ranges: Range[], from: number, to: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && from <= last[1] && to >= last[0]) {
    ranges[ranges.length - 1] = [Math.min(from, last[0]), Math.max(to, last[1]), true];
  } else ranges.push([from, to, true]);
}

/** Digits one by one or in pairs, in groups of four, and in other groups that cards have; all parted in one way. */
const GROUPS =
  /^(?:\d(\D+)\d(?:\1\d)+|\d\d(\D+)\d\d(?:\2\d\d)+(?:\2\d)?|\d{4}(\D+)\d{4}(?:\3\d{4})+(?:\3\d{1,3})?|\d{4}(\D+)\d{6}\4\d{4,5}|\d{6}\D+\d{7}|\d{8}\D+(?:\d{8}|\d{5}|\d{10,11}))$/;
const CARD_GAPS = /^(?:\d[\s\p{Pd}]{0,2})*$/u;

function isCardNumber(
  view: Read,
  { places }: DigitRun,
  start: number,
  end: number,
  begins: boolean,
  isWhole: boolean,
): boolean {
  const isParted = hasGaps(places, start, end);
  if (begins && (isWhole || !isParted)) return true;
  const number = view.text.slice(places[start], (places[end - 1] ?? 0) + 1);
  if (!isParted) return !DATE_AND_TIME.test(number);
  if (begins) return CARD_GAPS.test(number);
  return GROUPS.test(number);
}

/** Whether a name is a card number, or has one as one of its words: digits between characters that are no letters. */
export function hasCardNumber(name: string): boolean {
  const words = name.match(/(?<![\p{L}\d])\d{13,19}(?![\p{L}\d])/gu) ?? [];
  return [name.replace(/[\s\p{Pd}]/gu, ''), ...words].some((digits) => {
    if (!/^\d{13,19}$/.test(digits) || CARD_BEGINNINGS[digits.length]?.test(digits) !== true) return false;
    let isValid = false;
    eachDigitRun(read(digits).units, SHORTEST_NUMBER, ({ sums }) => {
      isValid = isLuhnValid(sums, 0, digits.length);
    });
    return isValid;
  });
}

/** Number, separator, then expiry, service code and the issuer's own data; read backwards from the separator. */
const TRACK_2 = /(?<=(?<number>\d{12,19}))(?:[=D]|%3D)(?<data>\d{4,23})/dgi;
const TRACK_SIGN = /\d(?:[=D]|%3D)\d/i;
/** The last character of the data may be the first half of a surrogate pair: the other half then belongs to it. */
const TRACK_1 = /B(?<number>\d{12,19})\^(?<data>[^^]{2,26}\^[^?\s]{0,60}[\udc00-\udfff]?)/dgi;

/** The digits of a track that are not kept of its number, and all that follows them. */
export function tracks(view: Read): Range[] {
  const forms = [
    ...(view.has(SIGNS.caret) ? [TRACK_1] : []),
    ...(view.has(SIGNS.track) && TRACK_SIGN.test(view.text) ? [TRACK_2] : []),
  ];
  return forms.flatMap((form) =>
    Array.from(view.text.matchAll(form)).flatMap((match): Range[] => {
      const { number, data } = match.indices?.groups ?? {};
      if (number === undefined || data === undefined) return [];
      return [[number[0] + FIRST_DIGITS, number[1] - LAST_DIGITS], data];
    }),
  );
}
