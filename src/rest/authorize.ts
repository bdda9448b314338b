import type { Request, Response } from 'express';

import { readToken } from '../http/credential.js';
import { requestContextOf } from '../http/request-context.js';
import { enterCompany } from '../http/server/requests.js';
import { demandScope, type Authenticator, type Caller, type Scope } from '../platform/caller.js';

/** A request with the scope that it needs. */
export interface Access {
  readonly request: Request;
  readonly response: Response;
  /** Query parameters; `access_token` may be one of them. */
  readonly query: ReadonlyMap<string, string>;
  readonly scope: Scope;
}

/** Authenticates the request and counts it for the caller's company. Errors: `busy`, those of `callerOf`. */
export async function authorize(access: Access, authenticator: Authenticator): Promise<Caller> {
  const caller = await callerOf(access, authenticator);
  enterCompany(access.response, caller);
  demandScope(caller, access.scope);
  return caller;
}

/**
 * Authenticates the request again while it is being handled: its token may have been revoked. Errors:
 * `malformed`, `unauthenticated`, `forbidden`.
 */
export async function authorizeAgain(access: Access, authenticator: Authenticator): Promise<Caller> {
  const caller = await callerOf(access, authenticator);
  demandScope(caller, access.scope);
  return caller;
}

async function callerOf({ request, response, query }: Access, authenticator: Authenticator): Promise<Caller> {
  const { ip, requestId } = requestContextOf(response);
  return await authenticator.authenticate(readToken(request, query), { channel: 'api', ip, requestId });
}
