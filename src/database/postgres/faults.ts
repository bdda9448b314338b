import {
  codeOf,
  DomainError,
  fault,
  type Fault,
  STORAGE_FULL,
  STORAGE_READ_ONLY,
} from '../../platform/errors.js';

const BUSY = fault('busy', 'The database is busy; try again in a second.', { retryAfter: 1 });
const TAKEN = fault('taken', 'A record with this value exists already.');
const CORRUPT = fault('db_corrupt', 'The database is damaged.', { retryAfter: 300 });
const NOT_TEXT = fault(
  'malformed',
  'The request has a text that cannot be stored, for example one with a NUL character.',
);
export const UNAVAILABLE = fault(
  'storage_unavailable',
  'The database cannot be reached, or did not answer in time. Repeat the request with the same Idempotency-Key.',
  { retryAfter: 5 },
);

/** Faults by SQLSTATE, or by its class, the first two characters. Other codes are errors of the program. */
const FAULTS: Readonly<Record<string, Fault>> = {
  '23505': TAKEN,
  '25006': STORAGE_READ_ONLY,
  // A text with NUL, in a column or in JSON.
  '22021': NOT_TEXT,
  '22P05': NOT_TEXT,
  // Other transactions changed or locked the same rows: a deadlock, a lock that was not free in time, an old
  // snapshot.
  '40': BUSY,
  '55006': BUSY,
  '55P03': BUSY,
  '72': BUSY,
  // The columns of a table have changed, because another version of the program migrated.
  '0A000': BUSY,
  '26000': BUSY,
  // The server ended the session, because its transaction was idle or took too long.
  '25P03': UNAVAILABLE,
  '25P04': UNAVAILABLE,
  // Whether the transaction was committed is unknown.
  '40003': UNAVAILABLE,
  // Connection, login, database, resources, an operator, the server's own files and settings.
  '08': UNAVAILABLE,
  '28': UNAVAILABLE,
  '3D': UNAVAILABLE,
  '53': UNAVAILABLE,
  '57': UNAVAILABLE,
  '58': UNAVAILABLE,
  F0: UNAVAILABLE,
  '53100': STORAGE_FULL,
  XX001: CORRUPT,
  XX002: CORRUPT,
};

const ENDS_CONNECTION = /^(?:08|25P0[34]|57P0[1-5])/;

export function stateOf(error: unknown): string | null {
  const { severity } = (error ?? {}) as { readonly severity?: unknown };
  return severity === undefined ? null : codeOf(error);
}

/** True if the connection is lost, or in an unknown state, so that it cannot be used again. */
export function isLostConnection(error: unknown): boolean {
  const cause = error instanceof DomainError ? error.details.cause : error;
  const state = stateOf(cause);
  if (state !== null) return ENDS_CONNECTION.test(state);
  return cause instanceof Error && isOfConnection(cause);
}

/** Errors of the network, and of `pg` itself: these have no code. */
function isOfConnection(error: Error): boolean {
  if (typeof (error as NodeJS.ErrnoException).syscall === 'string') return true;
  return (
    isSilence(error) ||
    /^(Connection terminated|Client has encountered|The server does not)/.test(error.message)
  );
}

/** True if PostgreSQL did not answer a statement, or a connection, in time. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && /^(No answer in time|Query read timeout|timeout e)/.test(error.message);
}

/** Turns errors of PostgreSQL and of the connection into a `DomainError`; returns others unchanged. */
export function translate(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('The database failed.', { cause: error });
  if (error instanceof DomainError) return error;
  const state = stateOf(error);
  if (state === null) return isOfConnection(error) ? UNAVAILABLE(error) : error;
  return (FAULTS[state] ?? FAULTS[state.slice(0, 2)])?.(error) ?? error;
}
