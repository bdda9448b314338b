import { createHash, type Hash } from 'node:crypto';

import { crc16Of, formatCrc16 } from '../../platform/encoding/crc16.js';

/** Bytes of a file or of an app version. Stored contents never change: new bytes are a new content. */
export interface NewContent {
  /** In pieces of `CHUNK_BYTES`, the last one shorter. */
  readonly chunks: readonly Uint8Array[];
  readonly size: number;
  /** CRC-16/XMODEM as 4 upper-case hexadecimal digits (contract 22). */
  readonly crc: string;
  readonly sha256: string;
}

/** A multiple of 3, so that the Base64 texts of the chunks concatenate to the Base64 text of the content. */
export const CHUNK_BYTES = 3 * 256 * 1024;

/** CRC of an empty content. */
export const EMPTY_CRC = formatCrc16(0);

/** Initial size of the buffer, which doubles up to `CHUNK_BYTES`. */
const INITIAL_BUFFER_BYTES = 8 * 1024;

/**
 * Splits a stream of bytes into chunks and computes its size and checksums. Copies its input, so that it does not keep
 * the large buffers alive of which a slow client fills only a few bytes each.
 */
export class ContentBuilder {
  readonly #chunks: Uint8Array[] = [];
  readonly #sha256: Hash = createHash('sha256');
  #buffer: Buffer = Buffer.alloc(0);
  #used = 0;
  #size = 0;
  #crc = 0;

  add(bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0;) {
      const taken = rest.subarray(0, CHUNK_BYTES - this.#used);
      this.#grow(this.#used + taken.length);
      this.#buffer.set(taken, this.#used);
      this.#used += taken.length;
      rest = rest.subarray(taken.length);
      if (this.#used === CHUNK_BYTES) this.#cut();
    }
  }

  finish(): NewContent {
    if (this.#used > 0) this.#cut();
    return {
      chunks: this.#chunks,
      size: this.#size,
      crc: formatCrc16(this.#crc),
      sha256: this.#sha256.digest('hex'),
    };
  }

  #grow(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    let size = Math.max(this.#buffer.length, INITIAL_BUFFER_BYTES);
    while (size < bytes) size *= 2;
    const grown = Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES));
    grown.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = grown;
  }

  #cut(): void {
    const chunk = this.#buffer.subarray(0, this.#used);
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    this.#crc = crc16Of(chunk, this.#crc);
    this.#sha256.update(chunk);
    this.#buffer = Buffer.alloc(0);
    this.#used = 0;
  }
}

export function contentOf(bytes: Uint8Array): NewContent {
  const builder = new ContentBuilder();
  builder.add(bytes);
  return builder.finish();
}
