import { isTurnOver, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';

/** Approximate bytes of a value as JSON, at least its characters. What is there twice is measured once. */
export function approximateJsonBytes(value: unknown): number {
  return new JsonMeasure().of(value);
}

/** Bytes of a number, a boolean or null, and of the punctuation around a value. */
const SMALL = 4;
/** JSON texts of this size are made at once, longer ones in parts. */
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

  /** The text that `JSON.stringify` makes, in parts: yields to the event loop between them. */
  async text(value: unknown): Promise<string> {
    if (typeof value !== 'object' || value === null || this.of(value) <= PART_BYTES) {
      if (isTurnOver()) await yieldToEventLoop();
      return JSON.stringify(value);
    }
    const texts: string[] = [];
    if (Array.isArray(value)) {
      for (const entry of value) texts.push(await this.text(entry ?? null));
      return `[${texts.join()}]`;
    }
    for (const [name, part] of Object.entries(value)) {
      if (part !== undefined) texts.push(`${JSON.stringify(name)}:${await this.text(part)}`);
    }
    return `{${texts.join()}}`;
  }
}
