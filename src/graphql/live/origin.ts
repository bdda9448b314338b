import type { Request } from 'express';

import { DomainError } from '../../platform/errors.js';

/**
 * A browser says from which site the page is that opens a socket or a stream, and asks nobody first. Pages of other
 * sites are refused; programs say nothing of the kind.
 */
export function demandOwnOrigin(request: Request): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  const host = hostOf(origin);
  if (host !== undefined && host === hostOf(`http://${request.host}`)) return;
  throw new DomainError('forbidden', 'Pages of other sites may not ask here.');
}

/** Undefined where there is none, as for `null`. */
function hostOf(origin: string): string | undefined {
  if (!URL.canParse(origin)) return undefined;
  // The port that the scheme stands for is left out by browsers, in both headers.
  const { host, hostname, port } = new URL(origin);
  return port === '443' ? hostname : host;
}
