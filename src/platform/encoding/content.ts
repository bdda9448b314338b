import { createHash, type Hash } from 'node:crypto';

import { crc16Of, formatCrc16 } from '../hashes.js';

export interface ContentSums {
  readonly size: number;
  /** CRC-16/XMODEM as 4 upper-case hexadecimal digits (contract 22). */
  readonly crc: string;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

export interface ChunkedContent extends ContentSums {
  /** Chunks of `CHUNK_BYTES`; the last one may be shorter. */
  readonly chunks: readonly Uint8Array[];
}

/** Bytes that are stored, but that no record refers to yet. */
export interface StagedContent extends ContentSums {
  readonly stagedId: number;
  readonly stagedAt: Date;
  /** To be called once a record that refers to them is committed. */
  readonly adopted: () => void;
}

/** Bytes that a client sent: in memory if few, already stored if more. */
export type SentContent = ChunkedContent | StagedContent;

/** A multiple of 3, so that the base64 texts of the chunks join to the base64 text of the whole. */
export const CHUNK_BYTES = 3 * 256 * 1024;

/** Initial size of the buffer; it doubles until a whole chunk fits. */
const INITIAL_BUFFER_BYTES = 8 * 1024;

/**
 * Collects bytes into chunks and computes their sums. Copies its input: it would keep a network buffer for each piece.
 */
export class ContentBuilder {
  #chunks: Uint8Array[] = [];
  readonly #sha256: Hash = createHash('sha256');
  #buffer: Buffer = Buffer.alloc(0);
  #used = 0;
  #size = 0;
  #crc = 0;

  /** @param chunkBytes size of each chunk except the last one. */
  constructor(private readonly chunkBytes: number = CHUNK_BYTES) {}

  get size(): number {
    return this.#size + this.#used;
  }

  add(bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0;) {
      const taken = rest.subarray(0, this.chunkBytes - this.#used);
      this.#growTo(this.#used + taken.length);
      this.#buffer.set(taken, this.#used);
      this.#used += taken.length;
      rest = rest.subarray(taken.length);
      if (this.#used === this.chunkBytes) this.#finishChunk();
    }
  }

  /** Returns and removes the complete chunks. */
  take(): readonly Uint8Array[] {
    const taken = this.#chunks;
    this.#chunks = [];
    return taken;
  }

  /** Ends the content. Returns the chunks that `take` has not returned. */
  finish(): ChunkedContent {
    if (this.#used > 0) this.#finishChunk();
    return {
      chunks: this.#chunks,
      size: this.#size,
      crc: formatCrc16(this.#crc),
      sha256: this.#sha256.digest('hex'),
    };
  }

  #growTo(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    let size = Math.max(this.#buffer.length, INITIAL_BUFFER_BYTES);
    while (size < bytes) size *= 2;
    const larger = Buffer.allocUnsafe(Math.min(size, this.chunkBytes));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
  }

  #finishChunk(): void {
    const chunk = this.#buffer.subarray(0, this.#used);
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    this.#crc = crc16Of(chunk, this.#crc);
    this.#sha256.update(chunk);
    this.#buffer = Buffer.alloc(0);
    this.#used = 0;
  }
}

/** Bytes of a field that were received as a file, or decoded. A class of its own: no JSON text can produce an instance. */
export class SentBytes {
  /** @param content null if the text that was sent is not base64. */
  constructor(readonly content: SentContent | null) {}
}

/**
 * Decodes base64 text in pieces, and passes the bytes to `target`. Line breaks are skipped, since old encoders insert
 * them. Anything else that is not canonical is refused, such as a space, which a form makes of `+`.
 */
export class Base64Content {
  /** Characters of an incomplete group of 4. */
  #pending = '';
  #isPadded = false;
  /** Once the text is invalid, further pieces are ignored. */
  #isValid = true;

  constructor(private readonly target: { add(bytes: Uint8Array): void }) {}

  add(piece: string): void {
    const joined = this.#pending + piece.replace(/[\r\n]+/g, '');
    const end = joined.length - (joined.length % 4);
    const groups = joined.slice(0, end);
    const bytes = Buffer.from(groups, 'base64');
    this.#pending = joined.slice(end);
    this.#isValid &&= (joined === '' || !this.#isPadded) && bytes.toString('base64') === groups;
    this.#isPadded ||= groups.endsWith('=');
    if (this.#isValid) this.target.add(bytes);
  }

  get isBase64(): boolean {
    return this.#isValid && this.#pending === '';
  }
}

/** Bytes of a complete base64 text; null if it is invalid. */
export function contentOfBase64(text: string): ChunkedContent | null {
  const builder = new ContentBuilder();
  const content = new Base64Content(builder);
  content.add(text);
  return content.isBase64 ? builder.finish() : null;
}
