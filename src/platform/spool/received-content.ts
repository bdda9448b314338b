import { ContentBuilder, type ChunkedContent, type ContentSums } from '../encoding/content-builder.js';
import type { Spool } from './spool.js';

/** Bytes in a temporary file. */
export interface SpooledContent extends ContentSums {
  readonly spool: Pick<Spool, 'read'>;
}

/** Bytes that are written to the file at once, and the most that are kept in memory. */
const PIECE_BYTES = 256 * 1024;

/** Collects the bytes of an upload while they arrive: few in memory, more in a temporary file. */
export class ReceivedContent {
  readonly #builder = new ContentBuilder(PIECE_BYTES);
  #spool: Spool | null = null;

  /** @param open opens the file, as soon as there are more than `smallBytes`. */
  constructor(
    private readonly smallBytes: number,
    private readonly open: () => Promise<Spool>,
  ) {}

  /** Bytes so far. */
  get size(): number {
    return this.#builder.size;
  }

  add(bytes: Uint8Array): void {
    this.#builder.add(bytes);
  }

  /** To be awaited after each piece that arrived. Errors: those of `open` and of writing. */
  async settle(): Promise<void> {
    if (this.size <= this.smallBytes) return;
    this.#spool ??= await this.open();
    for (const piece of this.#builder.take()) await this.#spool.write(piece);
  }

  async finish(): Promise<ChunkedContent | SpooledContent> {
    await this.settle();
    const content = this.#builder.finish();
    if (this.#spool === null) return content;
    const { chunks, ...sums } = content;
    for (const piece of chunks) await this.#spool.write(piece);
    return { ...sums, spool: this.#spool };
  }
}
