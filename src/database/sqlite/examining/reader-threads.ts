import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { gather } from '../../../platform/concurrency/event-loop.js';
import type { Semaphore } from '../../../platform/concurrency/semaphore.js';
import type { Tables } from '../../../schema/schema.js';
import { examiningOf, type ExaminingLimits, type ExaminingReads } from '../../database.js';
import { tookTooLong } from '../../statements.js';
import { bound, handleOf } from '../connection.js';
import { stopping, type Watcher } from '../faults.js';
import { ReaderThread } from './reader-thread.js';

/** Two threads or more, since one company may use all but one. */
const THREADS = Math.min(Math.max(availableParallelism(), 2), 4);
const OF_THREADS = { graceMs: 5_000, idleMs: 60_000, maxHeapMiB: 256 };

interface ReaderThreadsOptions {
  readonly file: string;
  readonly watcher: Watcher;
  /** Called when a thread ended by itself. */
  readonly onThreadLost: (error: unknown) => void;
  readonly limits?: Partial<ExaminingLimits> | undefined;
}

/** Runs read units that may examine many rows, each in a thread. One company can never use all threads. */
export class ReaderThreads {
  readonly #limits: ExaminingLimits;
  readonly #inode: number;
  readonly #turns: Semaphore<number>;
  readonly #threads = new Set<ReaderThread>();
  #idle: readonly ReaderThread[] = [];
  /** Functions that end the running units, called when the database is closed. */
  readonly #units = new Set<(error: Error) => void>();
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #exceeded = 0;
  #lost = 0;

  constructor(private readonly options: ReaderThreadsOptions) {
    const { limits, turns } = examiningOf(THREADS, options.limits);
    this.#limits = { ...OF_THREADS, ...limits };
    this.#turns = turns;
    this.#inode = statSync(options.file).ino;
  }

  get state(): ExaminingReads {
    const { running, waiting } = this.#turns;
    const threads = this.#threads.size;
    return { running, waiting, threads, exceeded: this.#exceeded, lostThreads: this.#lost };
  }

  /** Errors: `busy`, `deadline_exceeded`, `storage_unavailable`. */
  async use<T>(companyId: number, use: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const release = await this.#turns.acquire(companyId);
    let thread: ReaderThread | undefined;
    try {
      thread = this.#take();
      await thread.opened;
      if (this.#isClosed) throw stopping();
      return await this.#within(thread, use);
    } finally {
      const isFree = thread?.isFree !== false;
      const released = this.#release(thread, release);
      // A statement that still runs is stopped after the response.
      if (isFree) await released;
    }
  }

  /** Begins no unit until `resume`. Resolves once no unit has a transaction. */
  async pause(): Promise<void> {
    await this.#turns.pause();
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
    const threads = [...this.#threads];
    for (const thread of threads) thread.close();
    const ended = Promise.all(threads.map((thread) => thread.ended));
    await Promise.race([ended, sleep(this.#limits.graceMs, undefined, { ref: false })]);
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
    const db = handleOf(async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
      if (error !== null) throw error;
      const ended = this.options.watcher.onStatement(sql);
      const reading = Promise.race([thread.read(sql, bound(parameters)), failed.promise]);
      if (ended !== undefined) reading.then(() => ended(), ended);
      const rows = (await reading) as R[];
      // Results of several threads can arrive at the same time.
      await gather();
      return { rows };
    });
    const timer = setTimeout(() => {
      this.#exceeded += 1;
      fail(tookTooLong());
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
    const idle = this.#idle.at(-1);
    if (idle === undefined) return this.#start();
    this.#idle = this.#idle.slice(0, -1);
    return idle.isUsable ? idle : this.#take();
  }

  #start(): ReaderThread {
    const { file, watcher, onThreadLost } = this.options;
    const onCrash = (error: unknown): void => {
      this.#lost += 1;
      onThreadLost(error);
    };
    const { maxHeapMiB } = this.#limits;
    const thread = new ReaderThread({ file, watcher, inode: this.#inode, maxHeapMiB, onCrash });
    this.#threads.add(thread);
    void thread.ended.then(() => {
      this.#threads.delete(thread);
      this.#idle = this.#idle.filter((each) => each !== thread);
    });
    return thread;
  }

  /** Releases a thread for another unit once its statements have stopped, which they do within 64 rows. */
  async #release(thread: ReaderThread | undefined, release: () => void): Promise<void> {
    await thread?.end();
    if (thread?.isUsable === true) this.#idle = [...this.#idle, thread];
    else thread?.close();
    release();
    this.#endIdleLater();
  }

  #endIdleLater(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      for (const thread of this.#idle) thread.close();
      this.#idle = [];
    }, this.#limits.idleMs).unref();
  }
}
