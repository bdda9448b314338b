import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';

import { systemClock } from '../../../platform/clock.js';
import {
  AWAITED,
  currentOwner,
  workFor,
  yieldToEventLoop,
} from '../../../platform/concurrency/event-loop.js';
import type { Release } from '../../../platform/concurrency/semaphore.js';
import type { SqliteConnection } from '../connections/connection.js';
import { storageFailed } from '../faults.js';
import { MAX_WRITE_WAIT_MS, type Writers } from './writer.js';

/**
 * A group that has reached one of these commits before the next unit begins. One that comes alone, so many milliseconds
 * after the last one, is committed at once.
 */
const LIMITS = { units: 128, ms: 10 } as const;

/** Units of work that are committed together. */
interface Group {
  /** Units that have ended. */
  units: number;
  readonly since: number;
  /** Resolves after the commit, or to why nothing of the group was stored. */
  readonly ended: Promise<Error | null>;
  readonly end: (error: Error | null) => void;
}

interface Options {
  readonly connection: SqliteConnection;
  readonly writers: Writers;
  /** Whether each unit is to be committed alone, for example since the storage has failed. */
  readonly isCautious: () => boolean;
  readonly limits?: { readonly units: number; readonly ms: number };
}

/**
 * Units of work that arrive together are one transaction of SQLite: a commit waits for the disk, however much it holds.
 * They run one after the other, in the order of their turns to write. All but the first have a savepoint, so one that
 * fails undoes its own changes only. Each ends, also one that failed, after the commit, since it may have read what the
 * others of its group have changed (decisions.md#group-commit).
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

  /** Waits for the turn to write. Errors: `busy`. */
  async acquire(): Promise<WritingUnit> {
    const deadline = systemClock.elapsed() + MAX_WRITE_WAIT_MS;
    return new WritingUnit(this, deadline, await this.options.writers.acquire(currentOwner().party));
  }

  /** Begins a unit that has the turn, in the open group or in a new one. Errors: `busy`. */
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

  /** Gives the turn of a unit back. What waits joins its group, unless that commits now. */
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
    // Those who wait for this commit, and other processes that wait to write, come before the next group.
    void workFor(AWAITED, yieldToEventLoop).then(release);
  }

  /** With `isAlone`, nothing else is expected to join the group. */
  release(release: Release, isAlone = false): void {
    release();
    if (this.#group === null || this.options.writers.running > 0) return;
    if (isAlone) this.commit();
    else if (!this.#isCommitDue) void workFor(AWAITED, () => this.#commitSoon());
  }

  /** A statement of its own is no part of what others have begun. */
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

  /** Commits what has begun once those that wait have had their turns, and refuses others. */
  async finish(): Promise<void> {
    await this.options.writers.finish();
    this.commit();
  }

  /** Commits the open group, if there is one. No unit may be running. Does not throw: the units get the error. */
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

  /** Waits until no unit has come for a turn of the event loop: those that wait in it already join the group. */
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

/** The connection of one unit of work, from its turn to write until it has ended. */
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

  /** Undoes the changes of this unit. Errors: that of the group if it could not be committed, since that comes first. */
  async rollback(): Promise<void> {
    if (this.#state === 'ended') return;
    const { connection } = this.groups;
    const isUndone = !this.#hasSavepoint || !connection.rollbackToSavepoint();
    if (isUndone) this.groups.undo();
    const ended = this.#end();
    // This unit itself is the reason.
    if (isUndone) await ended.catch(() => undefined);
    else await ended;
  }

  /** After a statement that is no part of a unit, or a unit that could not begin. */
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
