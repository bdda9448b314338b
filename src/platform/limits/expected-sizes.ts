import { createHash } from 'node:crypto';

const MAX_KNOWN = 1_000;
/** Smaller responses are not remembered. */
const LARGE_BYTES = 64 * 1024;

/** The sizes of large responses, by what was asked: the same request will probably get as much. */
export class ExpectedSizes {
  readonly #bytes = new Map<string, number>();

  /** Bytes of the response when the same was asked before; 0 where it was small or is not known. */
  of(asked: () => string): number {
    return this.#bytes.size === 0 ? 0 : (this.#bytes.get(keyOf(asked)) ?? 0);
  }

  record(asked: () => string, bytes: number): void {
    if (bytes <= LARGE_BYTES && this.#bytes.size === 0) return;
    const key = keyOf(asked);
    this.#bytes.delete(key);
    if (bytes <= LARGE_BYTES) return;
    this.#bytes.set(key, bytes);
    const [oldest] = this.#bytes.keys();
    if (this.#bytes.size > MAX_KNOWN && oldest !== undefined) this.#bytes.delete(oldest);
  }
}

function keyOf(asked: () => string): string {
  return createHash('sha256').update(textOf(asked)).digest('base64');
}

function textOf(asked: () => string): string {
  try {
    return asked();
  } catch (error) {
    // Nested too deeply to become text: the request is refused for it afterwards.
    if (error instanceof RangeError) return '';
    throw error;
  }
}
