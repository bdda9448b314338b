import type { Kysely, Transaction } from 'kysely';

import { createLedger, type Ledger, type RecordedChange } from './ledger/ledger.js';
import { LOCAL_ORIGIN, type Caller, type Origin } from '../platform/caller.js';
import type { KeyedHash } from '../platform/keys/keyed-hash.js';
import type { Clock } from '../platform/clock.js';
import { PRESENCE_LIMITS, type PresenceLimits } from '../platform/presence.js';
import { AWAITED, workFor } from '../platform/concurrency/event-loop.js';
import type { CompanyChanges } from './company-changes.js';
import type { CommittedChange, Database, Scope, WriteOptions } from './database.js';
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
  /**
   * Says that something is read that units of `Units.note` change: the answer is not kept. Only where answers may be.
   */
  readonly doNotKeep?: () => void;
  /** It sees all changes up to this position, see `CompanyChanges`. Only in units that read, where changes are known. */
  readonly position?: number | undefined;
  /** See `MANY_ROWS`. Only in units that examine when it is needed. */
  readonly examineInstead?: () => never;
}

/**
 * A read that finds that it would examine more rows than this calls `examineInstead`: the unit ends, and begins again as
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

export interface NoteOptions {
  /** Everything that reads what the unit changes calls `doNotKeep`, so kept answers stay valid. */
  readonly isNeverKept?: boolean;
}

export interface ReadOptions {
  /**
   * Whether its statements may examine more than a few thousand rows (counts with filters, `contains`, summaries,
   * searches). They then run outside of the event loop, in turns with those of other companies and up to a deadline.
   * Errors: `deadline_exceeded`. `when_needed`: the unit begins as an ordinary one, and its statements find out.
   */
  readonly examines?: boolean | 'when_needed';
  /** It is one statement, so it needs no snapshot. */
  readonly isSingle?: boolean;
}

/** Opens units of work. Every unit ends with the promise that `use` returns. Errors: `busy`. */
export interface Units {
  read<T>(caller: Caller, use: (work: ReadWork) => Promise<T>, options?: ReadOptions): Promise<T>;
  write<T>(caller: Caller, use: (work: WriteWork) => Promise<T>): Promise<T>;
  systemRead<T>(use: (work: SystemReadWork) => Promise<T>): Promise<T>;
  /** With `companyId`, the unit waits for units that write in this company, and they for it. */
  systemWrite<T>(origin: Origin, use: (work: SystemWriteWork) => Promise<T>, companyId?: number): Promise<T>;
  /** Whether a statement is a round trip to a server: one with joins is then faster than several. */
  readonly isRemote: boolean;
  /** For what the server itself notes of a company, without a caller. It adds no ledger entry, so subscriptions do not see it. */
  note(
    companyId: number,
    use: (work: CompanyWriteWork) => Promise<void>,
    options?: NoteOptions,
  ): Promise<void>;
  /** In which companies something has changed; null where that is not known at once. */
  readonly changes: CompanyChanges | null;
  /**
   * Calls `listener` with the changes of each commit of this node, and within a second with those of other nodes, until
   * the returned function is called; with null where changes of others may have been missed.
   */
  onCommitted(listener: (changes: Changes) => void): () => void;
  /** Calls `listener` after the commit of a unit that has left something to be done in steps. */
  onUnfinished(listener: () => void): void;
}

/** A deletion may also update what refers to the deleted record. Changes without entries are the server's own. */
function admit(database: Database, entries: readonly RecordedChange[]): void {
  if (entries.length === 0) return;
  const has = (action: string): boolean => entries.some((entry) => entry.action === action);
  database.admit(has('delete') && !has('create') ? 'deletion' : 'other');
}

function readsOf(database: Database, clock: Clock, presence: PresenceLimits): Units['read'] {
  return async (caller, use, { examines = false, isSingle = false } = {}) => {
    const position = database.changes?.position;
    const read = (db: ReadDatabase) => use({ caller, db, now: clock.now(), presence, position });
    if (examines === true) return await database.examine(caller.companyId, read);
    if (examines === false) return await database.snapshot(caller.companyId, read, isSingle);
    try {
      return await database.snapshot(caller.companyId, (db) =>
        use({ caller, db, now: clock.now(), presence, position, examineInstead }),
      );
    } catch (error) {
      if (!(error instanceof ManyRows)) throw error;
      return await database.examine(caller.companyId, read);
    }
  };
}

/** A read unit has to begin again, as one that examines. */
class ManyRows extends Error {
  override readonly name = 'ManyRows';
}

function examineInstead(): never {
  throw new ManyRows('The unit would examine many rows.');
}

type Hooks = Pick<SystemWriteWork, 'afterCommit' | 'count' | 'finishLater'>;

function hooksTo(
  afterCommit: Hooks['afterCommit'],
  finishers: readonly (() => void)[],
  onCounted: Hooks['count'],
): Hooks {
  return {
    afterCommit,
    count: (metric, amount) => afterCommit(() => onCounted(metric, amount)),
    finishLater: () => afterCommit(() => finishers.forEach((finish) => finish())),
  };
}

