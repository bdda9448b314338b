/** Maximum bytes passed to a connection at a time. The next ones follow when the client has read these. */
export const PIECE_BYTES = 64 * 1024;

/** The bytes of a text, in buffers of about `PIECE_BYTES`, so that each can be dropped when it is sent. */
export function bufferPieces(text: string): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < text.length;) {
    const isPair = /[\uD800-\uDBFF]/.test(text.charAt(start + PIECE_BYTES - 1));
    const end = start + PIECE_BYTES - (isPair ? 1 : 0);
    pieces.push(Buffer.from(text.slice(start, end)));
    start = end;
  }
  return pieces;
}

/**
 * A text whose encoded bytes all its responses share. The text itself is dropped when the bytes are first
 * read.
 */
export class LongText {
  /** Length in bytes. */
  readonly length: number;
  #form: string | readonly Buffer[];

  constructor(text: string) {
    this.length = Buffer.byteLength(text);
    this.#form = text;
  }

  get pieces(): readonly Buffer[] {
    if (typeof this.#form === 'string') this.#form = bufferPieces(this.#form);
    return this.#form;
  }

  toString(): string {
    return typeof this.#form === 'string' ? this.#form : Buffer.concat(this.#form).toString();
  }
}

/** A text that may be sent more than once. */
export type SharedText = string | LongText;

export function sharedText(text: string): SharedText {
  return text.length > PIECE_BYTES ? new LongText(text) : text;
}
