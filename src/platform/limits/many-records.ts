import { DomainError } from '../errors.js';

/**
 * Maximum rows that one request deletes together with a record. On SQLite, all other changes wait meanwhile:
 * 5,000 links with their logical numbers and ledger entries took 0.15 to 0.25 s of processor time, 5,000
 * parameters and metacontents 0.12 s, 5,000 deliveries 0.05 s.
 */
export const MAX_DELETED_TOGETHER = 5_000;
/** Maximum bytes of the values of parameters and metacontents that one request deletes: 8 MiB took 0.07 s. */
export const MAX_DELETED_BYTES = 8 * 1024 * 1024;

/** Error for a change of so many records that other changes wait too long; `instead` is the advice. */
export function tooManyRecords(what: string, records: string, limit: number, instead: string): DomainError {
  return new DomainError(
    'too_many_records',
    `${what} has ${records}, and one request changes at most ${limit} of them: ${instead}. Nothing was changed.`,
  );
}
