import { createHash } from 'node:crypto';

const MAX_KNOWN = 1_000;
/** Maximum size of a response that is not remembered. */
const LARGE_BYTES = 64 * 1024;

/** Sizes of recent large responses by request: the same request probably gets a response of the same size. */
export class ExpectedSizes {
  readonly #bytes = new Map<string, number>();

  /** Bytes of the previous response to the same request; 0 if it was small or is unknown. */
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
    // A request that is nested too deeply to become text is refused later.
    if (error instanceof RangeError) return '';
    throw error;
  }
}
