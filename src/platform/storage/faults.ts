import { DomainError, type DomainCode, type DomainErrorDetails } from '../errors.js';

/** Creates the domain error for an error of the storage. */
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

/** Faults by error code of the operating system. */
const REASONS: Readonly<Record<string, Fault>> = {
  ENOSPC: STORAGE_FULL,
  EDQUOT: STORAGE_FULL,
  EFBIG: STORAGE_FULL,
  EROFS: STORAGE_READ_ONLY,
};

/** Domain error for a code of the operating system, such as ENOSPC; null if the code is unknown. */
export function faultOfSystem(code: string | null, cause: Error): DomainError | null {
  return REASONS[code ?? '']?.(cause) ?? null;
}

/**
 * The code of the database or of the operating system behind an error, for example `SQLITE_FULL`, `57P01` or
 * `EIO`.
 */
export function storageCode(error: unknown): string | null {
  if (error instanceof DomainError) return storageCode(error.details.cause);
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : null;
}
