import type { Kysely, Transaction } from 'kysely';

import type { Clock } from '../platform/clock.js';
import type { DomainCode } from '../platform/errors.js';
import type { WindowStores } from '../platform/limits/window-store.js';
import type { DatabaseHealth } from './health.js';
import type { StatementListener } from './statements/statement-listener.js';
import type { Tables } from './tables/tables.js';

/** Reads that may examine many rows, and their threads or connections, at this moment. */
export interface ExaminingReads {
  readonly running: number;
  readonly waiting: number;
  readonly threads: number;
  /** Since the start: units that had exceeded their deadline, and threads that ended by themselves or were replaced. */
  readonly exceeded: number;
  readonly lostThreads: number;
}

/** Whose rows a unit of work sees: those of a company; null for work above companies. */
export type Scope = number | null;

/** What others need to know of a change that was committed: its company, and the type of the record. */
export interface CommittedChange {
  readonly companyId: number | null;
  readonly entityType: string;
}

/** Acknowledged changes that a database does not have. */
export interface Loss {
  /** What is missing, as a sentence without advice. */
  readonly problem: string;
  /** The last ledger entry that was acknowledged, and when, in milliseconds since 1970; null if it is not known. */
  readonly acknowledged: { readonly head: number; readonly at: number } | null;
  /** Position of the last ledger entry that is there. */
  readonly head: number;
}

export type CheckResult = string | { readonly note: string } | null;

/** Sizes in bytes; `log` is the write-ahead log that a database file has beside it. */
export interface DatabaseBytes {
  readonly file: number;
  readonly log: number;
}

export interface TableSize {
  /** With its indexes. */
  readonly bytes: number;
  /** On PostgreSQL an estimate. */
  readonly rows: number;
}

export interface StorageSizes {
  readonly tables: Readonly<Record<string, TableSize>>;
  /** Room inside of a file, for new rows; null on PostgreSQL. */
  readonly freeBytes: number | null;
}

export interface WriteOptions {
  /**
   * A transaction above companies also waits for those of this company, as it must where it first reads what it then
   * changes.
   */
  readonly ofCompany?: number | undefined;
}

