import { PROBLEM_CODES } from '../../http/problem.js';
import type { Route } from '../route.js';
import type { Schema } from './schema.js';

export interface Header {
  readonly description: string;
  readonly schema: Schema;
}

export interface AnswerObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** The error object (contract 10). */
export const ErrorSchema: Schema = {
  type: 'object',
  description: 'Every answer that is not a success.',
  properties: {
    message: { type: 'string', description: 'For people.' },
    code: { type: 'string', description: 'For programs; stable.', enum: PROBLEM_CODES },
    request_id: { type: 'string', description: 'Also in X-Request-Id; the log of the server has it.' },
    errors: {
      type: 'object',
      description: 'Messages by field.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
  },
  required: ['message', 'code', 'request_id'],
  additionalProperties: false,
};

const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };

interface Problem {
  readonly name: string;
  readonly description: string;
  readonly headers?: AnswerObject['headers'];
}

const PROBLEMS: Readonly<Record<number, Problem>> = {
  400: { name: 'Malformed', description: 'The request or a query parameter is malformed.' },
  401: {
    name: 'Unauthenticated',
    description: 'No valid access token, or a wrong e-mail address or password.',
    headers: {
      'WWW-Authenticate': { description: 'Bearer', schema: { type: 'string' } },
    },
  },
  403: { name: 'Forbidden', description: 'The role or the scope of the token does not cover the call.' },
  404: { name: 'NotFound', description: 'There is no such record in the company.' },
  405: {
    name: 'MethodNotAllowed',
    description: 'The path has other methods.',
    headers: { Allow: { description: 'The methods of the path.', schema: { type: 'string' } } },
  },
  408: { name: 'TooSlow', description: 'The body did not come in time.' },
  409: { name: 'Conflict', description: 'In conflict with the present state: a duplicate, a group in use.' },
  412: { name: 'Stale', description: 'The record is no longer the one that If-Match names.' },
  413: { name: 'TooLarge', description: 'The body, or the file in it, is too large.' },
  415: { name: 'UnsupportedEncoding', description: 'The body is compressed, or not UTF-8.' },
  422: { name: 'Invalid', description: 'A field is not valid: `errors` says which and why.' },
  429: { name: 'RateLimited', description: 'Too many requests.', headers: RETRY_AFTER },
  431: { name: 'HeadersTooLarge', description: 'The headers, or the URL, are too large.' },
  500: { name: 'Unexpected', description: 'Something went wrong on the server; the log has the request id.' },
  503: {
    name: 'Unavailable',
    description: 'The storage is busy, full or out of order. Nothing was changed.',
    headers: RETRY_AFTER,
  },
};

/** Whatever the call: any method may carry a body (contract 1). */
const ALWAYS = [400, 408, 413, 415, 422, 429, 431, 500, 503];

/** The statuses of a route's refusals, ascending. */
export function problemStatuses(route: Route): readonly number[] {
  const names = route.path.includes('{');
  return [
    ...ALWAYS,
    ...(route.scope === null ? [401] : [401, 403]),
    ...(names || route.owned === true ? [404] : []),
    ...('write' in route ? [409] : []),
    ...('write' in route && route.method !== 'POST' ? [412] : []),
  ].sort((a, b) => a - b);
}

export function problemReference(status: number): { readonly $ref: string } {
  return { $ref: `#/components/responses/${PROBLEMS[status]?.name ?? ''}` };
}

/** The shared answers, by name; `headers` stand on each. */
export function problemResponses(
  headers: NonNullable<AnswerObject['headers']>,
): Readonly<Record<string, AnswerObject>> {
  const schema = { $ref: '#/components/schemas/Error' };
  return Object.fromEntries(
    Object.values(PROBLEMS).map(({ name, description, headers: own = {} }) => [
      name,
      { description, headers: { ...headers, ...own }, content: { 'application/json': { schema } } },
    ]),
  );
}
