import type { Kysely, Transaction } from 'kysely';

import { createLedger, type Ledger, type RecordedChange } from './ledger.js';
import type { Caller, Origin } from '../platform/caller.js';
import type { Clock } from '../platform/clock.js';
import type { Database } from './database.js';
import type { Tables } from './tables.js';

/** A handle that offers queries only. A statement written with `sql` that changes something fails at run time. */
export type ReadDatabase = Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom' | 'getExecutor'>;

/** The unit of work of a use case that only reads. All of its statements see the same state of the database. */
export interface ReadWork {
  readonly caller: Caller;
  readonly db: ReadDatabase;
  /** The time at which the unit began. */
  readonly now: Date;
}

/** The unit of work of a use case that changes something: one transaction. */
export interface WriteWork extends ReadWork {
  readonly db: Transaction<Tables>;
  readonly ledger: Ledger;
  /** Calls `action` after the commit; never after a rollback. */
  afterCommit(action: () => void): void;
  /** Refuses the unit like one that creates a record, though it adds no ledger entry. Errors: `storage_full`. */
  demandRoom(): void;
  /** Counts the unit as a deletion, though it adds no ledger entry: that it succeeds does not show that there is room. */
  freesRoom(): void;
  /** Adds to a metric after the commit; never after a rollback. */
  count(metric: CountedMetric, amount: number): void;
}

/** Metrics that use cases count themselves: `cardDataScrubs` are places where card data was masked. */
export type CountedMetric = 'cardDataScrubs';

/** Work for no single company: signing in, reading the ledger of all companies, the command line. */
export type SystemReadWork = Omit<ReadWork, 'caller'>;
export type SystemWriteWork = Omit<WriteWork, 'caller'>;

/** Opens units of work. Every unit ends with the promise that `use` returns. Errors: `busy`. */
export interface Units {
  read<T>(caller: Caller, use: (work: ReadWork) => Promise<T>): Promise<T>;
  write<T>(caller: Caller, use: (work: WriteWork) => Promise<T>): Promise<T>;
  systemRead<T>(use: (work: SystemReadWork) => Promise<T>): Promise<T>;
  systemWrite<T>(origin: Origin, use: (work: SystemWriteWork) => Promise<T>): Promise<T>;
  /**
   * Calls `listener` with the recorded changes after each commit of this process, until the returned function is
   * called. Commits of other processes are not reported.
   */
  onCommitted(listener: (entries: readonly RecordedChange[]) => void): () => void;
}

/** A deletion may also update what refers to the deleted record. Changes without entries are the server's own. */
function admit(database: Database, entries: readonly RecordedChange[]): void {
  if (entries.length === 0) return;
  const has = (action: string): boolean => entries.some((entry) => entry.action === action);
  database.admit(has('delete') && !has('create') ? 'deletion' : 'other');
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

/** `onCounted` gets what units of work count; the command line has no metrics and leaves it out. */
export function createUnits(
  database: Database,
  clock: Clock,
  onCounted: (metric: CountedMetric, amount: number) => void = () => undefined,
): Units {
  const listeners = new Set<(entries: readonly RecordedChange[]) => void>();
  async function systemWrite<T>(
    actor: Partial<Caller> & Origin,
    use: (work: SystemWriteWork) => Promise<T>,
  ): Promise<T> {
    database.health.demandWritable();
    const actions: (() => void)[] = [];
    const { doesFree, ...room } = roomOf(database);
    let recorded: readonly RecordedChange[] = [];
    const result = await database.writes.transaction().execute(async (db) => {
      const now = clock.now();
      const ledger = createLedger(db, now, actor);
      const afterCommit = (action: () => void): void => void actions.push(action);
      const count: WriteWork['count'] = (...counted) => afterCommit(() => onCounted(...counted));
      const used = await use({ db, now, ledger, afterCommit, ...room, count });
      recorded = await ledger.flush();
      admit(database, recorded);
      return used;
    });
    if (!doesFree()) database.health.recovered();
    for (const action of actions) action();
    for (const listener of listeners) listener(recorded);
    return result;
  }

  return {
    read: (caller, use) => database.snapshot(false, (db) => use({ caller, db, now: clock.now() })),
    write: (caller, use) => systemWrite(caller, (work) => use({ ...work, caller })),
    systemRead: (use) => database.snapshot(true, (db) => use({ db, now: clock.now() })),
    systemWrite,
    onCommitted: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
