import { Base64Decoder } from './base64.js';
import { ContentBuilder, type ChunkedContent, type SentContent } from './content-builder.js';

/**
 * Bytes of a field that were read while the request arrived: a file part, or base64 that was decoded. No JSON text
 * can make one.
 */
export class SentBytes {
  /** @param content null if the text that was sent is not base64. */
  constructor(readonly content: SentContent | null) {}
}

/** Base64 text that arrives in pieces; its bytes go to `target`, the text is not kept. */
export class Base64Content {
  readonly #decoder = new Base64Decoder();
  #isValid = true;

  constructor(private readonly target: { add(bytes: Uint8Array): void }) {}

  add(piece: string): void {
    // Nothing of an invalid text is used.
    const bytes = this.#isValid ? this.#decoder.decode(piece) : undefined;
    this.#isValid = bytes !== undefined;
    if (bytes !== undefined) this.target.add(bytes);
  }

  /** Whether the text, which is at its end, is base64. */
  get isBase64(): boolean {
    return this.#isValid && this.#decoder.isComplete;
  }
}

/** The bytes of a whole base64 text; null if it is none. */
export function contentOfBase64(text: string): ChunkedContent | null {
  const builder = new ContentBuilder();
  const content = new Base64Content(builder);
  content.add(text);
  return content.isBase64 ? builder.finish() : null;
}
