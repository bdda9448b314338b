import type { Kysely, Transaction } from 'kysely';

import type { Caller, Origin } from '../platform/caller.js';
import type { PresenceLimits } from '../platform/presence.js';
import type { Tables } from '../schema/schema.js';
import type { CommittedChange } from './database.js';

/** A handle for queries only. A statement written with `sql` that changes something fails at run time. */
export type ReadDatabase = Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom' | 'getExecutor'>;

/**
 * The unit of work of a use case that only reads. All of its statements see the same state of the database.
 */
export interface ReadWork {
  readonly caller: Caller;
  readonly db: ReadDatabase;
  /** Time at which the unit began. */
  readonly now: Date;
  /** Times after which terminals count as stale and as offline. */
  readonly presence: PresenceLimits;
  /**
   * Makes the unit begin again as one that examines many rows, see `MANY_ROWS`. Only with `examines:
   * 'when_needed'`.
   */
  readonly moveToThread?: () => never;
}

/**
 * Rows that a read may examine in the event loop. A read of more rows calls `moveToThread`: the unit ends,
 * and begins again as one that examines.
 */
export const MANY_ROWS = 5_000;

/** One change. `before` and `after` never hold secrets, passwords or the bytes of files. */
export interface LedgerChange {
  /** `create`, `update`, `delete`, or another name of an event, for example `sign_in`. */
  readonly action: string;
  readonly entityType: string;
  readonly entityId: number | null;
  readonly before?: object | null;
  readonly after?: object | null;
  /** Default: the company and the user of the caller. */
  readonly companyId?: number | null;
  readonly userId?: number | null;
}

interface Identified {
  readonly id: number;
}

/** Fields of a change that neither the caller nor the method of `Ledger` determines. */
type GivenFields = Partial<Pick<LedgerChange, 'action' | 'companyId' | 'userId'>>;

/**
 * Changes are recorded in the transaction of the unit of work, in the order of the calls
 * (decisions.md#ledger).
 */
export interface Ledger {
  append(event: LedgerChange): void;
  created(entityType: string, after: Identified, given?: GivenFields): void;
  updated(entityType: string, before: Identified, after: object, given?: GivenFields): void;
  deleted(entityType: string, before: Identified, given?: GivenFields): void;
}

/** Unit of work of a use case that changes something: it is stored completely or not at all. */
export interface WriteWork extends ReadWork {
  readonly db: Transaction<Tables>;
  readonly ledger: Ledger;
  /** Calls `action` after the commit; never after a rollback. */
  afterCommit(action: () => void): void;
  /** Reports that this unit has left deliveries to be queued in steps; see `Units.onUnfinished`. */
  finishLater(): void;
  /**
   * Calls `use`, which sees and changes the rows of all companies. For information and changes that a company
   * gets only through a use case, for example whether a name is taken. Nothing else of the unit may run
   * meanwhile.
   */
  aboveCompanies<T>(use: (work: SystemWriteWork) => Promise<T>): Promise<T>;
  /**
   * In a unit above companies: locks these companies, so that units that write in them and this one wait for
   * each other. To be called before it reads what it then changes in them.
   */
  lockCompanies(companyIds: readonly number[]): Promise<void>;
  /** Checks for room as for a new record, though the unit adds no ledger entry. Errors: `storage_full`. */
  demandRoom(): void;
  /**
   * Counts the unit as a deletion, though it adds no ledger entry: its success does not show that the disk
   * has room.
   */
  freesRoom(): void;
  /** Reports a change without a ledger entry to `Units.onCommitted`, after the commit. */
  report(change: CommittedChange): void;
  /**
   * Warnings about the change, which is made nevertheless: sentences in ASCII. Sent as `warnings` of payloads
   * and in the header X-Warning.
   */
  readonly warnings: string[];
  /** Adds to a metric after the commit; never after a rollback. */
  count(metric: CountedMetric, amount: number): void;
}

/**
 * Metrics that use cases count themselves: `cardDataScrubs` are places where card data was masked, the others
 * are deliveries that have reached a state.
 */
export type CountedMetric =
  | 'cardDataScrubs'
  | `${'queued' | 'sent' | 'delivered' | 'failed' | 'expired' | 'cancelled'}Deliveries`;

/**
 * Work that does not belong to one company: signing in, reading the ledger of all companies, the command
 * line.
 */
export type SystemReadWork = Omit<ReadWork, 'caller'>;
export type SystemWriteWork = Omit<WriteWork, 'caller'>;

/** Work of the server itself in one company. */
export type CompanyWriteWork = SystemWriteWork & { readonly caller: Pick<Caller, 'companyId'> };

/**
 * The only way to run SQL written by hand in a repository, for what tables and lists of a company cannot express. The
 * statement must itself compare `company_id` with `companyId` in every company table that it names.
 * `test/database/special-sql.test.ts` counts the uses in each file, so that a new one shows in the diff.
 */
export function specialSql<Db extends ReadDatabase>(
  work: { readonly db: Db } & Pick<CompanyWriteWork, 'caller'>,
): { readonly db: Db; readonly companyId: number };
export function specialSql<Db extends ReadDatabase>(work: { readonly db: Db }): { readonly db: Db };
export function specialSql({
  db,
  caller,
}: Pick<ReadWork, 'db'> & Partial<Pick<CompanyWriteWork, 'caller'>>): object {
  return caller === undefined ? { db } : { db, companyId: caller.companyId };
}

export interface ReadOptions {
  /**
   * Whether its statements may examine more than a few thousand rows (counts with filters, `contains`,
   * summaries, searches). They then run outside of the event loop, up to a deadline; companies are served
   * round-robin. Errors: `deadline_exceeded`. With `when_needed`, the unit begins as an ordinary one, and its
   * statements decide. `use` must not open another unit that examines: the company could have to wait for
   * itself.
   */
  readonly examines?: boolean | 'when_needed';
  /** Whether the unit is one statement, so that it needs no snapshot. */
  readonly isSingle?: boolean;
}

/** Committed changes; null if some may have been missed. */
export type Changes = readonly CommittedChange[] | null;

/**
 * Opens units of work (decisions.md#unit-of-work). Every unit ends with the promise that `use` returns.
 * Errors: `busy`.
 */
export interface Units {
  read<T>(caller: Caller, use: (work: ReadWork) => Promise<T>, options?: ReadOptions): Promise<T>;
  write<T>(caller: Caller, use: (work: WriteWork) => Promise<T>): Promise<T>;
  systemRead<T>(use: (work: SystemReadWork) => Promise<T>): Promise<T>;
  /** With `companyId`, the unit and the units that write in this company wait for each other. */
  systemWrite<T>(origin: Origin, use: (work: SystemWriteWork) => Promise<T>, companyId?: number): Promise<T>;
  /** Whether a statement is a round trip to a server, so that one with joins is faster than several. */
  readonly isRemote: boolean;
  /**
   * Runs a unit for changes that the server itself makes in a company, without a caller. They add no ledger
   * entry, so subscriptions do not see them.
   */
  writeWithoutLedger(companyId: number, use: (work: CompanyWriteWork) => Promise<void>): Promise<void>;
  /**
   * Calls `listener` with the changes of each commit of this node, and within a second with those of other
   * nodes, until the returned function is called; with null if changes of others may have been missed.
   */
  onCommitted(listener: (changes: Changes) => void): () => void;
  /** Calls `listener` after the commit of a unit that has left deliveries to be queued in steps. */
  onUnfinished(listener: () => void): void;
}
