import { mayUse, ROLES, type Scope } from '../../platform/caller.js';
import type { Header, ResponseObject } from './problems.js';
import type { Parameter, RequestBody } from './request.js';
import type { Schema } from './schema.js';

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>;
  /** Names of security schemes. Default: those of API tokens. Empty if no token is needed. */
  readonly security?: readonly Readonly<Record<string, readonly []>>[];
  /** Scope that both the token and the user's role must have; absent if none is needed. */
  readonly 'x-scope'?: Scope;
}

const count: Schema = { type: 'integer', minimum: 0 };
export const HEADERS: Readonly<Record<string, Header>> = {
  'X-Rate-Limit-Limit': { description: 'Requests per hour allowed for a client address.', schema: count },
  'X-Rate-Limit-Remaining': { description: 'Requests left in the current hour.', schema: count },
  'X-Rate-Limit-Reset': { description: 'Start of the next hour, in Unix seconds.', schema: count },
  'X-Request-Id': { description: 'Id of the request in the log of the server.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: count },
};

export const COMMON_HEADERS = Object.fromEntries(
  Object.keys(HEADERS)
    .filter((name) => name !== 'Retry-After')
    .map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** Headers of responses to terminals. No X-Rate-Limit headers: terminals are not limited by address. */
export const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

/** The security schemes of API tokens. */
export const API_TOKEN = {
  access_token: { type: 'apiKey', in: 'query', name: 'access_token', description: 'The API token.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same token, outside the URL.' },
};

/** Security schemes of terminals, for `/terminal/v1`. */
export const TERMINAL_TOKEN = {
  device_token: { type: 'http', scheme: 'bearer', description: 'The token of one device.' },
  gateway_token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API token with the scope `terminals`. The header X-Serial-Number names the terminal of each request.',
  },
};

/** Security requirement that lists the schemes as alternatives: a request uses one of them. */
export const oneOf = (schemes: object): readonly Readonly<Record<string, readonly []>>[] =>
  Object.keys(schemes).map((name) => ({ [name]: [] }));

export function scopeText(scope: Scope | null): string {
  if (scope === null) return 'Needs no access token.';
  const roles = ROLES.filter((role) => mayUse({ role, scopes: [scope] }, scope));
  return `Needs the scope \`${scope}\` and a role that has it: ${roles.join(', ')}.`;
}
