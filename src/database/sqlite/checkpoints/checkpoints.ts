import Sqlite from 'better-sqlite3';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import type { CheckpointReply } from './checkpoint-thread.js';

export interface CheckpointOptions {
  readonly file: string;
  /** Null if the file is still the one that the server has opened; otherwise the problem. */
  readonly verify: () => string | null;
  /** Called after a checkpoint. `isWhole`: the whole log was copied, and the file is on the disk. */
  readonly onDone: (isWhole: boolean) => void;
  readonly onError: (error: Error) => void;
}

/**
 * Copies the log into the file in a thread: with many pages, or a slow disk, that takes longer than the event
 * loop may be blocked. SQLite lets others read and write meanwhile.
 */
export class Checkpoints {
  #worker: Worker | null = null;
  #ended: Promise<void> = Promise.resolve();
  #isRunning = false;
  #isClosed = false;

  constructor(private readonly options: CheckpointOptions) {}

  /** Begins a checkpoint, unless one is running. */
  request(): void {
    if (this.#isRunning || this.#isClosed) return;
    this.#isRunning = true;
    if (this.#worker === null) this.#start();
    else this.#worker.postMessage('checkpoint');
  }

  /** Resolves when the connection of the thread is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // Keeps the process alive until the connection is closed.
    this.#worker?.ref();
    this.#worker?.postMessage('close');
    await this.#ended;
  }

  #start(): void {
    const program = new URL(`./checkpoint-thread${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(program, { workerData: this.options.file, name: 'checkpoints', env: {} });
    worker.unref();
    this.#worker = worker;
    this.#ended = new Promise((resolve) => worker.once('exit', () => resolve()));
    worker.on('message', (reply: CheckpointReply) => this.#receive(worker, reply));
    worker.on('error', (error: Error) => this.options.onError(error));
    // The next request starts another thread.
    worker.once('exit', () => {
      this.#worker = null;
      this.#isRunning = false;
    });
  }

  #receive(worker: Worker, reply: CheckpointReply): void {
    if (reply.kind === 'open') {
      // If another file has taken its place, that file is not touched.
      worker.postMessage(this.options.verify() === null ? 'checkpoint' : 'close');
      return;
    }
    this.#isRunning = false;
    if (reply.kind === 'failed') {
      const { message, code } = reply;
      this.options.onError(code === null ? new Error(message) : new Sqlite.SqliteError(message, code));
    } else this.options.onDone(reply.isWhole);
  }
}
