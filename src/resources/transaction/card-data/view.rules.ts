/** A text, or what a part of it says once it is decoded; each character knows where it stands in the original. */
export interface View {
  readonly text: string;
  /** Where the source of each UTF-16 unit begins and ends (excluded); absent if the view is the original text. */
  readonly places?: { readonly from: Int32Array; readonly to: Int32Array };
  /** Whether a part of the original stands for other characters than those it has. */
  readonly isEncoded: boolean;
}

/** The text of UTF-16 units. */
export function textOf(units: Uint16Array): string {
  for (const unit of units) {
    if (unit > 0xff) return Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le');
  }
  return Buffer.from(units).toString('latin1');
}

/** Collects a view of another view; places are those of the original text. */
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
    if (this.#length === this.#units.length) this.#grow();
    const { places } = this.#source;
    this.#units[this.#length] = unit;
    this.#from[this.#length] = places === undefined ? from : (places.from[from] ?? 0);
    this.#to[this.#length] = places === undefined ? to : (places.to[to - 1] ?? 0);
    this.#length += 1;
  }

  addText(text: string, from: number, to: number): void {
    for (let at = 0; at < text.length; at += 1) this.add(text.charCodeAt(at), from, to);
  }

  copy(from: number, to: number): void {
    for (let at = from; at < to; at += 1) this.add(this.#source.text.charCodeAt(at), at, at + 1);
  }

  view(): View {
    const places = { from: this.#from.subarray(0, this.#length), to: this.#to.subarray(0, this.#length) };
    return { text: textOf(this.#units.subarray(0, this.#length)), places, isEncoded: this.#isEncoded };
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
