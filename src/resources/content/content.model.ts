import { createHash, type Hash } from 'node:crypto';

import { crc16Of, formatCrc16 } from '../../platform/crc16.js';

/** Bytes that a file or an app version owns; they never change, a change makes new ones. */
export interface Content {
  readonly id: number;
  readonly size: number;
  readonly crc: string;
  readonly sha256: string;
}

export interface NewContent {
  /** In pieces of `CHUNK_BYTES`, the last one shorter. */
  readonly chunks: readonly Uint8Array[];
  readonly size: number;
  /** CRC-16/XMODEM as 4 upper-case hexadecimal digits (decision 22). */
  readonly crc: string;
  readonly sha256: string;
}

/** A multiple of 3, so that the base64 of the pieces joins to the base64 of the whole. */
export const CHUNK_BYTES = 3 * 256 * 1024;

/** CRC of no bytes at all. */
export const EMPTY_CRC = formatCrc16(0);

/** Gathers bytes as they come, in pieces, with size and sums made on the way. */
export class ContentBuilder {
  readonly #chunks: Uint8Array[] = [];
  readonly #sha256: Hash = createHash('sha256');
  #open: Uint8Array[] = [];
  #openBytes = 0;
  #size = 0;
  #crc = 0;

  add(bytes: Uint8Array): void {
    this.#size += bytes.length;
    this.#crc = crc16Of(bytes, this.#crc);
    this.#sha256.update(bytes);
    this.#open.push(bytes);
    this.#openBytes += bytes.length;
    if (this.#openBytes >= CHUNK_BYTES) this.#cut();
  }

  finish(): NewContent {
    if (this.#openBytes > 0) this.#chunks.push(Buffer.concat(this.#open));
    return {
      chunks: this.#chunks,
      size: this.#size,
      crc: formatCrc16(this.#crc),
      sha256: this.#sha256.digest('hex'),
    };
  }

  #cut(): void {
    let joined = Buffer.concat(this.#open);
    for (; joined.length >= CHUNK_BYTES; joined = joined.subarray(CHUNK_BYTES)) {
      this.#chunks.push(joined.subarray(0, CHUNK_BYTES));
    }
    this.#open = [joined];
    this.#openBytes = joined.length;
  }
}

export function contentOf(bytes: Uint8Array): NewContent {
  const builder = new ContentBuilder();
  builder.add(bytes);
  return builder.finish();
}
