import {
  type BrokenRule,
  type FieldMessage,
  type ParamsOf,
  type Problem,
  problemOf,
  type RecordMessage,
  rule,
  withoutRule,
} from './rules.js';

/** Codes of all domain errors. Each surface maps the whole list: a new code does not compile until it is mapped. */
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
  'other_company',
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

/** Problems by field, in the model's names (camelCase). */
export type FieldErrors = Readonly<Record<string, readonly Problem[]>>;
/** Messages by field, as clients get them. */
export type FieldMessages = Readonly<Record<string, readonly string[]>>;

export interface DomainErrorDetails {
  readonly fields?: FieldErrors;
  /** Seconds to wait before the same request may succeed. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
  /** The present record, for `stale`; with its type in the schema where an API needs it. */
  readonly current?: object;
}

export class DomainError extends Error {
  override readonly name = 'DomainError';
  /** The problem of the record as a whole; `details.fields` say more where a field has caused it. */
  readonly problem: Problem;

  constructor(
    readonly code: DomainCode,
    message: string | BrokenRule<RecordMessage>,
    readonly details: DomainErrorDetails = {},
  ) {
    const problem = typeof message === 'string' ? withoutRule(message) : problemOf(message);
    super(problem.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.problem = problem;
  }
}

/** Why a row is refused, as it is stored and shown. */
export interface Refusal extends Problem {
  readonly code: DomainCode;
}

/** True for faults of the storage itself, which the database logs once, when they begin. */
export const isStorageCode = (code: DomainCode): boolean =>
  code.startsWith('storage_') || code === 'db_corrupt';

/** True if the same work may succeed later: the database was busy, too slow or not available. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof DomainError &&
  (error.code === 'busy' || error.code === 'deadline_exceeded' || isStorageCode(error.code));

/** True for errors of a token that is no longer valid. */
export const isTokenError = (error: unknown): boolean =>
  error instanceof DomainError && ['unauthenticated', 'forbidden'].includes(error.code);

export const invalidFields = (fields: FieldErrors): DomainError =>
  new DomainError('invalid', 'Some fields are not valid.', { fields });

/** An `invalid` error of one field, for example `invalid('size', 'must be at most {maximum}', { maximum: 9 })`. */
export const invalid = <Message extends FieldMessage>(
  field: string,
  message: Message,
  ...params: ParamsOf<Message>
): DomainError => invalidFields({ [field]: [problemOf(rule(message, ...params))] });

/** An `invalid` error of the record as a whole. */
export const invalidRecord = <Message extends RecordMessage>(
  message: Message,
  ...params: ParamsOf<Message>
): DomainError => new DomainError('invalid', rule(message, ...params));

/** Errors: `invalid` for a list of `count` entries that is longer than `maximum`. */
export function requireAtMost(field: string, count: number, maximum: number): void {
  if (count > maximum) throw invalid(field, 'must have at most {maximum} entries', { maximum });
}

/** Error for a missing record, for example `device`; records of other companies get the same message. */
export const notFound = (what: string): DomainError => new DomainError('not_found', `No such ${what}.`);

export const errorAt = (field: string, code: DomainCode, message: string): DomainError =>
  new DomainError(code, message, { fields: { [field]: [withoutRule(message)] } });

export const taken = (field: string, message: string): DomainError => errorAt(field, 'taken', message);

/** The messages of problems, for clients; `nameOf` turns the names of fields into theirs. */
export const messagesOf = (fields: FieldErrors, nameOf = (field: string) => field): FieldMessages =>
  Object.fromEntries(
    Object.entries(fields).map(([field, problems]) => [
      nameOf(field),
      problems.map(({ message }) => message),
    ]),
  );

/** Runs `get`. Errors: as those of `get`, but `not_found` is at the field that names the record. */
export async function foundAt<T>(field: string, get: () => Promise<T>): Promise<T> {
  try {
    return await get();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'not_found') throw error;
    throw errorAt(field, 'not_found', error.message);
  }
}

/** Error of what can be tried again after so many seconds. */
export const busy = (message: string, retryAfter: number): DomainError =>
  new DomainError('busy', message, { retryAfter });

/** A number with its noun: `1 token`, `2 tokens`, `1 serial number`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export type Fault = (cause: Error) => DomainError;

export const fault =
  (code: DomainCode, message: string, details: DomainErrorDetails = {}): Fault =>
  (cause) =>
    new DomainError(code, message, { ...details, cause });

export const STORAGE_FULL = fault(
  'storage_full',
  'The storage is full: nothing was changed. Reading is still possible.',
  { retryAfter: 60 },
);
export const STORAGE_READ_ONLY = fault(
  'storage_read_only',
  'The storage is read-only: nothing was changed.',
  { retryAfter: 60 },
);
export const STORAGE_UNAVAILABLE = fault('storage_unavailable', 'The storage failed to read or write.', {
  retryAfter: 10,
});

const REASONS: Readonly<Record<string, Fault>> = {
  ENOSPC: STORAGE_FULL,
  EDQUOT: STORAGE_FULL,
  EFBIG: STORAGE_FULL,
  EROFS: STORAGE_READ_ONLY,
};

/** The code of an error, for example `ENOSPC` or `57P01`; null if it has none. */
export function codeOf(error: unknown): string | null {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : null;
}

/** Domain error for a code of the operating system, such as ENOSPC; null if the code is unknown. */
export function faultOfSystem(code: string | null, cause: Error): DomainError | null {
  return REASONS[code ?? '']?.(cause) ?? null;
}

/** The code of the database or of the operating system behind an error, for example `SQLITE_FULL`, `57P01` or `EIO`. */
export function storageCode(error: unknown): string | null {
  return error instanceof DomainError ? storageCode(error.details.cause) : codeOf(error);
}

/**
 * Maximum rows that one request deletes with a record. On SQLite, other changes wait meanwhile: up to 0.25 s of
 * processor time for 5,000 links with their numbers and ledger entries.
 */
export const MAX_DELETED_TOGETHER = 5_000;
/** Maximum bytes of the values of parameters and metacontents that one request deletes: 8 MiB took 0.07 s. */
export const MAX_DELETED_BYTES = 8 * 1024 * 1024;

/** Error for a change of so many records that other changes wait too long. */
export function tooManyRecords(what: string, records: string, maximum: number, advice: string): DomainError {
  return new DomainError(
    'too_many_records',
    rule(
      '{what} has {records}, and one request changes at most {maximum} of them: {advice}. Nothing was changed.',
      { what, records, maximum, advice },
    ),
  );
}

/** Reason why the terminal of a known device may not use the service. */
export type DeviceRefusalCode = Exclude<RefusalCode, 'unknown_terminal'>;
/** Reasons why a terminal may not use the service. `unknown_terminal`: no device has its serial number. */
export const REFUSAL_CODES = ['unknown_terminal', 'terminal_disabled', 'terminal_unassigned'] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** A terminal that may not use the service. */
export class TerminalRefused extends Error {
  override readonly name = 'TerminalRefused';

  constructor(
    message: string,
    /** The refusal, with the id of the device if the company has it. */
    readonly reason:
      | { readonly code: 'unknown_terminal' }
      | { readonly code: DeviceRefusalCode; readonly deviceId: number },
  ) {
    super(message);
  }

  get code(): RefusalCode {
    return this.reason.code;
  }
}
