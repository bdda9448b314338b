import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import type { StorageSizes } from '../../database.js';
import type { SizesTask } from './sizes-thread.js';

/** Measures the tables of a file in a thread, because that reads the whole file. */
export class FileSizes {
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #running: Promise<StorageSizes | null> | null = null;
  #worker: Worker | null = null;

  constructor(private readonly file: string) {}

  /** Sizes of all tables; null after `close`, or if measuring failed. One measurement runs at a time. */
  async measure(): Promise<StorageSizes | null> {
    this.#running ??= this.#start().finally(() => (this.#running = null));
    return await this.#running;
  }

  /** Resolves when the connection of the thread is closed. */
  async close(): Promise<void> {
    Atomics.store(this.#stop, 0, 1);
    // Otherwise the program could end before the thread.
    this.#worker?.ref();
    await this.#running;
  }

  async #start(): Promise<StorageSizes | null> {
    if (Atomics.load(this.#stop, 0) === 1) return null;
    const program = new URL(`./sizes-thread${extname(import.meta.url)}`, import.meta.url);
    const task: SizesTask = { file: this.file, stop: this.#stop };
    const worker = new Worker(program, { workerData: task, name: 'sizes', env: {} });
    worker.unref();
    this.#worker = worker;
    return await new Promise((resolve) => {
      let sizes: StorageSizes | null = null;
      worker.once('message', (measured: StorageSizes | null) => (sizes = measured));
      worker.once('error', () => undefined);
      worker.once('exit', () => {
        this.#worker = null;
        resolve(sizes);
      });
    });
  }
}
