/** From and to a character of a text, `to` excluded. */
export type Range = readonly [from: number, to: number];

const SHORTEST_NUMBER = 13;
const LONGEST_NUMBER = 19;
const FIRST_DIGITS = 6;
const LAST_DIGITS = 4;
const ZERO = 48;

/** What must not be kept of a text, in order and without overlaps: in the text itself and in what its hex says. */
export function cardDataIn(text: string): readonly Range[] {
  const ranges = plainCardData(text);
  for (const hidden of hexViews(text)) {
    for (const [from, to] of plainCardData(hidden.text)) {
      const [start = 0, end = start] = [hidden.places[from], hidden.places[to - 1]];
      ranges.push([start, end + 2]);
    }
  }
  return merged(ranges);
}

/** Whether a field of this name holds what must never be kept: a verification code, a PIN, track data. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replace(/([a-z])([A-Z])/g, '$1_$2'));
}

const SECRET = 'cvv|cvc|cav2|security[ _-]?code|pin[ _-]?block|track[ _-]?[123]|(?<![a-z])pin(?![a-z])';
const SECRET_NAME = new RegExp(SECRET, 'i');
const QUOTE = String.raw`(?:\\*["'])?`;
const HEX_BYTES = '(?:[0-9a-f]{2} ){2,31}[0-9a-f]{2}';
/** `cvv=123`, `"pin_block": "04…"`, `<track2>…`, `CVC 123`. */
const NAMED_SECRET = new RegExp(
  String.raw`(?:${SECRET})[\w-]{0,20}${QUOTE}(?:\s*[:=>]+\s*|\s+(?=\d))${QUOTE}(?!null\b)(?<secret>${HEX_BYTES}|[^\s"'\\,;&<>|{}()[\]]+)`,
  'dgi',
);
/** Part of every track, which few texts have: found sooner than a track is looked for. */
const TRACK_NUMBER = /\d{12}/;
/** Number, separator, then expiry, service code and the issuer's own data. */
const TRACK_2 = /(?<number>\d{12,19})[=D](?<data>\d{4,23})/dgi;
/** The last character of the data may be the first half of a surrogate pair: the other half then belongs to it. */
const TRACK_1 = /B(?<number>\d{12,19})\^(?<data>[^^]{2,26}\^[^?\s]{0,60}[\udc00-\udfff]?)/dgi;

function plainCardData(text: string): Range[] {
  return [
    ...cardNumbers(text),
    ...(TRACK_NUMBER.test(text) ? [...tracks(text, TRACK_1), ...tracks(text, TRACK_2)] : []),
    ...Array.from(text.matchAll(NAMED_SECRET), (match) => placeOf(match, 'secret')),
  ];
}

const DIGIT_RUN = /\d(?:[\s\p{Pd}]{0,2}\d){12,}/gu;
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

/**
 * The digits to hide of each card number in a run of digits, which spaces or dashes may group. A number that
 * stands by itself needs a valid check digit only; amid other digits, as in a packed message, one number in
 * ten has that, so there it must also begin as card numbers do.
 */
function cardNumbers(text: string): Range[] {
  const ranges: Range[] = [];
  for (const run of text.matchAll(DIGIT_RUN)) {
    const places = Array.from(run[0].matchAll(/\d/g), (digit) => run.index + digit.index);
    const digits = places.map((place) => text[place]).join('');
    const endsGroup = (index: number): boolean => places[index + 1] !== (places[index] ?? 0) + 1;
    for (let end = SHORTEST_NUMBER; end <= digits.length; end += 1) {
      for (const start of validNumbersEndingAt(digits, end)) {
        const alone = endsGroup(end - 1) && (start === 0 || endsGroup(start - 1));
        if (!alone && CARD_BEGINNINGS[end - start]?.test(digits.slice(start, start + 2)) !== true) continue;
        ranges.push([places[start + FIRST_DIGITS] ?? 0, (places[end - LAST_DIGITS - 1] ?? 0) + 1]);
      }
    }
  }
  return ranges;
}

/** Where the numbers with a valid check digit begin whose last digit stands before `end`. */
function validNumbersEndingAt(digits: string, end: number): number[] {
  const starts: number[] = [];
  let sum = 0;
  for (let length = 1; length <= Math.min(LONGEST_NUMBER, end); length += 1) {
    const digit = digits.charCodeAt(end - length) - ZERO;
    const doubled = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += length % 2 === 0 ? doubled : digit;
    if (length >= SHORTEST_NUMBER && sum % 10 === 0) starts.push(end - length);
  }
  return starts;
}

/** Whether a name is a card number, or has one as one of its words: digits between characters that are no letters. */
export function hasCardNumber(name: string): boolean {
  const words = name.match(/(?<![\p{L}\d])\d{13,19}(?![\p{L}\d])/gu) ?? [];
  return [name.replace(/[\s\p{Pd}]/gu, ''), ...words].some(
    (digits) =>
      /^\d{13,19}$/.test(digits) &&
      CARD_BEGINNINGS[digits.length]?.test(digits) === true &&
      validNumbersEndingAt(digits, digits.length).includes(0),
  );
}

function tracks(text: string, form: RegExp): Range[] {
  return Array.from(text.matchAll(form)).flatMap((match): Range[] => {
    const [from, to] = placeOf(match, 'number');
    return [[from + FIRST_DIGITS, to - LAST_DIGITS], placeOf(match, 'data')];
  });
}

function placeOf(match: RegExpExecArray, group: string): Range {
  return match.indices?.groups?.[group] ?? [match.index, match.index + match[0].length];
}

interface HexView {
  readonly text: string;
  /** Where the two digits of each character begin. */
  readonly places: readonly number[];
}

const HEX_RUN = /[0-9a-f]{2}(?:[\s:-]?[0-9a-f]{2}){12,}[0-9a-f]?/gi;

/** What runs of hex digits say as ASCII and as EBCDIC, whichever digit a byte begins with. */
function hexViews(text: string): HexView[] {
  return Array.from(text.matchAll(HEX_RUN)).flatMap((run) =>
    [0, 1].flatMap((skipped) => {
      const bytes = Array.from(run[0].slice(skipped).matchAll(/[0-9a-f]{2}/gi));
      const places = bytes.map((byte) => run.index + skipped + byte.index);
      const codes = bytes.map((byte) => parseInt(byte[0], 16));
      return [
        { places, text: String.fromCharCode(...codes) },
        { places, text: codes.map(fromEbcdic).join('') },
      ];
    }),
  );
}

const EBCDIC: Readonly<Record<number, string>> = { 0x40: ' ', 0x60: '-', 0x7e: '=', 0xc4: 'D' };

/** Digits and what can stand between them; nothing else matters here. */
function fromEbcdic(code: number): string {
  return code >= 0xf0 && code <= 0xf9 ? String(code - 0xf0) : (EBCDIC[code] ?? '\0');
}

function merged(ranges: readonly Range[]): Range[] {
  const result: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = result.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else if (to > from) result.push([from, to]);
  }
  return result;
}
