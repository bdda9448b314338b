import Sqlite from 'better-sqlite3';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { DomainError } from '../../../platform/errors.js';
import { MAX_BYTES_READ, tooManyBytes } from '../connections/bounded-rows.js';
import type { Watcher } from '../connections/watcher.js';
import { isFatal, translate } from '../faults.js';
import { probeStorage } from '../file/probe.js';
import type { Reply, Request, ThreadError, ThreadOptions } from './messages.js';

export interface ReaderThreadOptions {
  readonly file: string;
  readonly watcher: Pick<Watcher, 'onFault' | 'onFatal'>;
  /** Null if the file is still the one that the server has opened; otherwise the problem. */
  readonly verify: () => string | null;
  /** Maximum heap of the thread, in MiB. */
  readonly maxHeapMiB: number;
  /** Called once if the thread ended by itself. */
  readonly onCrash: (error: unknown) => void;
}

/**
 * Makes the priority lower than that of the event loop, which shares the processors with the reader threads.
 */
const NICE = 5;

interface Pending {
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: Error) => void;
}

/** A thread with one connection, for one unit at a time. */
export class ReaderThread {
  readonly #worker: Worker;
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  /** Reads in the order in which the thread replies. */
  readonly #pending: Pending[] = [];
  readonly #opened = Promise.withResolvers<undefined>();
  readonly #ended = Promise.withResolvers<undefined>();
  readonly #settling: ((value: undefined) => void)[] = [];
  #free = Promise.withResolvers<undefined>();
  #isEnding = false;
  #failure: Error | null = null;

  constructor(private readonly options: ReaderThreadOptions) {
    const workerData: ThreadOptions = {
      ...{ file: options.file, stop: this.#stop },
      ...{ maxBytes: MAX_BYTES_READ, nice: NICE },
    };
    this.#worker = new Worker(new URL(`./thread${extname(import.meta.url)}`, import.meta.url), {
      ...{ workerData, name: 'reader', env: {} },
      resourceLimits: { maxOldGenerationSizeMb: options.maxHeapMiB },
    });
    this.#worker.on('message', (reply: Reply) => this.#receive(reply));
    this.#worker.on('error', (error) => this.#crash(error));
    this.#worker.on('exit', () => {
      if (!this.#isEnding) this.#crash(new Error('A reader thread ended.'));
      this.#free.resolve(undefined);
      this.#opened.resolve(undefined);
      this.#ended.resolve(undefined);
    });
  }

  /** Whether it can serve another unit. */
  get isUsable(): boolean {
    return this.#failure === null && !this.#isEnding;
  }

  /** Resolves when the thread has started, or failed to. */
  get opened(): Promise<undefined> {
    return this.#opened.promise;
  }

  /** Whether no statement runs in it. */
  get isFree(): boolean {
    return this.#pending.length === 0;
  }

  /** Resolves when no statement runs in it any more. */
  get free(): Promise<undefined> {
    return this.#free.promise;
  }

  get ended(): Promise<undefined> {
    return this.#ended.promise;
  }

  begin(): void {
    this.#worker.ref();
    Atomics.store(this.#stop, 0, 0);
    this.#free = Promise.withResolvers();
  }

  read(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    this.#pending.push({ resolve, reject });
    this.#post({ kind: 'read', sql, parameters });
    return promise;
  }

  /** Ends the transaction, and any statement that still runs. */
  end(): void {
    if (this.#pending.length > 0) Atomics.store(this.#stop, 0, 1);
    this.#post({ kind: 'end' });
    this.#settle();
    this.#worker.unref();
  }

  /** Resolves when the thread has ended the transaction of the previous unit. */
  async settled(): Promise<void> {
    if (!this.isUsable) return;
    const settled = Promise.withResolvers<undefined>();
    this.#settling.push(settled.resolve);
    this.#post({ kind: 'settle' });
    await Promise.race([settled.promise, this.ended]);
  }

  /** Closes the connection and ends the thread, as soon as no statement runs in it. */
  close(): void {
    this.#isEnding = true;
    // Keeps the process alive until the connection is closed.
    this.#worker.ref();
    Atomics.store(this.#stop, 0, 1);
    this.#post({ kind: 'close' });
  }

  /** Ends a thread that does not end by itself: at once, or when SQLite returns. */
  async terminate(): Promise<void> {
    this.#isEnding = true;
    this.#worker.unref();
    await this.#worker.terminate();
  }

  #post(request: Request): void {
    this.#worker.postMessage(request);
  }

  #receive(reply: Reply): void {
    if (reply.kind === 'open' || reply.kind === 'refused') this.#opened.resolve(undefined);
    if (reply.kind === 'open') {
      const problem = this.options.verify();
      if (problem !== null) this.#fail(gone(problem));
      return;
    }
    if (reply.kind === 'refused') {
      this.#fail(this.#explain(reply.error));
      return;
    }
    if (reply.kind === 'settled') {
      this.#settling.shift()?.(undefined);
      return;
    }
    const pending = this.#pending.shift();
    if (reply.kind === 'rows') pending?.resolve(reply.rows);
    if (reply.kind === 'error') pending?.reject(this.#explain(reply.error));
    if (reply.kind === 'too_large') pending?.reject(tooManyBytes());
    // The unit has already ended, so this error has no reader.
    if (reply.kind === 'stopped') pending?.reject(new Error('The statement was stopped.'));
    this.#settle();
  }

  #settle(): void {
    if (this.#pending.length === 0) this.#free.resolve(undefined);
  }

  #crash(error: unknown): void {
    if (this.#failure !== null || this.#isEnding) return;
    this.options.onCrash(error);
    this.#fail(
      new DomainError('busy', 'Reading this failed on the server; try again, or read less at once.', {
        ...{ retryAfter: 1, cause: error },
      }),
    );
  }

  #fail(error: Error): void {
    this.#failure = error;
    for (const { reject } of this.#pending.splice(0)) reject(error);
    this.#settle();
  }

  #explain({ message, sqlite }: ThreadError): Error {
    const { file, watcher } = this.options;
    const error = sqlite === null ? new Error(message) : new Sqlite.SqliteError(message, sqlite);
    const translated = translate(error, () => probeStorage(file));
    if (isFatal(error)) watcher.onFatal(error);
    else if (translated instanceof DomainError) watcher.onFault(translated.code, error);
    return translated;
  }
}

function gone(problem: string): DomainError {
  return new DomainError('storage_unavailable', `The storage of the database is gone: ${problem}.`, {
    retryAfter: 10,
  });
}
