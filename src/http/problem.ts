import {
  DOMAIN_CODES,
  DomainError,
  type DomainCode,
  type FieldMessages,
  messagesOf,
  TerminalRefused,
} from '../platform/errors.js';
import { snakeCase } from '../platform/validate.js';

/** Codes of errors that occur before a service is called. */
const HTTP_CODES = [
  'malformed',
  'malformed_json',
  'not_found',
  'unknown_version',
  'method_not_allowed',
  'too_slow',
  'too_large',
  'unsupported_encoding',
  'unsupported_charset',
  'unsupported_type',
  'not_multipart',
  'headers_too_large',
  'rate_limited',
  'busy',
] as const;
/** No codes of /v1: its routes read no lines, and send no ranges. */
export const OTHER_CODES = ['not_ndjson', 'stopping', 'range_not_satisfiable'] as const;
export type HttpCode = (typeof HTTP_CODES)[number] | (typeof OTHER_CODES)[number];

/** Every `code` that an error object of /v1 can have (contract 10). */
export const PROBLEM_CODES: readonly string[] = [
  ...new Set<string>([...HTTP_CODES, ...DOMAIN_CODES, 'internal']),
];

/** An error of the transport: its status, code and headers are those of the response. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';

  constructor(
    readonly status: number,
    readonly code: HttpCode,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** Seconds after which a client may try again that has too many requests in progress. */
export const RETRY_SECONDS = 5;

export const rateLimited = (message: string, seconds = RETRY_SECONDS): HttpProblem =>
  new HttpProblem(429, 'rate_limited', message, { 'Retry-After': String(Math.max(1, seconds)) });

export function methodNotAllowed(methods: readonly string[]): HttpProblem {
  const allow = methods.join(', ');
  return new HttpProblem(405, 'method_not_allowed', `Method not allowed: this path has ${allow}.`, {
    Allow: allow,
  });
}

const STATUS: Readonly<Record<DomainCode, number>> = {
  invalid: 422,
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  taken: 409,
  group_not_empty: 409,
  in_use: 409,
  too_many_records: 409,
  stale: 412,
  other_company: 409,
  too_many_attempts: 429,
  idempotency_mismatch: 422,
  busy: 503,
  deadline_exceeded: 503,
  storage_full: 503,
  storage_read_only: 503,
  storage_unavailable: 503,
  db_corrupt: 503,
};

export interface ProblemResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly message: string;
    readonly code: string;
    readonly request_id: string;
    readonly errors?: FieldMessages;
  };
}

/** The error object of any error (contract 10); an unexpected error is 500 and reveals nothing about itself. */
export function problemResponse(error: unknown, requestId: string): ProblemResponse {
  const of = (status: number, code: string, message: string, headers = {}, errors = {}): ProblemResponse => ({
    status,
    headers,
    body: { message, code, request_id: requestId, ...errors },
  });
  if (error instanceof HttpProblem) return of(error.status, error.code, error.message, error.headers);
  if (error instanceof TerminalRefused) return of(403, error.code, error.message);
  if (!(error instanceof DomainError)) return of(500, 'internal', 'Something went wrong on the server.');
  const { code, message, details } = error;
  const headers = {
    ...(details.retryAfter === undefined ? {} : { 'Retry-After': String(details.retryAfter) }),
    ...(code === 'unauthenticated' ? { 'WWW-Authenticate': 'Bearer' } : {}),
  };
  const errors = details.fields === undefined ? {} : { errors: messagesOf(details.fields, snakeCase) };
  return of(STATUS[code], code, message, headers, errors);
}
