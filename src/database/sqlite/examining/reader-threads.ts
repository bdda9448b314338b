import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { enterEventLoop } from '../../../platform/concurrency/event-loop.js';
import { Semaphore } from '../../../platform/concurrency/semaphore.js';
import { DomainError } from '../../../platform/errors.js';
import type { Tables } from '../../../schema/schema.js';
import type { ExaminingLimits, ExaminingReads } from '../../database.js';
import { stopping, type Watcher } from '../faults.js';
import { bound, handleOf } from '../statements.js';
import { ReaderThread } from './reader-thread.js';

const LIMITS: ExaminingLimits = {
  // At least two, since one company may use all but one.
  threads: Math.min(Math.max(availableParallelism(), 2), 4),
  deadlineMs: 5_000,
  graceMs: 5_000,
  maxWaitMs: 5_000,
  maxWaiting: 1_000,
  maxWaitingOfCompany: 200,
  idleMs: 60_000,
  maxHeapMiB: 256,
};

export interface ReaderThreadsOptions {
  readonly file: string;
  readonly watcher: Watcher;
  /** Called when a thread ended by itself, or did not stop in time. */
  readonly onThreadLost: (error: unknown) => void;
  readonly limits?: Partial<ExaminingLimits> | undefined;
}

/**
 * Runs read units that may examine many rows. Each has its own thread, with one read transaction. Companies
 * are served round-robin, and one company can never use all threads. Threads are started when they are
 * needed.
 */
export class ReaderThreads {
  readonly #limits: ExaminingLimits;
  readonly #inode: number;
  readonly #turns: Semaphore<number>;
  readonly #threads = new Set<ReaderThread>();
  readonly #idle: ReaderThread[] = [];
  /** Threads that were terminated, but in which SQLite has not returned yet. */
  readonly #stuck = new Set<ReaderThread>();
  /** Functions that end the running units, called when the database is closed. */
  readonly #units = new Set<(error: Error) => void>();
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #exceeded = 0;
  #lost = 0;

  constructor(private readonly options: ReaderThreadsOptions) {
    this.#limits = { ...LIMITS, ...options.limits };
    this.#inode = statSync(options.file).ino;
    const { threads, maxWaiting, maxWaitingOfCompany, maxWaitMs } = this.#limits;
    this.#turns = new Semaphore({
      places: threads,
      placesOfKey: threads - 1,
      maxWaiting,
      maxWaitingOfKey: maxWaitingOfCompany,
      maxWaitMs,
      busy,
    });
  }

  get state(): ExaminingReads {
    const { running, waiting } = this.#turns;
    const threads = this.#threads.size + this.#stuck.size;
    return { running, waiting, threads, exceeded: this.#exceeded, lostThreads: this.#lost };
  }

  /** Errors: `busy`, `deadline_exceeded`, `storage_unavailable`. */
  async use<T>(companyId: number, use: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const release = await this.#turns.acquire(companyId);
    let thread: ReaderThread;
    try {
      thread = this.#take();
    } catch (error) {
      release();
      throw error;
    }
    try {
      await thread.opened;
      if (this.#isClosed) throw stopping();
      return await this.#within(thread, use);
    } finally {
      void this.#giveBack(thread, release);
    }
  }

  /** Begins no unit until `resume`. Resolves once no unit has a transaction. */
  async pause(): Promise<void> {
    await this.#turns.pause();
    await Promise.all([...this.#threads].map(({ settled }) => settled));
  }

  resume(): void {
    this.#turns.resume();
  }

  /** Ends running units with `storage_unavailable`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    this.#turns.close();
    for (const fail of this.#units) fail(stopping());
    const threads = [...this.#threads, ...this.#stuck];
    for (const thread of threads) thread.close();
    await this.#inTime(Promise.all(threads.map(({ ended }) => ended)));
    for (const thread of threads) void thread.terminate();
  }

  /** Runs a unit, which ends at the deadline even if the thread or `use` goes on. */
  async #within<T>(thread: ReaderThread, use: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    let error: Error | null = null;
    const failed = Promise.withResolvers<never>();
    const fail = (reason: Error): void => {
      error ??= reason;
      failed.reject(error);
    };
    const read = async (sql: string, parameters: readonly unknown[]): Promise<unknown[]> => {
      if (error !== null) throw error;
      const ended = this.options.watcher.onStatement(sql);
      const rows = Promise.race([thread.read(sql, bound(parameters)), failed.promise]);
      if (ended !== undefined) rows.then(() => ended(), ended);
      return await rows;
    };
    const db = handleOf(async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
      const rows = (await read(sql, parameters)) as R[];
      // Results of several threads can arrive at the same time.
      await enterEventLoop();
      return { rows };
    });
    const timer = setTimeout(() => {
      this.#exceeded += 1;
      fail(deadlineExceeded());
    }, this.#limits.deadlineMs);
    this.#units.add(fail);
    thread.begin();
    try {
      return await Promise.race([use(db), failed.promise]);
    } finally {
      clearTimeout(timer);
      this.#units.delete(fail);
      error ??= new Error('The unit of work has ended.');
    }
  }

  #take(): ReaderThread {
    const idle = this.#idle.pop();
    if (idle === undefined) return this.#start();
    return idle.isUsable ? idle : this.#take();
  }

  #start(): ReaderThread {
    const { file, watcher, onThreadLost } = this.options;
    const thread = new ReaderThread({
      file,
      watcher,
      inode: this.#inode,
      maxHeapMiB: this.#limits.maxHeapMiB,
      onCrash: (error) => {
        this.#lost += 1;
        onThreadLost(error);
      },
    });
    this.#threads.add(thread);
    void thread.ended.then(() => this.#forget(thread));
    return thread;
  }

  /**
   * Releases a thread for another unit. A thread that does not stop is replaced, unless too many have not
   * stopped.
   */
  async #giveBack(thread: ReaderThread, release: () => void): Promise<void> {
    const wasFree = thread.isFree;
    thread.end();
    if (!wasFree && !(await this.#inTime(thread.settled))) {
      this.#lost += 1;
      this.options.onThreadLost(new Error('A statement did not stop in time.'));
      this.#threads.delete(thread);
      this.#stuck.add(thread);
      void thread.terminate();
      if (this.#stuck.size > this.#limits.threads) await thread.ended;
    } else if (thread.isUsable) this.#idle.push(thread);
    else thread.close();
    release();
    this.#endIdleLater();
  }

  async #inTime(end: Promise<unknown>): Promise<boolean> {
    const late = new AbortController();
    const timeout = sleep(this.#limits.graceMs, false, { signal: late.signal }).catch(() => false);
    const isInTime = await Promise.race([end.then(() => true), timeout]);
    late.abort();
    return isInTime;
  }

  #endIdleLater(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      for (const thread of this.#idle.splice(0)) thread.close();
    }, this.#limits.idleMs).unref();
  }

  #forget(thread: ReaderThread): void {
    this.#threads.delete(thread);
    this.#stuck.delete(thread);
    const place = this.#idle.indexOf(thread);
    if (place >= 0) this.#idle.splice(place, 1);
  }
}

function busy(): DomainError {
  return new DomainError('busy', 'Too many requests examine many records at the same time; try again.', {
    retryAfter: 1,
  });
}

function deadlineExceeded(): DomainError {
  return new DomainError(
    'deadline_exceeded',
    'Reading this took too long, because too many records had to be examined. Narrow it down, for example to a shorter time or with fewer conditions.',
    { retryAfter: 10 },
  );
}
