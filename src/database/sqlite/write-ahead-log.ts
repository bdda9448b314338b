import Sqlite from 'better-sqlite3';
import { statSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { extname, dirname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { systemClock } from '../../platform/clock.js';
import { DomainError } from '../../platform/errors.js';
import type { Database } from '../database.js';
import type { DatabaseHealth } from '../statements.js';
import type { CheckpointReply, CheckpointTask } from './checkpoint-thread.js';
import type { Watcher } from './faults.js';
import type { CommitGuard } from './file/marker.js';
import { canonicalPath, fileBytes } from './file/open-file.js';

/** Pages of 4 KiB: so many that are not in the file yet begin a checkpoint, and so long a log (16 MiB) is restarted. */
const USUAL_LIMITS = { checkpoint: 1_000, long: 4_000 };
/** On a disk with little room: when it is full, most of the 4 MiB reserved for deletions must be left. */
const LOW_DISK_LIMITS = { checkpoint: 64, long: 256 };
/** Changed pages after which the length of the log is read, which takes as long as a small commit. */
const PAGES_PER_LOOK = 64;
const PAGE_BYTES = 4096;
/** Maximum pages that are copied in the event loop to restart the log. */
const FEW_PAGES = 100;

interface LogOptions {
  readonly file: string;
  /** Runs a pragma on the connection that writes, and returns its row. */
  readonly row: (pragma: string) => unknown;
  readonly watcher: Pick<Watcher, 'onLongLog' | 'isDiskLow'>;
  readonly guard: Pick<CommitGuard, 'checkpointed'> | null;
  /** True if a thread makes the checkpoints. Without it, they are made in the event loop. */
  readonly hasThread: boolean;
  /** True if the log cannot be looked at, because a transaction is open or the connection is closed. */
  readonly isInTransaction: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** Keeps the log of the writing connection short. SQLite's automatic checkpoints would hide a failed fsync. */
export class WriteAheadLog {
  readonly #thread: Checkpoints | null;
  /** Approximate number of pages that were changed since the length of the log was read. */
  #changedPages = 0;
  #pagesPerLook = PAGES_PER_LOOK;
  /** True if the last checkpoint has left little to write to the disk. */
  #isSynced = false;

  constructor(private readonly options: LogOptions) {
    const { file, hasThread, onError } = options;
    this.#thread = hasThread ? new Checkpoints(file, (isWhole) => this.#threadDone(isWhole), onError) : null;
  }

  /** Adds about the number of pages that a statement with so many rows and these values has changed. */
  countPages(rows: number, values: readonly unknown[]): void {
    let bytes = 0;
    for (const value of values)
      if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length;
    this.#changedPages += 1 + rows + bytes / PAGE_BYTES;
  }

  /** To be called after a commit, which is durable in the log already: makes a checkpoint if the log has grown. */
  committed(): void {
    if (this.#changedPages < this.#pagesPerLook) return;
    this.#changedPages = 0;
    this.#attempt(() => this.#shorten());
  }

  /** Lets the next write restart the log. False during a transaction, and while the thread must copy much first. */
  restart(): boolean {
    if (this.options.isInTransaction()) return false;
    let isDone = true;
    this.#attempt(() => {
      isDone = this.#thread === null || (this.#isSynced && this.#state().left < FEW_PAGES);
      if (isDone) this.options.row('pragma wal_checkpoint(restart)');
      else this.#thread?.request();
    });
    return isDone;
  }

  /** Resolves when the thread has closed its connection. */
  async close(): Promise<void> {
    await this.#thread?.close();
  }

  #threadDone(isWhole: boolean): void {
    this.#isSynced = isWhole;
    this.options.guard?.checkpointed();
    // Pages may have been written during the checkpoint.
    if (isWhole && !this.options.isInTransaction()) this.#attempt(() => this.#shorten());
  }

  #shorten(): void {
    const { watcher, guard, row } = this.options;
    const isDiskLow = watcher.isDiskLow?.() === true;
    const limits = isDiskLow ? LOW_DISK_LIMITS : USUAL_LIMITS;
    // The rows of one commit may change many more pages than are counted.
    this.#pagesPerLook = isDiskLow ? 1 : PAGES_PER_LOOK;
    const { log, left } = this.#state();
    if (left >= limits.checkpoint) {
      // A thread may be too late: copying needs room in the file, which a full disk has in the reserve only.
      if (this.#thread !== null && !isDiskLow) this.#thread.request();
      else {
        row('pragma wal_checkpoint(passive)');
        this.#isSynced = this.#state().left === 0;
        guard?.checkpointed();
      }
    }
    if (log >= limits.long) watcher.onLongLog?.();
  }

  #attempt(use: () => void): void {
    try {
      use();
    } catch (error) {
      this.options.onError(error);
    }
  }

  /** Number of pages in the log, and of those that are not in the file yet. */
  #state(): { readonly log: number; readonly left: number } {
    const state = this.options.row('pragma wal_checkpoint(noop)') as { log: number; checkpointed: number };
    return { log: state.log, left: state.log - state.checkpointed };
  }
}

