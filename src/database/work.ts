import type { Kysely, Transaction } from 'kysely';

import type { Ledger } from './ledger/ledger.js';
import type { Caller, Origin } from '../platform/caller.js';
import type { PresenceLimits } from '../platform/presence.js';
import type { CommittedChange } from './database.js';
import type { Tables } from './tables/tables.js';

/** A handle that offers queries only. A statement written with `sql` that changes something fails at run time. */
export type ReadDatabase = Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom' | 'getExecutor'>;

/** The unit of work of a use case that only reads. All of its statements see the same state of the database. */
export interface ReadWork {
  readonly caller: Caller;
  readonly db: ReadDatabase;
  /** The time at which the unit began. */
  readonly now: Date;
  /** When terminals count as stale and as offline. */
  readonly presence: PresenceLimits;
  /** See `MANY_ROWS`. Only in units that examine when it is needed. */
  readonly moveToThread?: () => never;
}

/**
 * A read that finds that it would examine more rows than this calls `moveToThread`: the unit ends, and begins again as
 * one that examines.
 */
export const MANY_ROWS = 5_000;

/** The unit of work of a use case that changes something: stored whole or not at all. */
export interface WriteWork extends ReadWork {
  readonly db: Transaction<Tables>;
  readonly ledger: Ledger;
  /** Calls `action` after the commit; never after a rollback. */
  afterCommit(action: () => void): void;
  /** Says that this unit has left something to be done in steps; see `Units.onUnfinished`. */
  finishLater(): void;
  /**
   * Calls `use`, which sees and changes the rows of all companies: for what a company may only learn or do through a use
   * case, for example whether a name is taken. Nothing else of the unit may run meanwhile.
   */
  aboveCompanies<T>(use: (work: SystemWriteWork) => Promise<T>): Promise<T>;
  /**
   * Of a unit above companies: waits for units that write in these companies, and they for it. To be called before it
   * reads what it then changes in them.
   */
  lockCompanies(companyIds: readonly number[]): Promise<void>;
  /** Refuses the unit like one that creates a record, though it adds no ledger entry. Errors: `storage_full`. */
  demandRoom(): void;
  /** Counts the unit as a deletion, though it adds no ledger entry: that it succeeds does not show that there is room. */
  freesRoom(): void;
  /** Reports a change that adds no ledger entry to `Units.onCommitted`, after the commit. */
  report(change: CommittedChange): void;
  /**
   * What the caller should check about the change, which is made all the same: sentences in ASCII. Shown as `warnings` of
   * payloads and in the header X-Warning.
   */
  readonly warnings: string[];
  /** Adds to a metric after the commit; never after a rollback. */
  count(metric: CountedMetric, amount: number): void;
}

/**
 * Metrics that use cases count themselves: `cardDataScrubs` are places where card data was masked, the others deliveries
 * that came into a state.
 */
export type CountedMetric =
  | 'cardDataScrubs'
  | `${'queued' | 'sent' | 'delivered' | 'failed' | 'expired' | 'cancelled'}Deliveries`;

/** Work for no single company: signing in, reading the ledger of all companies, the command line. */
export type SystemReadWork = Omit<ReadWork, 'caller'>;
export type SystemWriteWork = Omit<WriteWork, 'caller'>;

/** Work of the server itself in one company. */
export type CompanyWriteWork = SystemWriteWork & { readonly caller: Pick<Caller, 'companyId'> };

export interface ReadOptions {
  /**
   * Whether its statements may examine more than a few thousand rows (counts with filters, `contains`, summaries,
   * searches). They then run outside of the event loop, in turns with those of other companies and up to a deadline.
   * Errors: `deadline_exceeded`. `when_needed`: the unit begins as an ordinary one, and its statements find out. `use` must
   * not open another unit that examines: the company could have to wait for itself.
   */
  readonly examines?: boolean | 'when_needed';
  /** It is one statement, so it needs no snapshot. */
  readonly isSingle?: boolean;
}

/** What was committed; null where some changes may have been missed. */
export type Changes = readonly CommittedChange[] | null;

/** Opens units of work (decisions.md#unit-of-work). Every unit ends with the promise that `use` returns. Errors: `busy`. */
export interface Units {
  read<T>(caller: Caller, use: (work: ReadWork) => Promise<T>, options?: ReadOptions): Promise<T>;
  write<T>(caller: Caller, use: (work: WriteWork) => Promise<T>): Promise<T>;
  systemRead<T>(use: (work: SystemReadWork) => Promise<T>): Promise<T>;
  /** With `companyId`, the unit waits for units that write in this company, and they for it. */
  systemWrite<T>(origin: Origin, use: (work: SystemWriteWork) => Promise<T>, companyId?: number): Promise<T>;
  /** Whether a statement is a round trip to a server: one with joins is then faster than several. */
  readonly isRemote: boolean;
  /** For what the server itself notes of a company, without a caller. It adds no ledger entry, so subscriptions do not see it. */
  writeWithoutLedger(companyId: number, use: (work: CompanyWriteWork) => Promise<void>): Promise<void>;
  /**
   * Calls `listener` with the changes of each commit of this node, and within a second with those of other nodes, until
   * the returned function is called; with null where changes of others may have been missed.
   */
  onCommitted(listener: (changes: Changes) => void): () => void;
  /** Calls `listener` after the commit of a unit that has left something to be done in steps. */
  onUnfinished(listener: () => void): void;
}
