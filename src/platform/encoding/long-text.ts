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
