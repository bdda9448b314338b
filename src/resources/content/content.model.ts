import { createHash, type Hash } from 'node:crypto';

import { crc16Of, formatCrc16 } from '../../platform/encoding/crc16.js';

/** Bytes that a file or an app version is to own; once kept they never change, a change makes new ones. */
export interface NewContent {
  /** In pieces of `CHUNK_BYTES`, the last one shorter. */
  readonly chunks: readonly Uint8Array[];
  readonly size: number;
  /** CRC-16/XMODEM as 4 upper-case hexadecimal digits (contract 22). */
  readonly crc: string;
  readonly sha256: string;
}

/** A multiple of 3, so that the base64 of the pieces joins to the base64 of the whole. */
export const CHUNK_BYTES = 3 * 256 * 1024;

/** CRC of no bytes at all. */
export const EMPTY_CRC = formatCrc16(0);

/** Room for the first bytes; it doubles until a whole piece fits. */
const FIRST_ROOM_BYTES = 8 * 1024;

/**
 * Gathers bytes as they come, in pieces, with size and sums made on the way. What is given is copied: of a
 * client that sends a byte at a time no more is held than its bytes.
 */
export class ContentBuilder {
  readonly #chunks: Uint8Array[] = [];
  readonly #sha256: Hash = createHash('sha256');
  #room: Buffer = Buffer.alloc(0);
  #used = 0;
  #size = 0;
  #crc = 0;

  add(bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0;) {
      const taken = rest.subarray(0, CHUNK_BYTES - this.#used);
      this.#makeRoom(this.#used + taken.length);
      this.#room.set(taken, this.#used);
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

  #makeRoom(bytes: number): void {
    if (bytes <= this.#room.length) return;
    let room = Math.max(this.#room.length, FIRST_ROOM_BYTES);
    while (room < bytes) room *= 2;
    const wider = Buffer.allocUnsafe(Math.min(room, CHUNK_BYTES));
    wider.set(this.#room.subarray(0, this.#used));
    this.#room = wider;
  }

  #cut(): void {
    const chunk = this.#room.subarray(0, this.#used);
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    this.#crc = crc16Of(chunk, this.#crc);
    this.#sha256.update(chunk);
    this.#room = Buffer.alloc(0);
    this.#used = 0;
  }
}

export function contentOf(bytes: Uint8Array): NewContent {
  const builder = new ContentBuilder();
  builder.add(bytes);
  return builder.finish();
}
