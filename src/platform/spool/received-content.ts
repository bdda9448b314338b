import {
  CHUNK_BYTES,
  ContentBuilder,
  type ChunkedContent,
  type ContentSums,
} from '../encoding/content-builder.js';
import type { Spool } from './spool.js';

/** Bytes in a temporary file. */
export interface SpooledContent extends ContentSums {
  readonly spool: Pick<Spool, 'read'>;
}

/** Bytes that are written to the file at once; also the maximum in memory. */
const PIECE_BYTES = 256 * 1024;

/** Collects the bytes of an upload while they arrive: in memory if few, in a temporary file if more. */
export class ReceivedContent {
  readonly #builder = new ContentBuilder(PIECE_BYTES);
  #spool: Spool | null = null;
  #inMemory = 0;

  /**
   * @param keep returns how many bytes may stay in memory; called again when there are more.
   * @param open opens the file when there are more than that.
   */
  constructor(
    private readonly keep: (bytes: number) => number,
    private readonly open: () => Promise<Spool>,
  ) {}

  /** Number of bytes so far. */
  get size(): number {
    return this.#builder.size;
  }

  add(bytes: Uint8Array): void {
    this.#builder.add(bytes);
  }

  /** To be awaited after each piece. Errors: those of `open` and of writing. */
  async settle(): Promise<void> {
    if (this.#spool === null && this.size > this.#inMemory) this.#inMemory = this.keep(this.size);
    if (this.size <= this.#inMemory) return;
    this.#spool ??= await this.open();
    for (const piece of this.#builder.take()) await this.#spool.write(piece);
  }

  async finish(): Promise<ChunkedContent | SpooledContent> {
    await this.settle();
    const content = this.#builder.finish();
    const { chunks, ...sums } = content;
    if (this.#spool === null) return { ...sums, chunks: inChunks(chunks) };
    for (const piece of chunks) await this.#spool.write(piece);
    return { ...sums, spool: this.#spool };
  }
}

/** Splits bytes into chunks of `CHUNK_BYTES`. */
function inChunks(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  if (pieces.length <= 1) return pieces;
  const bytes = Buffer.concat(pieces);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) chunks.push(bytes.subarray(at, at + CHUNK_BYTES));
  return chunks;
}
