import type { Request, RequestHandler } from 'express';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/**
 * The value of a request's header; `name` in lower case. Each order in which clients send their headers gives `headers` another
 * hidden class. V8 compiles code that names a property for the classes seen so far, and again at the next one; with
 * the name as a parameter it looks the property up, whatever the class.
 */
export function headerOf<Name extends Lowercase<string>>(
  { headers }: Pick<IncomingMessage, 'headers'>,
  name: Name,
): IncomingHttpHeaders[Name] {
  return headers[name];
}

/** Whether a GET or HEAD has the ETag of the response, or `*`, in If-None-Match. */
export function isUnchanged(request: Request, etag: string | undefined): boolean {
  const given = headerOf(request, 'if-none-match');
  if (etag === undefined || given === undefined || !['GET', 'HEAD'].includes(request.method)) return false;
  return given.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}

/** Bytes from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Range that a Range header requests from a content of `size` bytes: `bytes=0-499`, `bytes=500-` or
 * `bytes=-500`. Null for the whole content: no header, several ranges, or an invalid one, as RFC 9110 allows.
 */
export function byteRangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes *= *(\d*) *- *(\d*) *$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

/** On every response, whatever its status (contract 15). */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** `secure`: the server itself terminates TLS; adds Strict-Transport-Security. */
export function securityHeaders(secure: boolean): RequestHandler {
  const headers = new Map(Object.entries(SECURITY_HEADERS));
  if (secure) headers.set('Strict-Transport-Security', 'max-age=31536000');
  return (_request, response, next) => {
    response.setHeaders(headers);
    next();
  };
}
