import { OTHER_CODES, PROBLEM_CODES } from '../../http/problem.js';
import { REFUSAL_CODES } from '../../platform/terminal.js';
import type { RouteBase } from '../router.js';
import type { Schema } from './schema.js';

export interface Header {
  readonly description: string;
  readonly schema: Schema;
}

export interface Reference {
  readonly $ref: string;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

const ELSEWHERE: readonly string[] = [...OTHER_CODES, ...REFUSAL_CODES];

const listed = (codes: readonly string[]): string => codes.map((code) => `\`${code}\``).join(', ');

/** The error object (contract 10). */
export const ErrorSchema: Schema = {
  type: 'object',
  description: 'Every error response.',
  properties: {
    message: { type: 'string', description: 'What is wrong, for people.' },
    code: {
      type: 'string',
      description: `What is wrong, for programs; stable. ${listed(ELSEWHERE)} are not codes of /v1.`,
      enum: [...PROBLEM_CODES, ...ELSEWHERE],
    },
    request_id: { type: 'string', description: 'Same as X-Request-Id; the log of the server has it.' },
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

type Problem = readonly [name: string, description: string, headers?: ResponseObject['headers']];

const textHeader = (name: string, description: string): ResponseObject['headers'] => ({
  [name]: { description, schema: { type: 'string' } },
});
const CHALLENGE = textHeader('WWW-Authenticate', 'Bearer');
const UNAUTHENTICATED = 'No valid access token, or a wrong e-mail address or password.';
const FORBIDDEN = 'The role or the scope of the token does not cover the call.';
const NO_METHOD = 'The path does not have this method; Allow lists those it has.';
const CONFLICT = 'Conflict with the present state: a duplicate, or a group in use.';
const ENCODING =
  'The body is compressed, its charset is not UTF-8, or its Content-Type lists several types or is not the one of the call.';
const INVALID = 'A field is not valid. `errors` has the messages by field.';
const UNEXPECTED = 'Internal error. The log of the server has the details under the request id.';
const UNAVAILABLE = 'The storage is busy, full or unavailable. Nothing was changed.';

const PROBLEMS: Readonly<Record<number, Problem>> = {
  400: ['Malformed', 'The request or a query parameter is malformed.'],
  401: ['Unauthenticated', UNAUTHENTICATED, CHALLENGE],
  403: ['Forbidden', FORBIDDEN],
  404: ['NotFound', 'There is no such record in the company.'],
  405: ['MethodNotAllowed', NO_METHOD, textHeader('Allow', 'Methods of the path.')],
  408: ['TooSlow', 'The body did not arrive in time.'],
  409: ['Conflict', CONFLICT],
  412: ['Stale', 'If-Match is not the current ETag of the record.'],
  413: ['TooLarge', 'The body, or the file in it, is too large.'],
  415: ['UnsupportedEncoding', ENCODING],
  416: ['NoSuchRange', 'The range begins after the last byte.'],
  422: ['Invalid', INVALID],
  429: ['RateLimited', 'Too many requests.', RETRY_AFTER],
  431: ['HeadersTooLarge', 'The headers, or the URL, are too large.'],
  500: ['Unexpected', UNEXPECTED],
  503: ['Unavailable', UNAVAILABLE, RETRY_AFTER],
};

const REFUSED = `The terminal may not use the service: ${listed(REFUSAL_CODES)}. Or the token may not be used for it: \`forbidden\`.`;

/** Error responses of terminal routes that differ from those of /v1. */
const TERMINAL_PROBLEMS: Readonly<Record<number, Problem>> = {
  401: ['TerminalUnauthenticated', 'No valid device or gateway token.', CHALLENGE],
  403: ['TerminalRefused', REFUSED],
};

/** Statuses of every route. Routes that read a body may have more; any method of /v1 may carry one (contract 1). */
const ALWAYS = [400, 401, 429, 431, 500, 503];
const WITH_BODY = [408, 413, 415, 422];

/** The error responses of a route by status. */
export function problemsOf(route: RouteBase, readsBody: boolean): Readonly<Record<number, Reference>> {
  const names = route.path.includes('{') || route.ownerSelector !== undefined;
  const changes = 'write' in route;
  const statuses = [
    ...ALWAYS,
    ...(route.scope === null ? [] : [403]),
    ...(readsBody ? WITH_BODY : []),
    ...(names ? [404] : []),
    ...(changes ? [409] : []),
    ...(changes && route.method !== 'POST' ? [412] : []),
    ...(route.errors ?? []),
  ];
  const own = route.scope === 'terminals' ? { ...PROBLEMS, ...TERMINAL_PROBLEMS } : PROBLEMS;
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${own[status]?.[0] ?? ''}` }]),
  );
}

/** Error responses by name. Each has the common `headers` and those of its own status. */
export function problemResponses(
  headers: NonNullable<ResponseObject['headers']>,
): Readonly<Record<string, ResponseObject>> {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const problems = [...Object.values(PROBLEMS), ...Object.values(TERMINAL_PROBLEMS)];
  return Object.fromEntries(
    problems.map(([name, description, own]) => [
      name,
      { description, headers: { ...headers, ...own }, content },
    ]),
  );
}
