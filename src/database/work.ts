import type { Transaction } from 'kysely';

import type { Caller, Origin } from '../platform/requests.js';
import type { Moment } from '../platform/terminal.js';
import type { Tables } from '../schema/schema.js';
import type { CommittedChange, ReadDatabase } from './database.js';

export type { ReadDatabase };

/** The unit of work of a use case that only reads. All of its statements see the same state of the database. */
export interface ReadWork extends Moment {
  readonly caller: Caller;
  readonly db: ReadDatabase;
  /**
   * A handle for queries that compare the company themselves, where row-level security would cost the index: on
   * PostgreSQL no policy hides a row from them. For single statements.
   */
  readonly everywhere: () => ReadDatabase;
  /** True if its statements may examine many rows, see `ReadOptions`. */
  readonly examines?: boolean;
}

/** Actions that entries of the ledger record. Entries stay, so a name that was once written is never removed. */
export const LEDGER_ACTIONS = [
  'accept_loss',
  'acknowledged',
  'cancel',
  'closed',
  'command_cancelled',
  'command_confirmed',
  'command_done',
  'command_expired',
  'command_failed',
  'command_replaced',
  'create',
  'delete',
  'disable',
  'enable',
  'end',
  'fetch',
  'issue',
  'leave_out',
  'opened',
  'pass_wave',
  'pause',
  'record',
  'rename',
  'renew',
  'repeated',
  'report',
  'retry',
  'resume',
  'revoke',
  'send_log',
  'set_password',
  'set_role',
  'sign_in',
  'sign_in_failed',
  'sign_in_locked',
  'sign_in_refused',
  'sign_out',
  'start_wave',
  'stop',
  'switch_company',
  'undo',
  'unlock',
  'update',
] as const;
export type LedgerActionName = (typeof LEDGER_ACTIONS)[number];

/** Types of the records, or of the events, that entries of the ledger are about. Names stay as those of actions do. */
export const ENTITY_TYPES = [
  'access_token',
  'alert',
  'alert_rule',
  'app',
  'app_version',
  'command',
  'company',
  'database',
  'device',
  'device_token',
  'export_schedule',
  'file',
  'group',
  'invitation',
  'job',
  'logical_number',
  'membership',
  'metacontent',
  'notification',
  'parameter',
  'passkey',
  'rollout',
  'saved_filter',
  'session',
  'sign_in',
  'transaction',
  'user',
  'webhook',
] as const;
export type EntityTypeName = (typeof ENTITY_TYPES)[number];

/** One change. `before` and `after` never hold secrets, passwords or the bytes of files. */
export interface LedgerChange {
  readonly action: LedgerActionName;
  readonly entityType: EntityTypeName;
  readonly entityId: number | null;
  readonly before?: object | null;
  readonly after?: object | null;
  /** Default: the company and the user of the caller. */
  readonly companyId?: number | null;
  readonly userId?: number | null;
  /** Default: the job that acts, if one does. */
  readonly jobId?: number;
}

interface Identified {
  readonly id: number;
}

/** Fields of a change that neither the caller nor the method of `Ledger` determines. */
type GivenFields = Partial<Pick<LedgerChange, 'action' | 'companyId' | 'userId'>>;

/** Changes are recorded in the transaction of the unit of work, in the order of the calls (decisions.md#ledger). */
export interface Ledger {
  append(event: LedgerChange): void;
  created(entityType: EntityTypeName, after: Identified, given?: GivenFields): void;
  updated(entityType: EntityTypeName, before: Identified, after: object, given?: GivenFields): void;
  deleted(entityType: EntityTypeName, before: Identified, given?: GivenFields): void;
  /** Entries that follow count as changes of this job. */
  actFor(jobId: number): void;
}

/** Unit of work of a use case that changes something: it is stored completely or not at all. */
export interface WriteWork extends ReadWork {
  readonly db: Transaction<Tables>;
  readonly ledger: Ledger;
  /** Calls `action` after the commit; never after a rollback. */
  afterCommit(action: () => void): void;
  /** Reports that this unit has left deliveries to be queued in steps; see `Units.onUnfinished`. */
  deferFinish(): void;
  /**
   * Calls `use`, and nothing else meanwhile, which sees and changes the rows of all companies: a company gets
   * information and changes of others only through a use case, for example whether a name is taken.
   */
  acrossCompanies<T>(use: (work: SystemWriteWork) => Promise<T>): Promise<T>;
  /** In a unit above companies, before it reads what it then changes in them: locks these companies. */
  lockCompanies(companyIds: readonly number[]): Promise<void>;
  /** Checks for room as for a new record, though the unit adds no ledger entry. Errors: `storage_full`. */
  requireRoom(): void;
  /** Counts the unit as a deletion, though it adds no ledger entry: its success does not show that there is room. */
  freesDiskSpace(): void;
  /** Reports a change without a ledger entry to `Units.onCommitted`, after the commit. */
  report(change: CommittedChange): void;
  /** Warnings about the change, which is made: ASCII sentences, sent as `warnings` and in the header X-Warning. */
  readonly warnings: string[];
  /** Adds to a metric after the commit; never after a rollback. */
  count(metric: CountedMetric, amount: number): void;
}

/** Metrics that use cases count: places where card data was masked, and deliveries that have reached a state. */
export type CountedMetric =
  | 'cardDataScrubs'
  | `${'queued' | 'sent' | 'delivered' | 'failed' | 'expired' | 'cancelled'}Deliveries`;

/** Work that does not belong to one company: signing in, reading the ledger of all companies, the command line. */
export type SystemReadWork = Omit<ReadWork, 'caller'>;
export type SystemWriteWork = Omit<WriteWork, 'caller'>;

/** Work of the server itself in one company. */
export type CompanyWriteWork = SystemWriteWork & { readonly caller: Pick<Caller, 'companyId'> };

export interface ReadOptions {
  /**
   * Whether its statements may examine more than a few thousand rows, for example in searches. They then run outside
   * of the event loop, up to a deadline (`deadline_exceeded`). `use` must not open another unit that examines: the
   * company could have to wait for itself.
   */
  readonly examines?: boolean;
}

/** Committed changes; null if some may have been missed. */
export type Changes = readonly CommittedChange[] | null;

/** Opens units of work (decisions.md#unit-of-work), which end with the promise of `use`. Errors: `busy`. */
export interface Units {
  read<T>(caller: Caller, use: (work: ReadWork) => Promise<T>, options?: ReadOptions): Promise<T>;
  write<T>(caller: Caller, use: (work: WriteWork) => Promise<T>): Promise<T>;
  systemRead<T>(use: (work: SystemReadWork) => Promise<T>): Promise<T>;
  /** The unit and those that write in the company `companyId`, if one is given, wait for each other. */
  systemWrite<T>(origin: Origin, use: (work: SystemWriteWork) => Promise<T>, companyId?: number): Promise<T>;
  /** Runs a unit for changes of the server itself in a company, without ledger entries and subscriptions. */
  writeWithoutLedger(companyId: number, use: (work: CompanyWriteWork) => Promise<void>): Promise<void>;
  /**
   * Calls `listener` with changes of each commit, of other nodes after a second; with null if some may be missing.
   * With `entityTypes`, only for commits that changed one of these. Returns a function that ends this.
   */
  onCommitted(listener: (changes: Changes) => void, entityTypes?: readonly string[]): () => void;
  /** Calls `listener` after the commit of a unit that has left deliveries to be queued in steps. */
  onUnfinished(listener: () => void): void;
}
