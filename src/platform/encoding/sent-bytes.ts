import { Base64Decoder } from './base64.js';
import { ContentBuilder, type ChunkedContent, type SentContent } from './content-builder.js';

/**
 * Bytes of a field that were read while the request arrived: a file part, or decoded base64. A class of its
 * own, because no JSON text can produce an instance.
 */
export class SentBytes {
  /** @param content null if the text that was sent is not base64. */
  constructor(readonly content: SentContent | null) {}
}

/** Decodes base64 text that arrives in pieces, and passes the bytes to `target`. The text is not stored. */
export class Base64Content {
  readonly #decoder = new Base64Decoder();
  #isValid = true;

  constructor(private readonly target: { add(bytes: Uint8Array): void }) {}

  add(piece: string): void {
    // Once the text is invalid, further pieces are ignored.
    const bytes = this.#isValid ? this.#decoder.decode(piece) : undefined;
    this.#isValid = bytes !== undefined;
    if (bytes !== undefined) this.target.add(bytes);
  }

  /** Whether the complete text is base64. */
  get isBase64(): boolean {
    return this.#isValid && this.#decoder.isComplete;
  }
}

/** Bytes of a complete base64 text; null if it is invalid. */
export function contentOfBase64(text: string): ChunkedContent | null {
  const builder = new ContentBuilder();
  const content = new Base64Content(builder);
  content.add(text);
  return content.isBase64 ? builder.finish() : null;
}
