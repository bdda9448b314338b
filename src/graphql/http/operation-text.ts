import type { Request } from 'express';

import { readQuery } from '../../http/request.js';
import { parsedJson } from '../../platform/encoding/json.js';
import { isIdempotencyKey } from '../../platform/requests.js';
import type { Variables } from '../limits/cost.js';
import { operationRefused, type OperationRefused } from '../limits/limits.js';
import type { OperationText } from '../operation.js';

export type Json = Readonly<Record<string, unknown>>;

/** An operation as JSON: `{ query, variables, operationName }`. Throws `OperationRefused`. */
export function readOperationText({ query, variables, operationName }: Json): OperationText {
  if (typeof query !== 'string' || query === '')
    throw operationRefused('BAD_REQUEST', '"query" must be a text that is not empty.');
  // PHP writes a map without entries as an empty list.
  const isNone = variables == null || (Array.isArray(variables) && variables.length === 0);
  if (!isNone && !isObjectOrNothing(variables)) throw noObject('variables');
  if (operationName != null && (typeof operationName !== 'string' || operationName === '')) {
    throw operationRefused(
      'BAD_REQUEST',
      '"operationName" must be the name of an operation in "query", as a text that is not empty. Leave it out for the only operation.',
    );
  }
  return {
    query,
    variables: isNone ? {} : (variables as Variables),
    operationName: operationName ?? null,
  };
}

/** Body of a POST, or query string of a GET with objects as JSON texts. Throws `OperationRefused`. */
export function sentBy({ method, originalUrl, body }: Request): Json {
  const sent = method === 'GET' ? fromQuery(originalUrl) : (body as Json);
  if (!isObjectOrNothing(sent.extensions)) throw noObject('extensions');
  return sent;
}

function fromQuery(url: string): Json {
  const { variables, extensions, ...sent } = Object.fromEntries(readQuery(url));
  return { ...sent, ...parsed('variables', variables), ...parsed('extensions', extensions) };
}

function parsed(name: string, text: string | undefined): Json {
  if (text === undefined) return {};
  const value = parsedJson(text);
  if (value === undefined) throw noObject(name);
  return { [name]: value };
}

function noObject(name: string): OperationRefused {
  return operationRefused('BAD_REQUEST', `"${name}" must be a JSON object, for example {"id":"R3JvdXA6MQ"}.`);
}

const isObjectOrNothing = (value: unknown): boolean =>
  value == null || (typeof value === 'object' && !Array.isArray(value));

/** `extensions.idempotencyKey` of an operation over a socket, which has headers in its handshake only. */
export function idempotencyKeyOf({ extensions }: Json): string | null {
  const key = (extensions as Json | null | undefined)?.idempotencyKey;
  if (key == null) return null;
  if (typeof key === 'string' && isIdempotencyKey(key)) return key;
  throw operationRefused(
    'BAD_REQUEST',
    'An idempotencyKey has 1 to 255 printable ASCII characters and no spaces.',
  );
}
