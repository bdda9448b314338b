import type { Request } from 'express';

import { DEFAULT_PER_PAGE, MAX_PER_PAGE, type PageRequest } from '../platform/requests.js';
import { headerOf } from './headers.js';
import { HttpProblem } from './problem.js';

/** Parameters of the query string by name. 400 if one is repeated or not well encoded. */
export function readQuery(url: string): ReadonlyMap<string, string> {
  const start = url.indexOf('?');
  const query = new Map<string, string>();
  if (start === -1) return query;
  for (const pair of url.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    // Messages never contain a name that a client sent: it may be a mistyped secret.
    if (/[[\]]/.test(name))
      throw malformed('A query parameter must be a plain value, not a list or an object.');
    if (query.has(name)) throw malformed('A query parameter is given more than once.');
    query.set(name, equals === -1 ? '' : decode(pair.slice(equals + 1)));
  }
  return query;
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed('The query string is not percent-encoded UTF-8.');
  }
}

export function malformed(message: string): HttpProblem {
  return new HttpProblem(400, 'malformed', message);
}

/** `page` and `per_page` (contract 13): positive integers; `per_page` above 100 counts as 100. */
export function readPage(query: ReadonlyMap<string, string>): PageRequest {
  return {
    page: positive(query, 'page', 1),
    perPage: Math.min(positive(query, 'per_page', DEFAULT_PER_PAGE), MAX_PER_PAGE),
  };
}

function positive(query: ReadonlyMap<string, string>, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === undefined) return fallback;
  if (!/^[1-9][0-9]*$/.test(text))
    throw malformed(`Query parameter "${name}" must be a positive whole number.`);
  // Larger than any list; keeps the offset a safe integer.
  return Math.min(Number(text), 2 ** 40);
}

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
