/**
 * Decodes base64 (standard alphabet, with padding) that arrives in pieces. Line breaks are skipped, since old
 * encoders insert them. Anything else that is not canonical is refused: a space, since a form field turns `+`
 * into one, or unused bits set.
 */
export class Base64Decoder {
  /** Characters of an incomplete group of 4. */
  #pending = '';
  #isPadded = false;

  /** Whether the text so far ends with a complete group. */
  get isComplete(): boolean {
    return this.#pending === '';
  }

  /** The bytes of the groups that the piece completes; undefined if it is not base64. */
  decode(piece: string): Buffer | undefined {
    const joined = this.#pending + piece.replace(/[\r\n]+/g, '');
    const end = joined.length - (joined.length % 4);
    const groups = joined.slice(0, end);
    this.#pending = joined.slice(end);
    if (this.#isPadded && joined !== '') return undefined;
    this.#isPadded = groups.endsWith('=');
    const bytes = Buffer.from(groups, 'base64');
    return bytes.toString('base64') === groups ? bytes : undefined;
  }
}
