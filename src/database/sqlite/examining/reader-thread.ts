import Sqlite from 'better-sqlite3';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { DomainError } from '../../../platform/errors.js';
import { MAX_BYTES_READ, tooManyBytes } from '../../statements.js';
import { isFatal, probeStorage, translate, type Watcher } from '../faults.js';
import type { Reply, Request, ThreadError, ThreadOptions } from './thread.js';

export interface ReaderThreadOptions {
  readonly file: string;
  readonly watcher: Pick<Watcher, 'onFault' | 'onFatal'>;
  /** Number of the file that the server has opened. */
  readonly inode: number;
  /** Maximum heap of the thread, in MiB. */
  readonly maxHeapMiB: number;
  /** Called once if the thread ended by itself. */
  readonly onCrash: (error: unknown) => void;
}

/**
 * Makes the priority lower than that of the event loop, which shares the processors with the reader threads.
 */
const NICE = 5;

/** A thread with one connection, for one unit at a time. */
export class ReaderThread {
  /** Resolves when the thread has started, or failed to. */
  readonly opened: Promise<void>;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  /** Resolves when the transaction of the last unit has ended, and any statement that still ran. */
  settled: Promise<void> = Promise.resolve();
  readonly #worker: Worker;
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  /** Requests without a reply, in the order in which the thread replies. */
  readonly #pending: PromiseWithResolvers<Reply>[] = [];
  #isEnding = false;
  #failure: Error | null = null;

  constructor(private readonly options: ReaderThreadOptions) {
    const workerData: ThreadOptions = {
      file: options.file,
      inode: options.inode,
      stop: this.#stop,
      maxBytes: MAX_BYTES_READ,
      nice: NICE,
    };
    this.#worker = new Worker(new URL(`./thread${extname(import.meta.url)}`, import.meta.url), {
      workerData,
      name: 'reader',
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: options.maxHeapMiB },
    });
    this.#worker.on('message', (reply: Reply) => this.#pending.shift()?.resolve(reply));
    this.#worker.on('error', (error) => this.#crash(error));
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#crash(new Error('A reader thread ended.'));
        resolve();
      });
    });
    this.opened = this.#open();
  }

  /** Whether it can serve another unit. */
  get isUsable(): boolean {
    return this.#failure === null && !this.#isEnding;
  }

  /** Whether no statement runs in it. */
  get isFree(): boolean {
    return this.#pending.length === 0;
  }

  begin(): void {
    this.#worker.ref();
    Atomics.store(this.#stop, 0, 0);
  }

  async read(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    if (this.#failure !== null) throw this.#failure;
    this.#worker.postMessage({ kind: 'read', sql, parameters } satisfies Request);
    const { rows, error } = await this.#reply();
    if (error !== null) throw this.#explain(error);
    return rows;
  }

  /** Begins to end the transaction, and any statement that still runs; see `settled`. */
  end(): void {
    if (!this.isFree) Atomics.store(this.#stop, 0, 1);
    this.#worker.unref();
    if (this.#failure !== null) return;
    this.#worker.postMessage({ kind: 'end' } satisfies Request);
    this.settled = this.#reply().then(
      () => undefined,
      () => undefined,
    );
  }

  /** Closes the connection and ends the thread, as soon as no statement runs in it. */
  close(): void {
    this.#isEnding = true;
    // Keeps the process alive until the connection is closed.
    this.#worker.ref();
    Atomics.store(this.#stop, 0, 1);
    this.#worker.postMessage({ kind: 'close' } satisfies Request);
  }

  /** Ends a thread that does not end by itself: at once, or when SQLite returns. */
  async terminate(): Promise<void> {
    this.#isEnding = true;
    this.#worker.unref();
    await this.#worker.terminate();
  }

  #reply(): Promise<Reply> {
    const pending = Promise.withResolvers<Reply>();
    this.#pending.push(pending);
    return pending.promise;
  }

  async #open(): Promise<void> {
    const reply = await this.#reply().catch(() => null);
    if (reply !== null && reply.error !== null) this.#fail(this.#explain(reply.error));
  }

  /** To be called when the thread has ended, or will end because of an error. */
  #crash(error: unknown): void {
    if (this.#failure === null && !this.#isEnding) this.options.onCrash(error);
    this.#fail(
      new DomainError('busy', 'Reading this failed on the server; try again, or read less at once.', {
        retryAfter: 1,
        cause: error,
      }),
    );
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.splice(0)) reject(this.#failure);
  }

  #explain({ message, sqlite }: ThreadError): Error {
    const { file, watcher } = this.options;
    if (sqlite === 'TOO_LARGE') return tooManyBytes();
    const error = sqlite === null ? new Error(message) : new Sqlite.SqliteError(message, sqlite);
    const translated = translate(error, () => probeStorage(file));
    if (isFatal(error)) watcher.onFatal(error);
    else if (translated instanceof DomainError) watcher.onFault(translated.code, error);
    return translated;
  }
}
