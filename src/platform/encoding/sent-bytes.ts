import { Base64Decoder } from './base64.js';
import { ContentBuilder, type ChunkedContent } from './content-builder.js';

/**
 * Bytes of a field that were read while the request arrived: a file part, or base64 that was decoded. No JSON text
 * can make one.
 */
export class SentBytes {
  /** @param content null if the text that was sent is not base64. */
  constructor(readonly content: ChunkedContent | null) {}
}

/** Base64 text that arrives in pieces; its bytes are kept, the text is not. */
export class Base64Content {
  readonly #decoder = new Base64Decoder();
  #builder: ContentBuilder | null = new ContentBuilder();
  #size = 0;

  /** Bytes decoded so far. */
  get size(): number {
    return this.#size;
  }

  add(piece: string): void {
    const bytes = this.#builder === null ? undefined : this.#decoder.decode(piece);
    if (bytes === undefined) {
      // Nothing of an invalid text is used.
      this.#builder = null;
      return;
    }
    this.#builder?.add(bytes);
    this.#size += bytes.length;
  }

  /** Null if the text is not base64. */
  finish(): ChunkedContent | null {
    return this.#decoder.isComplete ? (this.#builder?.finish() ?? null) : null;
  }
}

/** The bytes of a whole base64 text; null if it is none. */
export function contentOfBase64(text: string): ChunkedContent | null {
  const content = new Base64Content();
  content.add(text);
  return content.finish();
}
