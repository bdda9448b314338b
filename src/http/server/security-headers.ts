import type { RequestHandler } from 'express';

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
