import type { RequestHandler } from 'express';

import { readQuery } from '../../http/query.js';
import type { Variables } from '../limits/cost.js';
import { operationRefused } from '../limits/limits.js';

export interface OperationText {
  readonly query: string;
  readonly variables: Variables;
  readonly operationName: string | null;
}

type Sent = Readonly<Record<string, unknown>>;

/** Reads an operation as a client sends it, in JSON. Throws a `Refusal`. */
export function readOperationText(sent: Sent): OperationText {
  const { query, variables, operationName } = sent;
  if (typeof query !== 'string' || query === '')
    throw operationRefused('BAD_REQUEST', 'Send the operation as a text, "query".');
  if (!isObjectOrNothing(variables)) throw operationRefused('BAD_REQUEST', '"variables" must be an object.');
  if (operationName != null && typeof operationName !== 'string') {
    throw operationRefused('BAD_REQUEST', '"operationName" must be a text.');
  }
  return { query, variables: (variables ?? {}) as Variables, operationName: operationName ?? null };
}

/** Reads an operation as a URL has it: its objects as JSON. Throws a `Refusal`. */
export function sentInQuery(url: string): Sent {
  const { variables, extensions, ...sent } = Object.fromEntries(readQuery(url));
  return { ...sent, ...parsed('variables', variables), ...parsed('extensions', extensions) };
}

function parsed(name: string, text: string | undefined): Sent {
  if (text === undefined) return {};
  try {
    return { [name]: JSON.parse(text) as unknown };
  } catch {
    throw operationRefused('BAD_REQUEST', `"${name}" must be JSON.`);
  }
}

const isObjectOrNothing = (value: unknown): boolean =>
  value == null || (typeof value === 'object' && !Array.isArray(value));

/** Refuses what is no operation for one answer, in our words, before anybody looks at what it asks for. */
export const demandText: RequestHandler = (request, _response, next) => {
  const sent = request.method === 'GET' ? sentInQuery(request.originalUrl) : (request.body as Sent);
  if (!isObjectOrNothing(sent.extensions))
    throw operationRefused('BAD_REQUEST', '"extensions" must be an object.');
  // The text of a persisted query may be here already.
  const { persistedQuery } = (sent.extensions ?? {}) as Sent;
  readOperationText(persistedQuery == null ? sent : { query: 'persisted', ...sent });
  next();
};
