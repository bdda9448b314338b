import crc16xmodem from 'crc/calculators/crc16xmodem';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** HMAC-SHA-256 with a key for one purpose, so that hashes of one purpose reveal nothing about another. */
export class KeyedHash {
  readonly #key: Buffer;
  /** Identifies the key without revealing it: 16 hexadecimal characters. */
  readonly keyId: string;

  constructor(secret: string, purpose: string) {
    this.#key = createHmac('sha256', secret).update(purpose).digest();
    this.keyId = this.of(['key id']).slice(0, 16);
  }

  /** The hash of a list of values as 64 lower-case hexadecimal characters. */
  of(values: readonly (string | number | null)[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(values)).digest('hex');
  }

  isOf(hash: string, values: readonly (string | number | null)[]): boolean {
    const expected = Buffer.from(this.of(values));
    const given = Buffer.from(hash);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }
}

export const ledgerChainHash = (tokenSecret: string): KeyedHash =>
  new KeyedHash(tokenSecret, 'ledger chain, form 1');

/** CRC-16/XMODEM. To compute it chunk by chunk, pass the CRC of the previous chunks as `previous`. */
export const crc16Of = (bytes: Uint8Array, previous = 0): number => crc16xmodem(bytes, previous);

/** The form that terminals compare: 4 upper-case hexadecimal digits, for example `31C3`. */
export const formatCrc16 = (value: number): string => value.toString(16).toUpperCase().padStart(4, '0');

/** A strong ETag, the hash of a whole text: `"1kW8b…"`, with its quotes. */
export function etagOfText(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url')}"`;
}
