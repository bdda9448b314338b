import type { Kysely, Transaction } from 'kysely';

import type { Clock } from '../platform/clock.js';
import { Semaphore } from '../platform/concurrency/semaphore.js';
import { busy, type DomainCode, type DomainError } from '../platform/errors.js';
import type { WindowStores } from '../platform/windows.js';
import type { Tables } from '../schema/schema.js';
import type { DatabaseHealth, StatementListener } from './statements.js';

/** Current numbers of reads that may examine many rows, and of their threads or connections. */
export interface ExaminingReads {
  readonly running: number;
  readonly waiting: number;
  readonly threads: number;
  /** Since the start: units that exceeded their deadline, and threads that ended by themselves or were replaced. */
  readonly exceeded: number;
  readonly lostThreads: number;
}

/** Company whose rows a unit of work sees; null for work above companies. */
export type Scope = number | null;

/** Company and record type of a committed change, for other nodes and for subscriptions. */
export interface CommittedChange {
  readonly companyId: number | null;
  readonly entityType: string;
}

/** Acknowledged changes that are missing in a database. */
export interface Loss {
  /** The problem as a sentence without advice. */
  readonly problem: string;
  /** The last acknowledged ledger entry, and when it was acknowledged, in milliseconds since 1970; null if unknown. */
  readonly acknowledged: { readonly head: number; readonly at: number } | null;
  /** Position of the last ledger entry that the database has. */
  readonly head: number;
}

export type CheckResult = string | { readonly note: string } | null;

export interface TableSize {
  /** Including its indexes. */
  readonly bytes: number;
  /** An estimate on PostgreSQL. */
  readonly rows: number;
}

export interface StorageSizes {
  readonly tables: Readonly<Record<string, TableSize>>;
  /** Unused bytes in the file, available for new rows; null on PostgreSQL. */
  readonly freeBytes: number | null;
}

/** Numbers for the metrics in `http/monitoring/vitals.ts`. The last two are of SQLite, the others of PostgreSQL. */
export interface Vitals {
  readonly oldestTransactionSeconds: number;
  readonly oldestSnapshotIds: number;
  readonly unfrozenIdsRatio: number;
  readonly serverConnections: Readonly<Record<string, number>>;
  readonly standbyLagSeconds: Readonly<Record<string, number>>;
  readonly standbyLagBytes: Readonly<Record<string, number>>;
  readonly slotRetainedBytes: Readonly<Record<string, number>>;
  readonly deadRowsRatio: Readonly<Record<string, number>>;
  readonly clockAheadSeconds: number;
  readonly checkpointAgeSeconds: number;
  readonly diskFreeBytes: number;
}

/** A handle for queries only. A statement written with `sql` that changes something fails at run time. */
export type ReadDatabase = Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom' | 'getExecutor'>;

/** Work that one node does at a time. */
export type Task = 'housekeeping' | 'steps' | 'retention' | 'alerts' | 'exports';

