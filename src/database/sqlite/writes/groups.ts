import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';

import { systemClock } from '../../../platform/clock.js';
import {
  AWAITED,
  currentOwner,
  workFor,
  yieldToEventLoop,
} from '../../../platform/concurrency/event-loop.js';
import type { Release } from '../../../platform/concurrency/semaphore.js';
import { Turns } from '../../../platform/concurrency/turns.js';
import { DomainError } from '../../../platform/errors.js';
import type { SqliteConnection } from '../connections/connection.js';
import { storageFailed } from '../faults.js';

/**
 * A group that has reached this number of units, or this age in milliseconds, commits before the next unit
 * begins. A single unit commits at once if the last one ended at least this long before.
 */
const LIMITS = { units: 128, ms: 10 } as const;

/** Units of work that are committed together. */
interface Group {
  /** Number of units that have ended. */
  units: number;
  readonly since: number;
  /** Resolves after the commit: to null, or to the reason why nothing of the group was stored. */
  readonly ended: Promise<Error | null>;
  readonly end: (error: Error | null) => void;
}

interface Options {
  readonly connection: SqliteConnection;
  readonly writers: Writers;
  /** Whether each unit is to be committed alone, for example because the storage has failed. */
  readonly isCautious: () => boolean;
  readonly limits?: { readonly units: number; readonly ms: number };
}

/**
 * Units of work that arrive together share one transaction of SQLite, because a commit waits for the disk,
 * however much it holds. They run one after the other. All but the first have a savepoint, so that one that
 * fails undoes only its own changes. Each unit, even one that failed, ends after the commit, since it may
 * have read what others of its group have changed (decisions.md#group-commit).
 */
export class WriteGroups {
  readonly connection: SqliteConnection;
  readonly #limits: { readonly units: number; readonly ms: number };
  #group: Group | null = null;
  #isCommitDue = false;
  #lastEnd = -Infinity;

  constructor(private readonly options: Options) {
    this.connection = options.connection;
    this.#limits = options.limits ?? LIMITS;
  }

  /** Waits until the unit may write. Errors: `busy`. */
  async acquire(): Promise<WritingUnit> {
    const deadline = systemClock.elapsed() + MAX_WRITE_WAIT_MS;
    return new WritingUnit(this, deadline, await this.options.writers.acquire(currentOwner().party));
  }