function roomOf(database: Database): Pick<WriteWork, 'demandRoom' | 'freesRoom'> & {
  readonly doesFree: () => boolean;
} {
  let frees = false;
  return {
    demandRoom: () => database.admit('other'),
    freesRoom: () => {
      frees = true;
      database.admit('deletion');
    },
    doesFree: () => frees,
  };
}

function workOf(
  database: Database,
  parts: Omit<SystemWriteWork, 'aboveCompanies' | 'lockCompanies'>,
): SystemWriteWork {
  const work: SystemWriteWork = {
    ...parts,
    aboveCompanies: (use) => database.aboveCompanies(parts.db, () => use(work)),
    lockCompanies: (companyIds) => database.lockCompanies(parts.db, companyIds),
  };
  return work;
}

export interface UnitOptions {
  /** Gets what units of work count. */
  readonly onCounted?: (metric: CountedMetric, amount: number) => void;
  /** Gives ledger entries hashes; null if they get none. */
  readonly chain?: KeyedHash | null;
  readonly presence?: PresenceLimits;
}

/** What a unit reports besides its ledger entries. */
function reportsOf(): {
  readonly report: WriteWork['report'];
  readonly reported: readonly CommittedChange[];
} {
  const reported: CommittedChange[] = [];
  return { reported, report: (change) => void reported.push(change) };
}

export type Changes = readonly CommittedChange[] | null;

/** Passes changes that this node or another one has committed to listeners, and its own to other nodes. */
function committedOf(database: Database): Pick<Units, 'onCommitted'> & {
  readonly report: (changes: readonly CommittedChange[]) => void;
} {
  const listeners = new Set<(changes: Changes) => void>();
  const tell = (changes: Changes): void => {
    for (const listener of listeners) listener(changes);
  };
  database.onAnnounced(tell);
  return {
    report: (changes) => {
      tell(changes);
      database.announce(changes);
    },
    onCommitted: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

type Write = <T>(
  scope: Scope,
  actor: Partial<Caller> & Origin,
  use: (work: SystemWriteWork) => Promise<T>,
  options?: WriteOptions,
) => Promise<T>;

function notesBy(write: Write): Units['note'] {
  return async (companyId, use, { isNeverKept = false } = {}) => {
    const actor = { ...LOCAL_ORIGIN, companyId };
    await write(companyId, actor, (work) => use({ ...work, caller: { companyId } }), { isNeverKept });
  };
}

interface WriteParts extends Required<UnitOptions> {
  readonly committed: { readonly report: (changes: readonly CommittedChange[]) => void };
  readonly finishers: readonly (() => void)[];
}

function writesOf(
  database: Database,
  clock: Clock,
  { onCounted, chain, presence, committed, finishers }: WriteParts,
): Write {
  return async <T>(
    scope: Scope,
    actor: Partial<Caller> & Origin,
    use: (work: SystemWriteWork) => Promise<T>,
    options?: WriteOptions,
  ): Promise<T> => {
    database.health.demandWritable();
    const actions: (() => void)[] = [];
    const hooks = hooksTo((action) => void actions.push(action), finishers, onCounted);
    const { doesFree, ...room } = roomOf(database);
    const { report, reported } = reportsOf();
    let recorded: readonly RecordedChange[] = [];
    const change = async (db: Transaction<Tables>): Promise<T> => {
      const now = clock.now();
      const ledger = createLedger(db, now, actor, chain);
      const used = await use(workOf(database, { db, now, presence, ledger, report, ...hooks, ...room }));
      recorded = await ledger.flush();
      admit(database, recorded);
      return used;
    };
    // Others wait for this one: it does not wait for the other work of its company.
    const result = await database.write(scope, (db) => workFor(AWAITED, () => change(db)), options);
    if (!doesFree()) database.health.recovered();
    for (const action of actions) action();
    committed.report([...recorded, ...reported]);
    return result;
  };
}

export function createUnits(database: Database, clock: Clock, options: UnitOptions = {}): Units {
  const { onCounted = () => undefined, chain = null, presence = PRESENCE_LIMITS } = options;
  const committed = committedOf(database);
  const finishers: (() => void)[] = [];

  const write = writesOf(database, clock, { onCounted, chain, presence, committed, finishers });

  return {
    read: readsOf(database, clock, presence),
    write: (caller, use) => write(caller.companyId, caller, (work) => use({ ...work, caller })),
    systemRead: (use) => database.snapshot(null, (db) => use({ db, now: clock.now(), presence })),
    systemWrite: (origin, use, companyId) => write(null, origin, use, { ofCompany: companyId }),
    note: notesBy(write),
    isRemote: database.isShared,
    changes: database.changes,
    onCommitted: committed.onCommitted,
    onUnfinished: (listener) => void finishers.push(listener),
  };
}