/** A SQLite file, or a database of a PostgreSQL server. */
export interface Database {
  /** Where it is, without a password: the path of the file, or for example `postgres://db.example:5432/gateway`. */
  readonly name: string;
  /** As the conventions of OpenTelemetry name it. */
  readonly system: 'sqlite' | 'postgresql';
  /** Work above companies outside of units: each statement sees the latest commit. Reads only. */
  readonly reads: Kysely<Tables>;
  readonly writes: Kysely<Tables>;
  /**
   * Calls `use` with a read-only handle whose statements all see the same state. Units above companies have a reserve of
   * connections, so they may run inside other units. Errors: `busy`, `storage_unavailable`.
   */
  snapshot<T>(scope: Scope, use: (db: Kysely<Tables>) => Promise<T>, isSingle?: boolean): Promise<T>;
  /**
   * The same for a read that may examine many rows, on behalf of a company. Errors: `busy`, `deadline_exceeded`.
   */
  examine<T>(companyId: number, use: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /**
   * Stores all changes or, if `use` rejects, none. Resolves after the commit, which may hold the changes of others too.
   * Those of one company run one after the other. Those above companies do so too; they see the rows of all companies.
   * Errors: `busy`, `storage_unavailable`.
   */
  write<T>(scope: Scope, use: (db: Transaction<Tables>) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Within a transaction of a company: `use` sees and changes the rows of all companies, for example to find out whether a
   * name is taken. Nothing else may run in the transaction meanwhile.
   */
  aboveCompanies<T>(db: Transaction<Tables>, use: () => Promise<T>): Promise<T>;
  /** Within a transaction above companies: waits for those of these companies, and they for it, until it ends. */
  lockCompanies(db: Transaction<Tables>, companyIds: readonly number[]): Promise<void>;
  examining(): ExaminingReads;
  /** Calls `listener` with the text of each statement, until the returned function is called. */
  watchStatements(listener: StatementListener): () => void;
  readonly health: DatabaseHealth;
  /**
   * Null if it can be trusted; otherwise says why not, for example which of its files was removed, moved or replaced.
   * Nothing is acknowledged from then on.
   */
  verify(): string | null;
  /**
   * Called in each transaction, before its commit. On a full disk, deletions use the room that is kept in reserve for
   * them. Errors: `storage_full` for other changes, until the reserve is made again.
   */
  admit(change: 'deletion' | 'other'): void;
  /** Lets other nodes know of changes that this one has committed; they know within a second. Never rejects. */
  announce(changes: readonly CommittedChange[]): void;
  /** Calls `listener` with the changes of other nodes, and with null where some may have been missed. */
  onAnnounced(listener: (changes: readonly CommittedChange[] | null) => void): void;
  /** Whether other nodes may be using it. */
  readonly isShared: boolean;
  /** For the limits of a server, which calls it once: all nodes share their windows. */
  windows(clock: Clock): WindowStores;
  /** How often windows could not be shared with other nodes, since the start; see `OpenOptions.onUnshared`. */
  windowFailures(): number;
  /** Runs `use` unless another node is running the same task; false if it did not. */
  alone(task: 'housekeeping' | 'steps' | 'retention', use: () => Promise<void>): Promise<boolean>;
  /** What may follow the start of a server: called once it listens. */
  begin(): void;
  /**
   * Readiness checks; each resolves to null, to the code of a problem, for example `full` or `not_current`, or to a note
   * on what is no problem, for example `running`.
   */
  readonly checks: Readonly<Record<string, () => Promise<CheckResult>>>;
  bytes(): DatabaseBytes;
  /** Reads all of a file, outside of the event loop; to be called seldom. Null if that was not possible. */
  sizes(): Promise<StorageSizes | null>;
  /** Connections to a database server by state; empty for a file. */
  connections(): Readonly<Record<string, number>>;
  /** What has to be done once a minute, for example to shorten the log. */
  maintain(): Promise<void>;
  /** The file whose time is that of the last backup; it need not exist. */
  readonly lastBackupPath: string;
  /** Where temporary files of uploads are kept: the begin of their paths; a name follows. */
  readonly spoolPath: string;
  /** Waits for writes that have begun or are queued, and leaves everything on the disk. */
  close(): Promise<void>;
}

/** A log of this length is reported: 256 MiB. It has at most 16 MiB while no reader takes long. */
export const LONG_LOG_BYTES = 256 * 1024 * 1024;

export interface OpenOptions {
  /** Called once, after a fault after which acknowledged changes may be lost: the process must end. */
  readonly onFatal?: (error: unknown) => void;
  /** Called once if a file of the database is gone; no change is acknowledged from then on. */
  readonly onLost?: (problem: string) => void;
  /** Called with each fault of the storage and the error behind it. */
  readonly onFault?: (code: DomainCode, error: unknown) => void;
  /** Called with the reason when a reader thread ended by itself, or did not stop in time. */
  readonly onThreadLost?: (error: unknown) => void;
  /** Called at most once a minute while windows cannot be shared with other nodes. */
  readonly onUnshared?: (error: unknown) => void;
  /** Called with a sentence where something takes long, for example when another node migrates. */
  readonly onProgress?: (message: string) => void;
  /**
   * For a server: a database that cannot be reached yet is tried without an end. Called after each attempt that failed,
   * with the reason; what it throws ends the attempts. Without it, they end after 5 seconds.
   */
  readonly onUnreachable?: ((reason: string) => Promise<void>) | undefined;
  /** Other limits of reads that examine many rows; for tests. */
  readonly examining?: Partial<ExaminingLimits> | undefined;
  /** For a server: no other one may open the same file. Several servers may use one PostgreSQL database. */
  readonly exclusive?: boolean;
  /** For a command that deletes: where the disk of a file is full, it uses the room that is kept for deletions. */
  readonly usesReserve?: boolean;
  /** Called if acknowledged changes are missing: the database is opened nevertheless. Without it, it is refused. */
  readonly acceptLoss?: ((loss: Loss) => void) | undefined;
  /** From this size of the log of a file on, it is not ready. */
  readonly maxLogBytes?: number;
  /** Connections to a database server at most. */
  readonly connections?: number;
  /** Folder of temporary files of uploads, where the records are not in a file. */
  readonly uploadFolder?: string;
}

export interface ExaminingLimits {
  /** How many run at the same time. */
  readonly threads: number;
  /** How long a unit may take, in milliseconds. */
  readonly deadlineMs: number;
  /** How long a thread may take to end what it is doing, after which another takes its place. */
  readonly graceMs: number;
  readonly maxWaitMs: number;
  readonly maxWaiting: number;
  readonly maxWaitingOfCompany: number;
  /** How long an unused thread stays. */
  readonly idleMs: number;
  readonly maxHeapMiB: number;
}
