import { GraphQLError } from 'graphql';

import { DomainError, type DomainCode } from '../../platform/errors.js';

/** A request that a caller can only mend by asking otherwise. */
export function requestError(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

/** More bytes than one operation answers over its transport. */
export function beyondContent(bytes: number, maximum: number): GraphQLError {
  return new GraphQLError(
    `An operation answers at most ${maximum} bytes of content in all here, not ${bytes}: REST streams each file.`,
    { extensions: { code: 'BAD_USER_INPUT', limit: 'contentBytes', maximum } },
  );
}

/** Codes of `userErrors`, for what a caller can mend; other codes become errors of the whole field. */
export const USER_ERROR_CODES = {
  INVALID: 'INVALID',
  TAKEN: 'TAKEN',
  NOT_FOUND: 'NOT_FOUND',
  NOT_EMPTY: 'NOT_EMPTY',
  STALE: 'STALE',
} as const;
export type UserErrorCode = keyof typeof USER_ERROR_CODES;

/** Every code of the domain: one that a caller can mend, or one of the field. */
const CODES: Readonly<Record<DomainCode, { readonly user: UserErrorCode } | { readonly top: string }>> = {
  invalid: { user: 'INVALID' },
  taken: { user: 'TAKEN' },
  not_found: { user: 'NOT_FOUND' },
  group_not_empty: { user: 'NOT_EMPTY' },
  stale: { user: 'STALE' },
  malformed: { top: 'BAD_USER_INPUT' },
  unauthenticated: { top: 'UNAUTHENTICATED' },
  forbidden: { top: 'FORBIDDEN' },
  too_many_attempts: { top: 'RATE_LIMITED' },
  idempotency_mismatch: { top: 'IDEMPOTENCY_MISMATCH' },
  idempotency_running: { top: 'IDEMPOTENCY_RUNNING' },
  busy: { top: 'UNAVAILABLE' },
  storage_full: { top: 'STORAGE_FULL' },
  storage_read_only: { top: 'UNAVAILABLE' },
  storage_unavailable: { top: 'UNAVAILABLE' },
  db_corrupt: { top: 'UNAVAILABLE' },
};

export interface UserErrorShape {
  readonly message: string;
  /** Where in the input, in the schema's names. */
  readonly path: readonly string[];
  readonly code: UserErrorCode;
}

/** Where in the arguments the domain's fields stand: all below one place, or each in its own. */
export type Within = readonly string[] | ((field: string) => readonly string[]);

/** What a caller can mend, field by field, `within` a part of the arguments; undefined for everything else. */
export function userErrorsOf(
  error: unknown,
  within: Within = ['input'],
): readonly UserErrorShape[] | undefined {
  if (!(error instanceof DomainError)) return undefined;
  const mapped = CODES[error.code];
  if (!('user' in mapped)) return undefined;
  const { fields } = error.details;
  if (fields === undefined) {
    return [{ message: error.message, path: error.code === 'not_found' ? ['id'] : [], code: mapped.user }];
  }
  const place = typeof within === 'function' ? within : (field: string) => [...within, field];
  return Object.entries(fields).flatMap(([field, messages]) =>
    messages.map((message) => ({
      message,
      path: field === 'id' ? ['id'] : place(field),
      code: mapped.user,
    })),
  );
}

/** A domain error as the error of a field. */
export function topLevelError(error: DomainError): GraphQLError {
  const mapped = CODES[error.code];
  const code = 'top' in mapped ? mapped.top : mapped.user === 'INVALID' ? 'BAD_USER_INPUT' : mapped.user;
  const { retryAfter } = error.details;
  return new GraphQLError(error.message, {
    extensions: { code, ...(retryAfter === undefined ? {} : { retryAfter }) },
    originalError: error,
  });
}
