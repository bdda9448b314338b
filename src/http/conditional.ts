import type { Request } from 'express';
import { createHash } from 'node:crypto';

/** A strong ETag of a text, made from all of it: `"1kW8b…"`. */
export function etagOfText(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url')}"`;
}

/** Whether a GET or HEAD has the ETag of the response, or `*`, in If-None-Match. */
export function isUnchanged({ method, headers }: Request, etag: string | undefined): boolean {
  const given = headers['if-none-match'];
  if (etag === undefined || given === undefined || !['GET', 'HEAD'].includes(method)) return false;
  return given.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}