/** A SQLite file, or a database of a PostgreSQL server. */
export interface Database {
  /** Name without a password: the path of the file, or for example `postgres://db.example:5432/gateway`. */
  readonly name: string;
  /** Name in the conventions of OpenTelemetry. */
  readonly system: 'sqlite' | 'postgresql';
  /** Handle for reads above companies outside of units: each statement sees the latest commit. */
  readonly reads: Kysely<Tables>;
  readonly writes: Kysely<Tables>;
  /**
   * Calls `use` with a read-only handle whose statements all see the same state. Units above companies have
   * connections of their own, so that they may run inside other units. Errors: `busy`, `storage_unavailable`.
   */
  snapshot<T>(scope: Scope, use: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** A snapshot for a read of a company that may examine many rows. Errors: `busy`, `deadline_exceeded`. */
  examine<T>(companyId: number, use: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /**
   * Stores all changes or, if `use` rejects, none; resolves after the commit. Units of one company run in turn. So do
   * units above companies; with `ofCompany`, they also wait for those of this company. Errors: `busy`,
   * `storage_unavailable`.
   */
  write<T>(scope: Scope, use: (db: Transaction<Tables>) => Promise<T>, ofCompany?: number): Promise<T>;
  /** Within a transaction of a company: lets `use`, and nothing else, see and change the rows of all companies. */
  acrossCompanies<T>(db: Transaction<Tables>, use: () => Promise<T>): Promise<T>;
  /** A handle for single queries in a snapshot or a transaction, each of which sees the rows of all companies. */
  everywhere(db: ReadDatabase): ReadDatabase;
  /** Within a transaction above companies: locks these companies, whose own transactions then wait for its end. */
  lockCompanies(db: Transaction<Tables>, companyIds: readonly number[]): Promise<void>;
  examining(): ExaminingReads;
  /** Calls `listener` with the text of each statement, until the returned function is called. */
  watchStatements(listener: StatementListener): () => void;
  /**
   * Calls `listener` in the same way with what a unit waits for: `queue` (its turn on this node), `connection` (to PostgreSQL), `company`
   * (another node that changes it) or `commit`.
   */
  watchWaits(listener: StatementListener): () => void;
  readonly health: DatabaseHealth;
  /** Null if the database can be trusted; otherwise the reason, and no change is acknowledged any more. */
  verify(): string | null;
  /** To be called in each transaction before its commit. Errors: `storage_full` on a full disk unless it deletes. */
  admit(change: 'deletion' | 'other'): void;
  /** Announces changes that this node has committed. Other nodes know them within a second. Never rejects. */
  announce(changes: readonly CommittedChange[]): void;
  /** Calls `listener` with the changes of other nodes, and with null if some may have been missed. */
  onAnnounced(listener: (changes: readonly CommittedChange[] | null) => void): void;
  /** True if other nodes may be using the database. */
  readonly isShared: boolean;
  /** Stores of the limits of a server, which calls this once. All nodes share their windows. */
  windows(clock: Clock): WindowStores;
  /** Number of times that windows could not be shared with other nodes, see `OpenOptions.onUnshared`. */
  windowFailures(): number;
  /** Runs `use` unless another node is running the task. Resolves to whether it ran. */
  alone(task: Task, use: () => Promise<void>): Promise<boolean>;
  /** Starts background work. Called once the server listens. */
  begin(): void;
  /** Readiness checks: null, the code of a problem, for example `full`, or a note, for example `running`. */
  readonly checks: Readonly<Record<string, () => Promise<CheckResult>>>;
  /** Sizes in bytes; `log` is the write-ahead log that a database file has beside it. */
  bytes(): { readonly file: number; readonly log: number };
  /** Sizes of all tables; null if they could not be read. Reads a whole file, outside of the event loop. */
  sizes(): Promise<StorageSizes | null>;
  /** Connections to a database server by state; empty for a file. */
  connections(): Readonly<Record<string, number>>;
  /** Companies whose changes have waited a second or more for another node; null for a file, which has one. */
  waitingTurns(): { readonly companies: number; readonly longestMs: number } | null;
  /** Read with one cheap query. Errors: as `snapshot`. */
  vitals(): Promise<Partial<Vitals>>;
  /** Regular work, to be called once a minute, for example to shorten the log. */
  maintain(): Promise<void>;
  /** File whose modification time is the time of the last backup; it may be missing. */
  readonly lastBackupPath: string;
  /** Prefix of the paths of temporary files of uploads; a name follows. */
  readonly spoolPath: string;
  /** Waits for running and queued writes, and writes everything to the disk. */
  close(): Promise<void>;
}

/** Length of a log that is reported: 256 MiB. While no reader takes long, a log has at most 16 MiB. */
export const LONG_LOG_BYTES = 256 * 1024 * 1024;

export interface OpenOptions {
  /** Called once, after a fault that may have lost acknowledged changes: the process must end. */
  readonly onFatal?: (error: unknown) => void;
  /** Called once if a file of the database is missing. From then on, no change is acknowledged. */
  readonly onLost?: (problem: string) => void;
  readonly onFault?: (code: DomainCode, error: unknown) => void;
  /** Called with the reason when a reader thread has ended by itself. */
  readonly onThreadLost?: (error: unknown) => void;
  /** Called at most once a minute while windows cannot be shared with other nodes. */
  readonly onUnshared?: (error: unknown) => void;
  /** Called with a sentence, and details for the log, about what an operator should look into. */
  readonly onWarning?: (message: string, details: object) => void;
  /** Called with a sentence when something takes long, for example when another node migrates. */
  readonly onProgress?: (message: string) => void;
  /** For a server, which tries to reach the database without end: called after each failure; may throw to end. */
  readonly onUnreachable?: ((reason: string) => Promise<void>) | undefined;
  /** Overrides the limits of reads that examine many rows; for tests. */
  readonly examining?: Partial<ExaminingLimits> | undefined;
  /** For a server: no other server may open the same file. Several servers may use one PostgreSQL database. */
  readonly exclusive?: boolean;
  /** For a command that deletes: on a full disk, it uses the room reserved for deletions. */
  readonly usesReserve?: boolean;
  /** Called if acknowledged changes are missing; without it, such a database is refused. */
  readonly acceptLoss?: ((loss: Loss) => void) | undefined;
  /** Starts a server on a copy whose original is still there, which becomes an original too. */
  readonly acceptCopy?: boolean;
  /** Bytes of the log of a file from which on the database is not ready. */
  readonly maxLogBytes?: number;
  readonly connections?: number;
  /** Folder of temporary files of uploads, for a database that is not a file. */
  readonly uploadFolder?: string;
}

const EXAMINING = { deadlineMs: 5_000, maxWaitMs: 5_000, maxWaiting: 1_000, maxWaitingOfKey: 200 };

/** `maxWaitingOfKey`: waiting reads of a company. */
export interface ExaminingLimits extends Readonly<typeof EXAMINING> {
  readonly threads: number;
  /** Milliseconds that threads may take to stop when the database is closed. */
  readonly graceMs: number;
  readonly idleMs: number;
  readonly maxHeapMiB: number;
}

/** Limits of reads that may examine many rows, and their places: one company can never have all of them. */
export function examiningOf(threads: number, given: Partial<ExaminingLimits> = {}) {
  const limits = { ...EXAMINING, threads, ...given };
  const places = limits.threads;
  const turns = new Semaphore<number>({
    ...limits,
    places,
    placesOfKey: Math.max(1, places - 1),
    busy: () => busy('Too many requests examine many records at the same time; try again.', 1),
  });
  return { limits, turns };
}

/** Error of a unit that waits too long to write. */
export const databaseBusy = (): DomainError => busy('The database is busy; try again in a second.', 1);

type Reason = 'damaged' | 'exists' | 'foreign' | 'newer' | 'in_use' | 'lost' | 'unreachable' | 'unusable';

/** A database that cannot be used as it is; nothing in it was changed. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';

  constructor(
    readonly reason: Reason,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** Error of a server that would run beside the original of its database. */
export const copied = (name: string, original: string): DatabaseRefused =>
  unusable(
    `${name} is a copy: its original is ${original}. If servers of both run, each sends the webhooks, e-mails and notifications. Nothing was changed. Use the original; or stop it, and start the copy once with terminal-gateway serve --accept-copy.`,
  );

/** Error of a database that cannot be used, by a command or at all, before something is corrected. */
export const unusable = (message: string, cause?: unknown): DatabaseRefused =>
  new DatabaseRefused('unusable', message, cause);
