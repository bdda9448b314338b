import { isTurnOver, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';

/**
 * Approximate size of a value as JSON, in bytes: at least the characters of its texts. An object that appears
 * several times is measured once and counted each time.
 */
export function approximateJsonBytes(value: unknown): number {
  return new JsonMeasure().of(value);
}

/** Bytes of a number, a boolean or null, and of the punctuation around a value. */
const SMALL = 4;
/** Longer JSON texts are made in parts of about this size at most. */
const PART_BYTES = 64 * 1024;

/** Measures values, and makes their JSON text. */
export class JsonMeasure {
  readonly #measured = new Map<object, number>();

  of(value: unknown): number {
    if (typeof value === 'string') return value.length + SMALL;
    if (typeof value !== 'object' || value === null) return SMALL;
    const measured = this.#measured.get(value);
    if (measured !== undefined) return measured;
    let size = SMALL;
    if (Array.isArray(value) || value instanceof Map) {
      for (const part of value) size += this.of(part);
    } else {
      for (const name in value) {
        size += name.length + SMALL + this.of((value as Record<string, unknown>)[name]);
      }
    }
    this.#measured.set(value, size);
    return size;
  }

  /**
   * JSON text of a value, equal to that of `JSON.stringify` for objects, arrays, strings, numbers, booleans
   * and null. Yields to the event loop between parts.
   */
  async text(value: unknown): Promise<string> {
    if (typeof value !== 'object' || value === null || this.of(value) <= PART_BYTES)
      return await this.#short(value);
    return Array.isArray(value) ? `[${await this.#entries(value)}]` : `{${await this.#fields(value)}}`;
  }

  async #entries(list: readonly unknown[]): Promise<string> {
    const texts: string[] = [];
    for (let start = 0; start < list.length;) {
      let [end, bytes] = [start + 1, this.of(list[start])];
      while (end < list.length && (bytes += this.of(list[end])) <= PART_BYTES) end += 1;
      const several = end > start + 1;
      texts.push(
        several
          ? (await this.#short(list.slice(start, end))).slice(1, -1)
          : await this.text(list[start] ?? null),
      );
      start = end;
    }
    return texts.join();
  }

  async #fields(object: object): Promise<string> {
    const texts: string[] = [];
    for (const [name, value] of Object.entries(object)) {
      if (value !== undefined) texts.push(`${JSON.stringify(name)}:${await this.text(value)}`);
    }
    return texts.join();
  }

  async #short(value: unknown): Promise<string> {
    if (isTurnOver()) await yieldToEventLoop();
    return JSON.stringify(value);
  }
}
