import { isAscii, isUtf8 } from 'node:buffer';

import { plainView } from './plain-view.rules.js';
import { characterAt } from './utf8.rules.js';
import { ViewBuilder, type View } from './view.rules.js';

/** Digits of hex or Base64, and where they stand. */
interface Run {
  readonly digits: string;
  readonly places: Int32Array;
}

/** Runs of digits, without what only parts them. */
function runsIn(text: string, form: RegExp, parting: RegExp): Run[] {
  return Array.from(text.matchAll(form), ({ 0: run, index }) => {
    const digits = run.replace(parting, '');
    const places = new Int32Array(digits.length);
    const isWhole = digits.length === run.length;
    let at = 0;
    for (let count = 0; count < digits.length; at += 1) {
      if (isWhole || run.charCodeAt(at) === digits.charCodeAt(count)) places[count++] = index + at;
    }
    return { digits, places };
  });
}

const HEX_RUN = /[0-9a-f]{2}(?:[\s:-]?[0-9a-f]{2}){5,}[0-9a-f]?/gi;
/** Fewer hold no card number; they can hold a name and its value, with one of `:=>` between. */
const FEWEST_HEX_DIGITS = 24;
const HEX_ASSIGNMENT = /3[ade]/i;

/** What runs of hex digits say as ASCII, UTF-8 and EBCDIC, whichever digit a byte begins with. */
export function fromHex(view: View): View[] {
  const runs = runsIn(view.text, HEX_RUN, /[\s:-]/g).filter(
    ({ digits }) => digits.length >= FEWEST_HEX_DIGITS || HEX_ASSIGNMENT.test(digits),
  );
  return [0, 1].flatMap((skipped) => {
    const [said, ebcdic] = [new JoinedView(view), new JoinedView(view)];
    for (const { digits, places } of runs) {
      const bytes = Buffer.from(skipped === 0 ? digits : digits.slice(skipped), 'hex');
      const first = (byte: number): number => places[skipped + 2 * byte] ?? 0;
      const last = (byte: number): number => places[skipped + 2 * byte + 1] ?? 0;
      addText(said, bytes, first, last);
      addEbcdic(ebcdic, bytes, first, last);
    }
    return [...said.view(), ...ebcdic.view()];
  });
}

const BASE64_RUN = /[a-z0-9+/_-](?:[\r\n]{0,2}[a-z0-9+/_-]){8,}/gi;

/** What runs of Base64 say, whichever character they begin with. */
export function fromBase64(view: View): View[] {
  const runs = runsIn(view.text, BASE64_RUN, /[\r\n]/g);
  return [0, 1, 2, 3].flatMap((skipped) => {
    const said = new JoinedView(view);
    for (const { digits, places } of runs) {
      const bytes = Buffer.from(skipped === 0 ? digits : digits.slice(skipped), 'base64');
      const first = (byte: number): number => places[skipped + (((byte * 8) / 6) | 0)] ?? 0;
      const last = (byte: number): number => places[skipped + (((byte * 8 + 7) / 6) | 0)] ?? 0;
      addText(said, bytes, first, last);
    }
    return said.view();
  });
}

/** Nothing that is sought goes on over it. */
const BETWEEN_RUNS = '\n||||\n';

/** What several runs say, one after another. */
class JoinedView {
  #built: ViewBuilder | null = null;

  constructor(private readonly source: View) {}

  /** Where to add what the next run says, at a place of the source and about so long. */
  next(place: number, length: number): ViewBuilder {
    if (this.#built === null) this.#built = new ViewBuilder(this.source, length);
    else this.#built.addText(BETWEEN_RUNS, place, place + 1);
    return this.#built;
  }

  /** None if no run says anything. */
  view(): View[] {
    return this.#built === null ? [] : [plainView(this.#built.view())];
  }
}

/** Where the first or the last character stands that a byte is written with. */
type PlaceOfByte = (byte: number) => number;

/** Fewer characters hold neither a card number nor a name and its value. */
const FEWEST_BYTES = 5;
/** In bytes that are no text, a card number or the name of a secret. */
const TEXT_IN_BYTES = /\d(?:[^0-9a-z]{0,6}\d){12}|cv[cv]|pin|track|trilha|senha/i;

function addText(said: JoinedView, bytes: Buffer, first: PlaceOfByte, last: PlaceOfByte): void {
  if (bytes.length < FEWEST_BYTES) return;
  const isText = isUtf8(bytes);
  if (!isText && !TEXT_IN_BYTES.test(bytes.toString('latin1'))) return;
  const built = said.next(first(0), bytes.length);
  if (!isText || isAscii(bytes)) {
    for (let at = 0; at < bytes.length; at += 1) built.add(bytes[at] ?? 0, first(at), last(at) + 1);
    return;
  }
  for (let at = 0; at < bytes.length;) {
    const { code, length } = characterAt(bytes, at);
    const [from, to] = [first(at), last(at + length - 1) + 1];
    if (code <= 0xffff) built.add(code, from, to);
    else built.addText(String.fromCodePoint(code), from, to);
    at += length;
  }
}

const EBCDIC: Readonly<Record<number, string>> = { 0x40: ' ', 0x60: '-', 0x7e: '=', 0xc4: 'D' };
const EBCDIC_ZERO = 0xf0;
const EBCDIC_NUMBER = /[\xf0-\xf9](?:[^\xf0-\xf9]{0,4}[\xf0-\xf9]){11}/;
/** By byte: digits and what can stand between them; nothing else matters here. */
const EBCDIC_UNITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = byte - EBCDIC_ZERO;
  return (digit >= 0 && digit <= 9 ? String(digit) : (EBCDIC[byte] ?? 'x')).charCodeAt(0);
});

function addEbcdic(said: JoinedView, bytes: Buffer, first: PlaceOfByte, last: PlaceOfByte): void {
  if (!EBCDIC_NUMBER.test(bytes.toString('latin1'))) return;
  const built = said.next(first(0), bytes.length);
  for (const [at, byte] of bytes.entries()) built.add(EBCDIC_UNITS[byte] ?? 0, first(at), last(at) + 1);
}
