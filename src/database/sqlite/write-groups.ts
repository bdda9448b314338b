import type { CompiledQuery, QueryResult, Transaction } from 'kysely';

import { systemClock } from '../../platform/clock.js';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { Semaphore, type Release } from '../../platform/concurrency/semaphore.js';
import type { Tables } from '../../schema/schema.js';
import { databaseBusy, type Database, type Scope } from '../database.js';
import { type DatabaseHealth, StatementListeners } from '../statements.js';
import { handleOf, type SqliteConnection } from './connection.js';
import { storageFailed } from './faults.js';

/** Units, and age in ms, at which a group commits. A unit commits at once if the last one ended so long before. */
const LIMITS = { units: 128, ms: 10 };

/** Requests that have arrived need more than one turn until their units begin: with one, groups were half as large. */
const QUIET_TURNS = 2;

/** Milliseconds after which a write that could not begin is refused with `busy`. */
const MAX_WRITE_WAIT_MS = 5_000;
const MAX_WAITING = 2_000;
const MAX_WAITING_OF_COMPANY = 1_000;

/** Units of work that are committed together. */
interface Group {
  /** Number of units that have ended. */
  units: number;
  readonly since: number;
  /** Resolves after the commit: to null, or to the reason why nothing of the group was stored. */
  readonly end: PromiseWithResolvers<Error | null>;
}

/** A unit of work that may write. */
interface Unit {
  readonly group: Group;
  /** False for the first unit of its group. */
  readonly hasSavepoint: boolean;
  /** Lets the next unit write. */
  readonly release: Release;
  isEnded: boolean;
}

/**
 * Units of work that arrive together share one transaction of SQLite, because a commit waits for the disk,
 * however much it holds. They run one after the other. All but the first have a savepoint, so that one that
 * fails undoes only its own changes. Each unit, even one that failed, ends after the commit, since it may
 * have read what others of its group have changed (decisions.md#group-commit).
 */
