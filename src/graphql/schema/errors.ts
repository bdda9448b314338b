import { GraphQLError } from 'graphql';

import { DomainError, type DomainCode, messagesOf, type Refusal } from '../../platform/errors.js';
import type { Problem } from '../../platform/rules.js';

/** BAD_USER_INPUT for an invalid request. `details` become extensions, for example `{ limit, maximum, actual }`. */
export function requestError(message: string, details: object = {}): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', ...details } });
}

export type UserErrorCode =
  | 'INVALID'
  | 'TAKEN'
  | 'NOT_FOUND'
  | 'NOT_EMPTY'
  | 'IN_USE'
  | 'TOO_MANY_RECORDS'
  | 'STALE';

/** Kind and code of each domain error: `userErrors` or `errors` (decisions.md#error-tables). */
const CODES: Readonly<Record<DomainCode, { readonly user: UserErrorCode } | { readonly top: string }>> = {
  invalid: { user: 'INVALID' },
  taken: { user: 'TAKEN' },
  not_found: { user: 'NOT_FOUND' },
  group_not_empty: { user: 'NOT_EMPTY' },
  in_use: { user: 'IN_USE' },
  too_many_records: { user: 'TOO_MANY_RECORDS' },
  stale: { user: 'STALE' },
  other_company: { top: 'OTHER_COMPANY' },
  malformed: { top: 'BAD_USER_INPUT' },
  unauthenticated: { top: 'UNAUTHENTICATED' },
  forbidden: { top: 'FORBIDDEN' },
  too_many_attempts: { top: 'RATE_LIMITED' },
  idempotency_mismatch: { top: 'IDEMPOTENCY_MISMATCH' },
  busy: { top: 'UNAVAILABLE' },
  deadline_exceeded: { top: 'DEADLINE_EXCEEDED' },
  storage_full: { top: 'STORAGE_FULL' },
  storage_read_only: { top: 'UNAVAILABLE' },
  storage_unavailable: { top: 'UNAVAILABLE' },
  db_corrupt: { top: 'UNAVAILABLE' },
};

export interface UserErrorShape extends Problem {
  /** Path from the arguments to the invalid value, for example `['input', 'name']`. */
  readonly path: readonly string[];
  readonly code: UserErrorCode;
  /** The present record of a STALE error, with its type name. */
  readonly current: object | null;
}

/** Path of the invalid argument, for errors that name no field. */
const ARGUMENTS: Partial<Readonly<Record<DomainCode, readonly string[]>>> = {
  not_found: ['id'],
  stale: ['ifMatch'],
  in_use: ['force'],
};

/** Path of the fields that a domain error names: a prefix, or a function of the field. */
export type Within = readonly string[] | ((field: string) => readonly string[]);

/** A refusal with the code of this API; where that says all, it stands for the rule. */
export function shownRefusal(refusal: Refusal): Omit<UserErrorShape, 'path' | 'current'> {
  const mapped = CODES[refusal.code];
  const code = 'user' in mapped ? mapped.user : 'INVALID';
  return { ...refusal, code, rule: refusal.rule ?? refusal.code };
}

/** One entry for each field of an error that the client can correct; undefined for other errors. */
export function userErrorsOf(
  error: unknown,
  within: Within = ['input'],
): readonly UserErrorShape[] | undefined {
  if (!(error instanceof DomainError)) return undefined;
  const mapped = CODES[error.code];
  if (!('user' in mapped)) return undefined;
  const { fields, current = null } = error.details;
  const entry = (problem: Problem, path: readonly string[]): UserErrorShape => ({
    ...shownRefusal({ ...problem, code: error.code }),
    path,
    current,
  });
  if (fields === undefined) return [entry(error.problem, ARGUMENTS[error.code] ?? [])];
  const pathOf = typeof within === 'function' ? within : (field: string) => [...within, field];
  return Object.entries(fields).flatMap(([field, problems]) =>
    problems.map((problem) => entry(problem, field === 'id' ? ['id'] : pathOf(field))),
  );
}

export async function foundOrNull<T>(get: () => Promise<T | null>): Promise<T | null> {
  try {
    return await get();
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_found') return null;
    throw error;
  }
}

export function topLevelError(error: DomainError): GraphQLError {
  const mapped = CODES[error.code];
  const code = 'top' in mapped ? mapped.top : mapped.user === 'INVALID' ? 'BAD_USER_INPUT' : mapped.user;
  const { retryAfter, fields } = error.details;
  const details = {
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(error.code === 'invalid' && fields !== undefined ? { fields: messagesOf(fields) } : {}),
  };
  return new GraphQLError(error.message, { extensions: { code, ...details }, originalError: error });
}
