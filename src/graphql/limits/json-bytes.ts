/**
 * Bytes that a value takes as JSON, about: no less than what its texts have in characters. What appears more than
 * once is looked at once and counted each time.
 */
export function approximateJsonBytes(value: unknown): number {
  return new Scale().of(value);
}

/** Of a number, a flag or null, and of the marks around a value. */
const SMALL = 4;

class Scale {
  readonly #known = new Map<object, number>();

  of(value: unknown): number {
    if (typeof value === 'string') return value.length + SMALL;
    if (typeof value !== 'object' || value === null) return SMALL;
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const size = this.#inside(value);
    this.#known.set(value, size);
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
