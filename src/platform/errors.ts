/**
 * Codes of all domain errors. Each surface maps the whole list: a new code does not compile until it is
 * mapped.
 */
export const DOMAIN_CODES = [
  'invalid',
  'malformed',
  'unauthenticated',
  'forbidden',
  'not_found',
  'taken',
  'group_not_empty',
  'in_use',
  'too_many_records',
  'stale',
  'too_many_attempts',
  'idempotency_mismatch',
  'busy',
  'deadline_exceeded',
  'storage_full',
  'storage_read_only',
  'storage_unavailable',
  'db_corrupt',
] as const;

export type DomainCode = (typeof DOMAIN_CODES)[number];

/** Messages by field, in the model's names (camelCase). */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export interface DomainErrorDetails {
  readonly fields?: FieldErrors;
  /** Seconds to wait before the same request may succeed. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(
    readonly code: DomainCode,
    message: string,
    readonly details: DomainErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
  }
}

/**
 * An `invalid` error with one message, for one field; the message follows the field's name: "must not be
 * empty".
 */
export function invalid(field: string, message: string): DomainError {
  return new DomainError('invalid', 'Some fields are not valid.', { fields: { [field]: [message] } });
}

/**
 * Error for a missing record; `what` is for example `device`. Records of other companies get the same
 * message, so that it does not reveal whether they exist.
 */
export function notFound(what: string): DomainError {
  return new DomainError('not_found', `No such ${what}.`);
}

export function taken(field: string, message: string): DomainError {
  return new DomainError('taken', message, { fields: { [field]: [message] } });
}

/** The result of a function, or the domain error that it throws. */
export function orProblem<T>(make: () => T): T | DomainError {
  try {
    return make();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** A number with its noun: `1 token`, `2 tokens`, `1 serial number`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
