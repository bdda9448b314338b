import { createHash } from 'node:crypto';

/** A strong ETag, the hash of a whole text: `"1kW8b…"`, with its quotes. */
export function etagOfText(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url')}"`;
}
