import type { Kysely } from 'kysely';

import type { DatabaseHealth } from './health.js';
import type { StatementListener } from './statement-listener.js';
import type { Tables } from './tables.js';

/** Reads that may examine many rows, and their threads, at this moment. */
export interface ExaminingReads {
  readonly running: number;
  readonly waiting: number;
  readonly threads: number;
  /** Since the start: units that had exceeded their deadline, and threads that ended by themselves or were replaced. */
  readonly exceeded: number;
  readonly lostThreads: number;
}

/** One SQLite file. */
export interface Database {
  readonly file: string;
  /** A read-only handle: each statement sees the latest commit. */
  readonly reads: Kysely<Tables>;
  readonly writes: Kysely<Tables>;
  /**
   * Calls `use` with a read-only handle whose statements all see the same state. System units have a reserve of
   * connections, so they may run inside other units. Errors: `busy`.
   */
  snapshot<T>(isSystem: boolean, use: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /**
   * The same for a read that may examine many rows, on behalf of a company. Errors: `busy`, `deadline_exceeded`.
   */
  examine<T>(companyId: number, use: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  examining(): ExaminingReads;
  /** Calls `listener` with the text of each statement, until the returned function is called. */
  watchStatements(listener: StatementListener): () => void;
  readonly health: DatabaseHealth;
  /**
   * Null if its files are where they were opened; otherwise says which one was removed, moved or replaced. Nothing is
   * acknowledged from then on.
   */
  verify(): string | null;
  /**
   * Called in each transaction, before its commit. On a full disk, deletions use the room that is kept in reserve for
   * them. Errors: `storage_full` for other changes, until the reserve is made again.
   */
  admit(change: 'deletion' | 'other'): void;
  /** Waits for writes that have begun or are queued, and copies the log into the file. */
  close(): Promise<void>;
}