/** Copies the log into the file in a thread, while others read and write: it may take long. */
export class Checkpoints {
  readonly #task: CheckpointTask;
  #worker: Worker | null = null;
  #isRunning = false;
  #isClosed = false;

  /** `onDone` is called after a checkpoint; `isWhole`: the whole log was copied, and the file is on the disk. */
  constructor(
    file: string,
    private readonly onDone: (isWhole: boolean) => void,
    private readonly onError: (error: Error) => void,
  ) {
    this.#task = { file, inode: statSync(file, { throwIfNoEntry: false })?.ino ?? 0 };
  }

  /** Begins a checkpoint, unless one is running. */
  request(): void {
    if (this.#isRunning || this.#isClosed) return;
    this.#isRunning = true;
    this.#worker ??= this.#start();
    this.#worker.postMessage('checkpoint');
  }

  /** Resolves when the connection of the thread is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    // Keeps the process alive until the connection is closed.
    worker.ref();
    worker.postMessage('close');
    await ended;
  }

  #start(): Worker {
    const program = new URL(`./checkpoint-thread${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(program, { workerData: this.#task, name: 'checkpoints' });
    worker.unref();
    worker.on('message', ({ isWhole, error }: CheckpointReply) => {
      this.#isRunning = false;
      if (error === null) this.onDone(isWhole);
      else this.onError(new Sqlite.SqliteError(error.message, error.code));
    });
    worker.on('error', this.onError);
    // The next request starts another thread.
    worker.once('exit', () => {
      this.#worker = null;
      this.#isRunning = false;
    });
    return worker;
  }
}

const RESERVE_BYTES = 4 * 1024 * 1024;
/** Free bytes, besides the reserve, that changes other than deletions need. */
const MARGIN_BYTES = 2 * 1024 * 1024;
/** Free bytes below which the log is kept short. Otherwise it, and its pages in the file, take 16 MiB and more. */
const LOW_BYTES = 32 * 1024 * 1024;
/** Milliseconds for which the free bytes of a disk with more room than that are not read again. */
const LOOK_MS = 50;

/** Disk space for deletions: a file that is removed when the disk is full (decisions.md#full-disk). */
export class Reserve {
  readonly #path: string;
  #isGivenUp = false;
  #free = { bytes: 0, at: -Infinity };

  constructor(file: string) {
    this.#path = `${canonicalPath(file)}.reserve`;
    this.keep();
  }

  /** Restores the reserve if it is missing and there is room. */
  keep(): void {
    if (this.#freeBytes() < RESERVE_BYTES + MARGIN_BYTES) return;
    if (fileBytes(this.#path) !== RESERVE_BYTES) this.#restore();
    this.#isGivenUp = false;
  }

  /** `Database.admit` of a database with this health. Errors: `storage_full` for changes other than deletions. */
  checkFor(health: Pick<DatabaseHealth, 'fault'>): Database['admit'] {
    return (change) => {
      if (change === 'deletion') {
        this.giveUpIfFull(health.fault === 'storage_full');
        return;
      }
      if (this.#isGivenUp) this.keep();
      if (!this.#isGivenUp && this.#freeBytes() >= MARGIN_BYTES) return;
      const message = 'The storage is full: nothing was changed. Reading and deleting are still possible.';
      throw new DomainError('storage_full', message, { retryAfter: 60 });
    };
  }

  /** Gives up the reserve if the disk has too little room; `isFull`: the latest change found it full. */
  giveUpIfFull(isFull: boolean): void {
    if (!isFull && this.#freeBytes() >= MARGIN_BYTES) return;
    if (fileBytes(this.#path) > 0) this.#isGivenUp = true;
    rmSync(this.#path, { force: true });
  }

  /** True if the disk has less room than the log and the file may take until the next checkpoint. */
  isDiskLow(): boolean {
    return this.#isGivenUp || this.#freeBytes() < LOW_BYTES;
  }

  #freeBytes(): number {
    const now = systemClock.elapsed();
    const { bytes, at } = this.#free;
    if (bytes >= LOW_BYTES && now - at < LOOK_MS) return bytes;
    this.#free = { bytes: freeBytesAt(dirname(this.#path)), at: now };
    return this.#free.bytes;
  }

  /** Writes the whole file, since a file system reserves no space for a file that has only a length. */
  #restore(): void {
    try {
      writeFileSync(this.#path, Buffer.alloc(RESERVE_BYTES, 1), { mode: 0o600 });
    } catch {
      rmSync(this.#path, { force: true });
    }
  }
}

/** Free bytes of the disk of a folder; Infinity if the folder is gone, which the guard of the file reports. */
export function freeBytesAt(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
