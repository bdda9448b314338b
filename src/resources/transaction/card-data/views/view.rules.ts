import { signsOf } from './signs.rules.js';

/** A text as a string, and as its UTF-16 units: to read them one by one is faster. */
export class Read {
  #text: string | undefined;
  #signs: number | undefined;

  /** @param text of the units, where it is known. */
  constructor(
    readonly units: Uint16Array,
    text?: string,
  ) {
    this.#text = text;
  }

  /** Made once it is asked for: most of what encoded parts say is never read as a string. */
  get text(): string {
    return (this.#text ??= textOf(this.units));
  }

  /** Which of some characters it has, as bits of `SIGNS`. */
  has(signs: number): boolean {
    this.#signs ??= signsOf(this.units);
    return (this.#signs & signs) !== 0;
  }
}

export const read = (text: string): Read => new Read(unitsOf(text), text);

export function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, 'utf16le');
  return units;
}

/** The code point of the character that begins at a unit. */
export function codePointAt(units: Uint16Array, at: number): number {
  const first = units[at] ?? 0;
  if (first < 0xd800 || first >= 0xdc00 || at + 1 >= units.length) return first;
  const second = units[at + 1] ?? 0;
  const isPair = second >= 0xdc00 && second < 0xe000;
  return isPair ? (first - 0xd800) * 0x400 + second - 0xdc00 + 0x1_0000 : first;
}

/** What a view was made of, and where the source of each UTF-16 unit begins and ends (excluded) there. */
interface Source {
  readonly view: View;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** A text, or what a part of it says once it is decoded; each character knows where it stands in the original. */
export class View extends Read {
  /** @param isEncoded Whether a part of the original stands for other characters than those it has. */
  constructor(
    units: Uint16Array,
    readonly isEncoded: boolean,
    readonly source?: Source,
    text?: string,
  ) {
    super(units, text);
  }
}

export const viewOf = (text: string): View => new View(unitsOf(text), false, undefined, text);

/** Where a part of a view stands in the original text. */
export function placeInOriginal(view: View, from: number, to: number): readonly [from: number, to: number] {
  let [start, end] = [from, to];
  for (let { source } = view; source !== undefined; source = source.view.source) {
    start = source.from[start] ?? 0;
    end = source.to[end - 1] ?? 0;
  }
  return [start, end];
}

function bitsOf(units: Uint16Array): number {
  let bits = 0;
  const { length } = units;
  for (let at = 0; at < length; at += 1) bits |= units[at] ?? 0;
  return bits;
}

/** The text of UTF-16 units. */
export function textOf(units: Uint16Array): string {
  if (bitsOf(units) > 0xff)
    return Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le');
  return Buffer.from(new Uint8Array(units).buffer).toString('latin1');
}

/** Bits that a digit stands for. */
export const [HEX_BITS, BASE64_BITS] = [4, 6];

/** In place of a unit, for a byte that a view leaves out; it is no character. */
export const LEFT_OUT = 0xffff;

/** What a run of digits stands for. */
export interface DecodedRun {
  /** The bytes are the first ones. */
  readonly bytes: Uint8Array;
  readonly count: number;
  /** Bits of each digit, the places of all digits, and the index of the run's first one. */
  readonly bits: number;
  readonly places: Int32Array;
  readonly start: number;
}

/** Collects a view of another view. */
export class ViewBuilder {
  readonly #source: View;
  readonly #isEncoded: boolean;
  #units: Uint16Array;
  #from: Int32Array;
  #to: Int32Array;
  #length = 0;

  /** @param length expected UTF-16 units; there may be more. */
  constructor(source: View, length: number, isEncoded = true) {
    this.#source = source;
    this.#isEncoded = isEncoded;
    this.#units = new Uint16Array(length);
    this.#from = new Int32Array(length);
    this.#to = new Int32Array(length);
  }

  /** One UTF-16 unit that stands for the units `from` to `to` of the source. */
  add(unit: number, from: number, to: number): void {
    const at = this.#length;
    if (at === this.#units.length) this.#makeRoom(1);
    this.#units[at] = unit;
    this.#from[at] = from;
    this.#to[at] = to;
    this.#length = at + 1;
  }

  /** Decoded bytes from one on, each as one unit or `LEFT_OUT`; ends at the first that has neither (0), and returns it. */
  addBytes(run: DecodedRun, first: number, unitOf: Uint16Array): number {
    const { bytes, count, bits, places, start } = run;
    this.#makeRoom(count - first);
    const [units, from, to] = [this.#units, this.#from, this.#to];
    // Hex digits are two by two; of Base64, every third byte ends with a digit that the next one does not share.
    const step = bits === HEX_BITS ? 2 : 1;
    let third = first % 3;
    let digit = start + (step === 2 ? 2 * first : first + (first - third) / 3);
    let length = this.#length;
    let at = first;
    for (; at < count; at += 1) {
      const unit = unitOf[bytes[at] ?? 0] ?? 0;
      if (unit === 0) break;
      if (unit !== LEFT_OUT) {
        units[length] = unit;
        from[length] = places[digit] ?? 0;
        to[length] = (places[digit + 1] ?? 0) + 1;
        length += 1;
      }
      third = third === 2 ? 0 : third + 1;
      digit += third === 0 ? 2 : step;
    }
    this.#length = length;
    return at;
  }

  addText(text: string, from: number, to: number): void {
    for (let at = 0; at < text.length; at += 1) this.add(text.charCodeAt(at), from, to);
  }

  addCode(code: number, from: number, to: number): void {
    if (code <= 0xffff) this.add(code, from, to);
    else this.addText(String.fromCodePoint(code), from, to);
  }

  view(): View {
    const [from, to] = [this.#from.subarray(0, this.#length), this.#to.subarray(0, this.#length)];
    const units = this.#units.subarray(0, this.#length);
    return new View(units, this.#isEncoded, { view: this.#source, from, to });
  }

  #makeRoom(more: number): void {
    if (this.#length + more <= this.#units.length) return;
    const length = this.#length * 2 + more + 64;
    const [units, from, to] = [new Uint16Array(length), new Int32Array(length), new Int32Array(length)];
    units.set(this.#units);
    from.set(this.#from);
    to.set(this.#to);
    [this.#units, this.#from, this.#to] = [units, from, to];
  }
}
