import type { Request } from 'express';

import { DomainError } from '../../platform/errors.js';

/**
 * Refuses pages of other sites: browsers open sockets and streams for them without a CORS preflight, and send their
 * Origin. Programs send none.
 */
export function demandOwnOrigin(request: Request): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  const host = hostOf(origin);
  if (host !== undefined && host === hostOf(`http://${request.host}`)) return;
  throw new DomainError(
    'forbidden',
    `Origin ${origin} is not allowed: connect from a page of this server, or from a program.`,
  );
}

/** Undefined for the opaque origin `null`. */
function hostOf(origin: string): string | undefined {
  if (!URL.canParse(origin)) return undefined;
  // Browsers leave out the default port of the scheme in both headers.
  const { host, hostname, port } = new URL(origin);
  return port === '443' ? hostname : host;
}