  /** Begins a unit that may write, in the open group or in a new one. Errors: `busy`. */
  async join(deadline: number): Promise<{ readonly group: Group; readonly hasSavepoint: boolean }> {
    if (this.#group !== null) {
      this.connection.savepoint();
      return { group: this.#group, hasSavepoint: true };
    }
    await this.connection.begin(deadline);
    const { promise, resolve } = Promise.withResolvers<Error | null>();
    this.#group = { units: 0, since: systemClock.elapsed(), ended: promise, end: resolve };
    return { group: this.#group, hasSavepoint: false };
  }

  /** Ends a unit. The next unit joins its group, unless the group commits now. */
  leave(group: Group, release: Release): void {
    group.units += 1;
    const now = systemClock.elapsed();
    const isAlone = now - this.#lastEnd >= this.#limits.ms;
    this.#lastEnd = now;
    if (this.#group === null || !this.#isFull(group)) {
      this.release(release, isAlone);
      return;
    }
    this.commit();
    // Callers that wait for this commit, and other processes that wait to write, come before the next group.
    void workFor(AWAITED, yieldToEventLoop).then(release);
  }

  /**
   * Lets the next unit write. With `isAlone`, no further unit is expected, so the group commits at once if
   * none waits.
   */
  release(release: Release, isAlone = false): void {
    release();
    if (this.#group === null || this.options.writers.running > 0) return;
    if (isAlone) this.commit();
    else if (!this.#isCommitDue) void workFor(AWAITED, () => this.#commitSoon());
  }

  /** Runs a statement that belongs to no unit: the open group is committed first. */
  async executeAlone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.commit();
    return await this.connection.executeQuery<R>(query);
  }

  /** Rolls the whole group back. */
  undo(): void {
    const reason = this.connection.undone;
    this.connection.rollback();
    this.#end(storageFailed(reason));
  }

  /** Refuses further units; resolves once all waiting ones have ended and are committed. */
  async finish(): Promise<void> {
    await this.options.writers.finish();
    this.commit();
  }

  /**
   * Commits the open group, if there is one. No unit may be running. Does not throw: the units get the error.
   */
  commit(): void {
    if (this.#group === null) return;
    let failure: Error | null = null;
    try {
      this.connection.commit();
    } catch (error) {
      failure = storageFailed(error);
      this.connection.rollback();
    }
    this.#end(failure);
  }

  #end(error: Error | null): void {
    this.#group?.end(error);
    this.#group = null;
  }

  #isFull({ units, since }: Group): boolean {
    const isLong = systemClock.elapsed() - since >= this.#limits.ms;
    return units >= this.#limits.units || isLong || this.options.isCautious();
  }

  /**
   * Commits once no unit has joined during a turn of the event loop. Units that wait already join the group.
   */
  async #commitSoon(): Promise<void> {
    this.#isCommitDue = true;
    let units = -1;
    while (this.#group !== null && this.#group.units !== units && !this.#isFull(this.#group)) {
      ({ units } = this.#group);
      await yieldToEventLoop();
    }
    this.#isCommitDue = false;
    // A unit that is running commits when it ends.
    if (this.options.writers.running === 0) this.commit();
  }
}

/** The connection of one unit of work, from the time when it may write to its end. */
export class WritingUnit implements DatabaseConnection {
  #state: 'waiting' | 'running' | 'ended' = 'waiting';
  #group: Group | null = null;
  #hasSavepoint = false;

  constructor(
    private readonly groups: WriteGroups,
    private readonly deadline: number,
    private readonly turn: Release,
  ) {}

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#state === 'ended') return Promise.reject(new Error('This unit of work has ended.'));
    if (this.#state === 'waiting') return this.groups.executeAlone(query);
    return this.groups.connection.executeQuery(query);
  }

  streamQuery(): never {
    return this.groups.connection.streamQuery();
  }

  async begin(): Promise<void> {
    const { group, hasSavepoint } = await this.groups.join(this.deadline);
    this.#group = group;
    this.#hasSavepoint = hasSavepoint;
    this.#state = 'running';
  }

  /** Resolves after the commit of the group. */
  async commit(): Promise<void> {
    this.groups.connection.demandWhole();
    if (this.#hasSavepoint) this.groups.connection.releaseSavepoint();
    await this.#end();
  }

  /** Undoes the changes of this unit. Errors: that of the group if the group could not be committed. */
  async rollback(): Promise<void> {
    if (this.#state === 'ended') return;
    const { connection } = this.groups;
    const isUndone = !this.#hasSavepoint || !connection.rollbackToSavepoint();
    if (isUndone) this.groups.undo();
    const ended = this.#end();
    // The group failed because of this unit.
    if (isUndone) await ended.catch(() => undefined);
    else await ended;
  }

  /** To be called after a statement that belongs to no unit, or after a unit that could not begin. */
  release(): void {
    if (this.#state === 'waiting') this.groups.release(this.turn);
    this.#state = 'ended';
  }

  async #end(): Promise<void> {
    this.#state = 'ended';
    const group = this.#group;
    if (group === null) return;
    this.groups.leave(group, this.turn);
    const error = await group.ended;
    if (error !== null) throw error;
  }
}

/** Milliseconds after which a write that could not begin is refused with `busy`. */
export const MAX_WRITE_WAIT_MS = 5_000;
const MAX_WAITING = 2_000;
const MAX_WAITING_OF_PARTY = 1_000;

/** Queue of the units that wait to write, by party (see `Owner`). */
export type Writers = Turns<unknown>;

/**
 * SQLite has one writer at a time: parties are served round-robin, and the writers of each in the order of
 * arrival.
 */
export function createWriters(): Writers {
  return new Turns({
    ...{ places: 1, placesOfKey: 1, maxWaiting: MAX_WAITING, maxWaitingOfKey: MAX_WAITING_OF_PARTY },
    maxWaitMs: MAX_WRITE_WAIT_MS,
    busy: () => new DomainError('busy', 'The database is busy; try again in a second.', { retryAfter: 1 }),
  });
}
