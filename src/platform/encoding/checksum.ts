import crc16xmodem from 'crc/calculators/crc16xmodem';
import { createHash } from 'node:crypto';

/** CRC-16/XMODEM. To compute it chunk by chunk, pass the CRC of the previous chunks as `previous`. */
export function crc16Of(bytes: Uint8Array, previous = 0): number {
  return crc16xmodem(bytes, previous);
}

/** The form that terminals compare: 4 upper-case hexadecimal digits, for example `31C3`. */
export function formatCrc16(value: number): string {
  return value.toString(16).toUpperCase().padStart(4, '0');
}

/** A strong ETag, the hash of a whole text: `"1kW8b…"`, with its quotes. */
export function etagOfText(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url')}"`;
}
