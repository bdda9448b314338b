/**
 * About how many bytes a value takes as JSON: at least the characters of its texts. An object that appears several
 * times is measured once and counted each time.
 */
export function approximateJsonBytes(value: unknown): number {
  return new Measure().of(value);
}

/** Bytes of a number, a flag or null, and of the punctuation around a value. */
const SMALL = 4;

class Measure {
  readonly #measured = new Map<object, number>();

  of(value: unknown): number {
    if (typeof value === 'string') return value.length + SMALL;
    if (typeof value !== 'object' || value === null) return SMALL;
    const measured = this.#measured.get(value);
    if (measured !== undefined) return measured;
    const size = this.#inside(value);
    this.#measured.set(value, size);
    return size;
  }

  #inside(value: object): number {
    let size = SMALL;
    if (Array.isArray(value) || value instanceof Map) {
      for (const each of value) size += this.of(each);
      return size;
    }
    for (const name in value) size += name.length + SMALL + this.of((value as Record<string, unknown>)[name]);
    return size;
  }
}
