/** Bytes that are given to a connection at a time. The next ones follow when its client has taken these. */
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

/** A text as the bytes that are sent. Responses that have it in common share them. */
export class LongText {
  /** Bytes. */
  readonly length: number;

  constructor(readonly pieces: readonly Buffer[]) {
    this.length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  between(before: string, after: string): LongText {
    return new LongText([Buffer.from(before), ...this.pieces, Buffer.from(after)]);
  }

  toString(): string {
    return Buffer.concat(this.pieces).toString();
  }
}

/** A text that may be sent more than once. */
export type SharedText = string | LongText;

export function sharedText(text: string): SharedText {
  return text.length > PIECE_BYTES ? new LongText(bufferPieces(text)) : text;
}

/** The text between two others. */
export function textBetween(before: string, text: SharedText, after: string): SharedText {
  return typeof text === 'string' ? before + text + after : text.between(before, after);
}
