import { isEbcdicIn, isTextIn } from './bytes.rules.js';
import { base64Runs, hexRuns, type EncodedRuns } from './encoded-runs.rules.js';
import { addPlain, PLAIN_FORMS, PLAIN_UNITS } from './plain-view.rules.js';
import { codeAt, isUtf8, lengthAt } from './utf8.rules.js';
import { BASE64_BITS, HEX_BITS, ViewBuilder, type DecodedRun, type View } from './view.rules.js';

const BYTE_BITS = 8;
/** Fewer hold no card number; they can hold a name and its value, with one of `:=>` between. */
const FEWEST_HEX_DIGITS = 24;

/** What runs of hex digits say as ASCII, UTF-8 and EBCDIC, whichever digit a byte begins with. */
export function fromHex(view: View): View[] {
  const runs = hexRuns(view.units);
  const bounds = runs.bounds.filter(
    ([first, end]) => end - first >= FEWEST_HEX_DIGITS || hasAssignment(runs.values, first, end),
  );
  return [0, 1].flatMap((skipped) => decoded(view, { ...runs, bounds }, HEX_BITS, skipped));
}

/** What runs of Base64 say, whichever character they begin with. */
export function fromBase64(view: View): View[] {
  const runs = base64Runs(view.units);
  return [0, 1, 2, 3].flatMap((skipped) => decoded(view, runs, BASE64_BITS, skipped));
}

/** Whether one of `:=>` is among hex digits. */
function hasAssignment(values: Uint8Array, first: number, end: number): boolean {
  for (let at = first; at + 1 < end; at += 1) {
    const value = values[at + 1] ?? 0;
    if (values[at] === 3 && (value === 0xa || value === 0xd || value === 0xe)) return true;
  }
  return false;
}

/** Views of what runs say without their first digits: as text, and for hex as EBCDIC. */
function decoded(view: View, runs: EncodedRuns, bits: number, skipped: number): View[] {
  if (runs.bounds.length === 0) return [];
  const bytes = roomFor(longestOf(runs));
  const [said, ebcdic] = [new JoinedView(view), new JoinedView(view)];
  for (const [first, end] of runs.bounds) {
    const start = first + skipped;
    const count = decode(runs.values, start, end, bits, bytes);
    const run: DecodedRun = { bytes, count, bits, places: runs.places, start };
    addText(said, run);
    if (bits === HEX_BITS && isEbcdicIn(bytes, count)) ebcdic.next(run).addBytes(run, 0, EBCDIC_UNITS);
  }
  return [...said.view(), ...ebcdic.view()];
}

const longestOf = ({ bounds }: EncodedRuns): number =>
  bounds.reduce((longest, [first, end]) => Math.max(longest, end - first), 0);

/** Kept from text to text. */
let room = new Uint8Array();

function roomFor(bytes: number): Uint8Array {
  if (room.length < bytes) room = new Uint8Array(2 * bytes);
  return room;
}

/** Writes the bytes that digits stand for; returns how many there are. */
function decode(values: Uint8Array, from: number, end: number, bits: number, bytes: Uint8Array): number {
  let [count, at] = [0, from];
  if (bits === BASE64_BITS) {
    // Four digits are three bytes.
    for (; at + 4 <= end; at += 4) {
      const first = ((values[at] ?? 0) << 6) | (values[at + 1] ?? 0);
      const last = ((values[at + 2] ?? 0) << 6) | (values[at + 3] ?? 0);
      bytes[count] = first >> 4;
      bytes[count + 1] = (first << 4) | (last >> 8);
      bytes[count + 2] = last;
      count += 3;
    }
  }
  let [held, heldBits] = [0, 0];
  for (; at < end; at += 1) {
    held = (held << bits) | (values[at] ?? 0);
    heldBits += bits;
    if (heldBits < BYTE_BITS) continue;
    heldBits -= BYTE_BITS;
    bytes[count] = held >> heldBits;
    count += 1;
  }
  return count;
}

/** The index of the first digit of a byte; the next digit is its last one. */
const firstDigit = ({ start, bits }: DecodedRun, byte: number): number =>
  start + (bits === HEX_BITS ? 2 * byte : byte + ((byte / 3) | 0));
/** Where the first digit of a byte stands, and where the last one of a byte ends. */
const fromOf = (run: DecodedRun, byte: number): number => run.places[firstDigit(run, byte)] ?? 0;
const toOf = (run: DecodedRun, byte: number): number => (run.places[firstDigit(run, byte) + 1] ?? 0) + 1;

/** Nothing that is sought goes on over it. */
const BETWEEN_RUNS = '\n||||\n';

/** What several runs say, one after another. */
class JoinedView {
  #built: ViewBuilder | null = null;

  constructor(private readonly source: View) {}

  /** Where to add what the next run says. */
  next(run: DecodedRun): ViewBuilder {
    const place = fromOf(run, 0);
    if (this.#built === null) this.#built = new ViewBuilder(this.source, run.count);
    else this.#built.addText(BETWEEN_RUNS, place, place + 1);
    return this.#built;
  }

  /** None if no run says anything. */
  view(): View[] {
    return this.#built === null ? [] : [this.#built.view()];
  }
}

/** Fewer characters hold neither a card number nor a name and its value. */
const FEWEST_BYTES = 5;

function addText(said: JoinedView, run: DecodedRun): void {
  const { bytes, count } = run;
  if (count < FEWEST_BYTES) return;
  const isText = isUtf8(bytes, count);
  if (!isText && !isTextIn(bytes, count)) return;
  const built = said.next(run);
  for (let at = 0; at < count;) {
    at = built.addBytes(run, at, isText ? PLAIN_UNITS : PLAIN_FORMS);
    if (at === count) break;
    // Of bytes that are no text each is one unit.
    const length = isText ? lengthAt(bytes, at, count) : 1;
    addPlain(built, codeAt(bytes, at, length), fromOf(run, at), toOf(run, at + length - 1));
    at += length;
  }
}

const EBCDIC: Readonly<Record<number, string>> = { 0x40: ' ', 0x60: '-', 0x7e: '=', 0xc4: 'D' };
const EBCDIC_ZERO = 0xf0;
/** By byte: digits and what can stand between them; nothing else matters here. */
const EBCDIC_UNITS = Uint16Array.from({ length: 256 }, (_, byte) => {
  const digit = byte - EBCDIC_ZERO;
  return (digit >= 0 && digit <= 9 ? String(digit) : (EBCDIC[byte] ?? 'x')).charCodeAt(0);
});
