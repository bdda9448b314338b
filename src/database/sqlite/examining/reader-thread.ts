import Sqlite from 'better-sqlite3';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { DomainError } from '../../../platform/errors.js';
import { MAX_BYTES_READ, tooManyBytes } from '../../statements.js';
import { isFatal, probeStorage, translate, type Watcher } from '../faults.js';
import type { Reply, Request, ThreadError, ThreadOptions } from './thread.js';

interface ReaderThreadOptions {
  readonly file: string;
  readonly watcher: Pick<Watcher, 'onFault' | 'onFatal'>;
  /** Number of the file that the server has opened. */
  readonly inode: number;
  /** Maximum heap of the thread, in MiB. */
  readonly maxHeapMiB: number;
  /** Called once if the thread ended by itself. */
  readonly onCrash: (error: unknown) => void;
}

/** A thread with one connection, for one unit at a time. */
export class ReaderThread {
  /** Resolves when the thread has started, or failed to. */
  readonly opened: Promise<void>;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  /** Requests without a reply, in the order in which the thread replies. */
  readonly #pending: PromiseWithResolvers<Reply>[] = [];
  #isEnding = false;
  #failure: Error | null = null;

  constructor(private readonly options: ReaderThreadOptions) {
    const { file, inode, maxHeapMiB } = options;
    const workerData: ThreadOptions = { file, inode, stop: this.#stop, maxBytes: MAX_BYTES_READ };
    this.#worker = new Worker(new URL(`./thread${extname(import.meta.url)}`, import.meta.url), {
      workerData,
      name: 'reader',
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMiB },
    });
    this.#worker.on('message', (reply: Reply) => this.#pending.shift()?.resolve(reply));
    this.#worker.on('error', (error) => this.#crash(error));
    // The end is handled after the last reply: both may arrive together.
    this.ended = new Promise<void>((resolve) => this.#worker.on('exit', () => resolve())).then(() =>
      this.#crash(new Error('A reader thread ended.')),
    );
    this.opened = this.#reply().then(
      ({ error }) => {
        if (error !== null) this.#fail(this.#explain(error));
      },
      () => undefined,
    );
  }

  get isUsable(): boolean {
    return this.#failure === null && !this.#isEnding;
  }

  get isFree(): boolean {
    return this.#pending.length === 0;
  }

  begin(): void {
    this.#worker.ref();
    Atomics.store(this.#stop, 0, 0);
  }

  async read(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    if (this.#failure !== null) throw this.#failure;
    const { rows, error } = await this.#ask({ kind: 'read', sql, parameters });
    if (error !== null) throw this.#explain(error);
    return rows;
  }

  /** Stops statements that still run. Resolves when they and the transaction have ended. Never rejects. */
  async end(): Promise<void> {
    if (!this.isFree) Atomics.store(this.#stop, 0, 1);
    this.#worker.unref();
    if (this.#failure === null) await this.#ask({ kind: 'end' }).catch(() => undefined);
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
    this.#worker.unref();
    await this.#worker.terminate();
  }

  #ask(request: Request): Promise<Reply> {
    this.#worker.postMessage(request);
    return this.#reply();
  }

  #reply(): Promise<Reply> {
    const pending = Promise.withResolvers<Reply>();
    this.#pending.push(pending);
    return pending.promise;
  }

  /** To be called when the thread has ended, or will end because of an error. */
  #crash(error: unknown): void {
    if (this.#failure === null && !this.#isEnding) this.options.onCrash(error);
    const message = 'Reading this failed on the server; try again, or read less at once.';
    this.#fail(new DomainError('busy', message, { retryAfter: 1, cause: error }));
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
