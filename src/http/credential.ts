import type { Request } from 'express';

import { headerOf } from './headers.js';
import { malformed } from './query.js';

/** Query parameter that can carry the API token in requests to `/v1`. */
const TOKEN_PARAMETER = 'access_token';

/** The token in `Authorization: Bearer`. */
export function bearerToken(request: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headerOf(request, 'authorization') ?? '')?.[1];
}

/** Token in `?access_token=` or `Authorization: Bearer` (contract 5); 400 if both are given and differ. */
export function readToken(request: Request, query: ReadonlyMap<string, string>): string | undefined {
  const header = bearerToken(request);
  const parameter = query.get(TOKEN_PARAMETER);
  if (header !== undefined && parameter !== undefined && header !== parameter) {
    throw malformed(
      'The access tokens in the query and in the Authorization header are two different ones: send one.',
    );
  }
  return parameter ?? header;
}
