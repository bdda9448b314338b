/** A text as a string, and as its UTF-16 units: to read them one by one is faster. */
export interface Read {
  readonly text: string;
  readonly units: Uint16Array;
}

export function read(text: string): Read {
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, 'utf16le');
  return { text, units };
}

/** The code point of the character that begins at a unit. */
export function codePointAt(units: Uint16Array, at: number): number {
  const first = units[at] ?? 0;
  if (first < 0xd800 || first >= 0xdc00) return first;
  const second = units[at + 1] ?? 0;
  const isPair = second >= 0xdc00 && second < 0xe000;
  return isPair ? (first - 0xd800) * 0x400 + second - 0xdc00 + 0x1_0000 : first;
}

/** A text, or what a part of it says once it is decoded; each character knows where it stands in the original. */
export interface View extends Read {
  /** What this view was made of, and where the source of each UTF-16 unit begins and ends (excluded) there. */
  readonly source?: { readonly view: View; readonly from: Int32Array; readonly to: Int32Array };
  /** Whether a part of the original stands for other characters than those it has. */
  readonly isEncoded: boolean;
}

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
  for (const unit of units) bits |= unit;
  return bits;
}

/** The text of UTF-16 units. */
export function textOf(units: Uint16Array): string {
  if (bitsOf(units) > 0xff)
    return Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le');
  return Buffer.from(units).toString('latin1');
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
    if (at === this.#units.length) this.#grow();
    this.#units[at] = unit;
    this.#from[at] = from;
    this.#to[at] = to;
    this.#length = at + 1;
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
    return {
      text: textOf(units),
      units,
      source: { view: this.#source, from, to },
      isEncoded: this.#isEncoded,
    };
  }

  #grow(): void {
    const length = this.#length * 2 + 64;
    const [units, from, to] = [new Uint16Array(length), new Int32Array(length), new Int32Array(length)];
    units.set(this.#units);
    from.set(this.#from);
    to.set(this.#to);
    [this.#units, this.#from, this.#to] = [units, from, to];
  }
}
