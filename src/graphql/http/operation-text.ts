import type { Request, RequestHandler } from 'express';

import { readQuery } from '../../http/query.js';
import type { Variables } from '../limits/cost.js';
import { operationRefused, type OperationRefused } from '../limits/limits.js';

export interface OperationText {
  readonly query: string;
  readonly variables: Variables;
  readonly operationName: string | null;
}

type Sent = Readonly<Record<string, unknown>>;

/** An operation as JSON: `{ query, variables, operationName }`. Throws `OperationRefused`. */
export function readOperationText(sent: Sent): OperationText {
  const { query, variables, operationName } = sent;
  if (typeof query !== 'string' || query === '')
    throw operationRefused('BAD_REQUEST', '"query" must be a text that is not empty.');
  if (!isNone(variables) && !isObjectOrNothing(variables)) throw noObject('variables');
  if (operationName != null && (typeof operationName !== 'string' || operationName === '')) {
    throw operationRefused(
      'BAD_REQUEST',
      '"operationName" must be the name of an operation in "query", as a text that is not empty. Leave it out for the only operation.',
    );
  }
  return {
    query,
    variables: (isNone(variables) ? {} : variables) as Variables,
    operationName: operationName ?? null,
  };
}

/** Body of a POST, or query string of a GET with objects as JSON texts. Throws `OperationRefused`. */
export function sentBy({ method, originalUrl, body }: Request): Sent {
  if (method !== 'GET') return body as Sent;
  const { variables, extensions, ...sent } = Object.fromEntries(readQuery(originalUrl));
  return { ...sent, ...parsed('variables', variables), ...parsed('extensions', extensions) };
}

function parsed(name: string, text: string | undefined): Sent {
  if (text === undefined) return {};
  try {
    return { [name]: JSON.parse(text) as unknown };
  } catch {
    throw noObject(name);
  }
}

function noObject(name: string): OperationRefused {
  return operationRefused('BAD_REQUEST', `"${name}" must be a JSON object, for example {"id":"R3JvdXA6MQ"}.`);
}

/** PHP writes a map without entries as an empty list. */
const isNone = (variables: unknown): boolean =>
  variables == null || (Array.isArray(variables) && variables.length === 0);

const isObjectOrNothing = (value: unknown): boolean =>
  value == null || (typeof value === 'object' && !Array.isArray(value));

/** Refuses a request without an operation, before Apollo would with messages of its own. */
export const demandText: RequestHandler = (request, _response, next) => {
  const sent = sentBy(request);
  if (!isObjectOrNothing(sent.extensions)) throw noObject('extensions');
  // The text of a persisted query may be known already.
  const { persistedQuery } = (sent.extensions ?? {}) as Sent;
  readOperationText(persistedQuery == null ? sent : { query: 'persisted', ...sent });
  if (isNone(sent.variables)) withoutVariables(request);
  next();
};

/** Apollo reads the request itself, and takes no list. */
function withoutVariables(request: Request): void {
  if (request.method === 'GET') request.url = request.url.replace(/([?&]variables=)[^&]*/, '$1%7B%7D');
  else request.body = { ...(request.body as Sent), variables: {} };
}
