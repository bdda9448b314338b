import type { Transaction } from 'kysely';

import { LOCAL_ORIGIN, type Caller, type Origin } from '../platform/caller.js';
import type { Clock } from '../platform/clock.js';
import { AWAITED, workFor } from '../platform/concurrency/event-loop.js';
import type { KeyedHash } from '../platform/keys/keyed-hash.js';
import { PRESENCE_LIMITS, type PresenceLimits } from '../platform/presence.js';
import type { Tables } from '../schema/schema.js';
import type { CommittedChange, Database, Scope, WriteOptions } from './database.js';
import { createLedger, type RecordedChange } from './ledger/ledger.js';
import type { Changes, CountedMetric, ReadDatabase, SystemWriteWork, Units, WriteWork } from './work.js';

/**
 * Checks that there is room for the changes. A deletion may also update records that refer to the deleted
 * one. Changes without entries are the server's own.
 */
function admit(database: Database, entries: readonly RecordedChange[]): void {
  if (entries.length === 0) return;
  const has = (action: string): boolean => entries.some((entry) => entry.action === action);
  database.admit(has('delete') && !has('create') ? 'deletion' : 'other');
}

function readsOf(database: Database, clock: Clock, presence: PresenceLimits): Units['read'] {
  return async (caller, use, { examines = false, isSingle = false } = {}) => {
    const read = (db: ReadDatabase) => use({ caller, db, now: clock.now(), presence });
    if (examines === true) return await database.examine(caller.companyId, read);
    if (examines === false) return await database.snapshot(caller.companyId, read, isSingle);
    try {
      return await database.snapshot(caller.companyId, (db) =>
        use({ caller, db, now: clock.now(), presence, moveToThread }),
      );
    } catch (error) {
      if (!(error instanceof ManyRows)) throw error;
      return await database.examine(caller.companyId, read);
    }
  };
}

/** Makes a read unit begin again as one that examines many rows. */
class ManyRows extends Error {
  override readonly name = 'ManyRows';
}

function moveToThread(): never {
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
  /** Called with the metrics that units of work count. */
  readonly onCounted?: (metric: CountedMetric, amount: number) => void;
  /** Key for the hashes of ledger entries; null if they get none. */
  readonly chain?: KeyedHash | null;
  readonly presence?: PresenceLimits;
}

/** Collects the changes that a unit reports besides its ledger entries. */
function reportsOf(): {
  readonly report: WriteWork['report'];
  readonly reported: readonly CommittedChange[];
} {
  const reported: CommittedChange[] = [];
  return { reported, report: (change) => void reported.push(change) };
}

/**
 * Passes committed changes of this node and of other nodes to listeners, and those of this node to other
 * nodes.
 */
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

function writesWithoutLedger(write: Write): Units['writeWithoutLedger'] {
  return async (companyId, use) => {
    const actor = { ...LOCAL_ORIGIN, companyId };
    await write(companyId, actor, (work) => use({ ...work, caller: { companyId } }));
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
      const parts = { db, now, presence, ledger, report, warnings: [], ...hooks, ...room };
      const used = await use(workOf(database, parts));
      recorded = await ledger.flush();
      admit(database, recorded);
      return used;
    };
    // Others wait for this unit, so it does not queue behind other work of its company.
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
    writeWithoutLedger: writesWithoutLedger(write),
    isRemote: database.isShared,
    onCommitted: committed.onCommitted,
    onUnfinished: (listener) => void finishers.push(listener),
  };
}