export class WriteGroups {
  /** Handle whose statements are committed alone. */
  readonly single = handleOf((query) => this.#executeAlone(query));
  /** SQLite has one writer at a time: companies are served round-robin, by their ids. */
  readonly #writers = new Semaphore<Scope>({
    places: 1,
    placesOfKey: 1,
    maxWaiting: MAX_WAITING,
    maxWaitingOfKey: MAX_WAITING_OF_COMPANY,
    maxWaitMs: MAX_WRITE_WAIT_MS,
    busy: databaseBusy,
  });
  readonly #waits: StatementListeners;
  #group: Group | null = null;
  #isCommitDue = false;
  #lastEnd = -Infinity;

  /** After a fault, each unit is committed alone. */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly health: Pick<DatabaseHealth, 'fault'>,
    private readonly limits = LIMITS,
  ) {
    this.#waits = connection.watcher.waits ?? new StatementListeners();
  }

  /**
   * Stores the changes of `use` as a unit of a group, or nothing if it rejects. Resolves after the commit of the group.
   * Errors: `busy`; that of the group if it could not be committed.
   */
  async run<T>(scope: Scope, use: (db: Transaction<Tables>) => Promise<T>): Promise<T> {
    const unit = await this.#begin(scope);
    try {
      const db = handleOf((query) => {
        if (unit.isEnded) return Promise.reject(new Error('This unit of work has ended.'));
        return this.connection.executeQuery(query);
      });
      const result = await use(db);
      this.connection.requireWhole();
      if (unit.hasSavepoint) this.connection.run('release unit');
      await this.#end(unit);
      return result;
    } catch (error) {
      if (!unit.isEnded) await this.#undo(unit);
      throw error;
    }
  }

  readonly write: Database['write'] = (scope, use, ofCompany) => this.run(scope ?? ofCompany ?? null, use);

  /** Refuses further units; resolves once all waiting ones have ended and are committed. */
  async finish(): Promise<void> {
    await this.#writers.finish();
    this.#commit();
  }

  /** Waits until a unit may write: in the open group, or in a new one. Errors: `busy`. */
  async #begin(scope: Scope): Promise<Unit> {
    const deadline = systemClock.elapsed() + MAX_WRITE_WAIT_MS;
    const release = await this.#waits.during('queue', () => this.#writers.acquire(scope));
    try {
      const hasSavepoint = this.#group !== null;
      if (hasSavepoint) this.connection.run('savepoint unit');
      else await this.connection.begin(deadline);
      this.#group ??= { units: 0, since: systemClock.elapsed(), end: Promise.withResolvers() };
      return { group: this.#group, hasSavepoint, release, isEnded: false };
    } catch (error) {
      this.#letNextWrite(release);
      throw error;
    }
  }

  /** Runs a statement that belongs to no unit: the open group is committed first. */
  async #executeAlone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const release = await this.#writers.acquire(null);
    try {
      this.#commit();
      return await this.connection.executeQuery<R>(query);
    } finally {
      this.#letNextWrite(release);
    }
  }

  /** Undoes the changes of a unit: alone, or if that is not possible, with those of its whole group. */
  async #undo(unit: Unit): Promise<void> {
    if (unit.hasSavepoint && this.#undoAlone()) {
      await this.#end(unit);
      return;
    }
    const reason = this.connection.undone;
    this.connection.rollback();
    this.#endGroup(storageFailed(reason));
    // The group failed because of this unit.
    await this.#end(unit).catch(() => undefined);
  }

  #undoAlone(): boolean {
    try {
      this.connection.run('rollback to unit');
      this.connection.run('release unit');
      return true;
    } catch {
      return false;
    }
  }

  /** Ends a unit; resolves after the commit of its group, which the next unit joins unless it commits now. */
  async #end(unit: Unit): Promise<void> {
    const { group, release } = unit;
    unit.isEnded = true;
    group.units += 1;
    const now = systemClock.elapsed();
    const isAlone = now - this.#lastEnd >= this.limits.ms;
    this.#lastEnd = now;
    if (this.#group !== null && this.#isFull(group)) {
      this.#commit();
      // Callers that wait for this commit, and other processes that wait to write, come before the next group.
      void yieldToEventLoop().then(release);
    } else this.#letNextWrite(release, isAlone);
    const error = await this.#waits.during('commit', () => group.end.promise);
    if (error !== null) throw error;
  }

  /** Lets the next unit write. With `isAlone`, none is expected: the group commits at once if none waits. */
  #letNextWrite(release: Release, isAlone = false): void {
    release();
    if (this.#group === null || this.#writers.running > 0) return;
    if (isAlone) this.#commit();
    else if (!this.#isCommitDue) void this.#commitSoon();
  }

  /** Commits the open group, if there is one. No unit may be running. The units get any error. */
  #commit(): void {
    if (this.#group === null) return;
    let failure: Error | null = null;
    try {
      this.connection.commit();
    } catch (error) {
      failure = storageFailed(error);
      this.connection.rollback();
    }
    this.#endGroup(failure);
  }

  #endGroup(error: Error | null): void {
    this.#group?.end.resolve(error);
    this.#group = null;
  }

  #isFull({ units, since }: Group): boolean {
    const isLong = systemClock.elapsed() - since >= this.limits.ms;
    return units >= this.limits.units || isLong || this.health.fault !== null;
  }

  /** Commits once no unit has joined during `QUIET_TURNS` turns of the event loop. Waiting units join. */
  async #commitSoon(): Promise<void> {
    this.#isCommitDue = true;
    let units = -1;
    for (
      let turns = 0;
      turns < QUIET_TURNS && this.#group !== null && !this.#isFull(this.#group);
      turns += 1
    ) {
      if (this.#group.units !== units) turns = 0;
      ({ units } = this.#group);
      await yieldToEventLoop();
    }
    this.#isCommitDue = false;
    // A unit that is running commits when it ends.
    if (this.#writers.running === 0) this.#commit();
  }
}
