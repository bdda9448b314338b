import type Sqlite from 'better-sqlite3';
import { readSync, statSync } from 'node:fs';

import { DomainError } from '../../../platform/errors.js';
import type { CommitGuard } from '../faults.js';
import { IDENTITY_OFFSET } from './inspect.js';
import { Marker, type Mark, type Slot } from './marker.js';
import { canonicalPath, fileBytes, openDescriptor } from './open-file.js';

interface Place {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

export interface GuardOptions {
  readonly slot: Slot;
  /** Called once, as soon as a file is found to be missing, with the problem. */
  readonly onLost: (problem: string) => void;
  /** Called when the marker could not be written. */
  readonly onMarkerFault: (error: unknown) => void;
}

/**
 * Watches the files of an open database, which is marked as open in this process, and records acknowledged
 * changes in its marker. A commit into a file that was removed, moved or replaced would succeed, but be lost.
 * So the files are compared with the opened ones before each commit is acknowledged
 * (decisions.md#lost-files).
 */
export class FileGuard implements CommitGuard {
  readonly #marker: Marker;
  readonly #head: Sqlite.Statement;
  readonly #identity: number;
  readonly #places: readonly Place[];
  readonly #file: string;
  readonly #descriptor: number;
  #mark: Mark;
  #lost: string | null = null;
  #isClosed = false;

  constructor(
    private readonly database: Sqlite.Database,
    private readonly options: GuardOptions,
  ) {
    this.#file = canonicalPath(database.name);
    this.#marker = new Marker(this.#file, options.slot);
    this.#descriptor = openDescriptor(this.#file);
    this.#identity = Number(database.pragma('user_version', { simple: true }));
    this.#head = database.prepare('select position as head, at from ledger order by position desc limit 1');
    this.#mark = this.#readHead();
    // The statement above has opened the log.
    this.#places = ['', '-wal', '-shm'].map((suffix) => placeOf(this.#file + suffix));
    this.#attempt(() => this.#marker.write(this.#mark));
  }

  committing(): void {
    this.#mark = this.#readHead();
  }

  committed(): void {
    if (this.#lost === null) this.#report(this.#problemOfFiles());
    if (this.#lost !== null) throw notAcknowledged(this.#lost);
    this.#attempt(() => this.#marker.write(this.#mark));
  }

  checkpointed(): void {
    this.#attempt(() => this.#marker.sync());
  }

  /**
   * Null if the files of the database are where they were; otherwise the problem, with the path of the file.
   */
  verify(): string | null {
    if (this.#lost === null) this.#report(this.#problemOfFiles());
    if (this.#lost === null) this.#attempt(() => this.#marker.ensure());
    return this.#lost;
  }

  /** To be called after the connection was closed. `isSound`: no damage is known. */
  close(isSound: boolean): void {
    // A second close could close descriptors that other files have by then.
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#attempt(() => this.#marker.close(isSound));
  }

  #readHead(): Mark {
    const { head, at } = (this.#head.get() ?? { head: 0, at: 0 }) as { head: number; at: number };
    return { identity: this.#identity, head, at };
  }

  /** Calls `use`, which writes the marker. If that fails, committed changes stay acknowledged. */
  #attempt(use: () => void): void {
    try {
      use();
    } catch (error) {
      this.options.onMarkerFault(error);
    }
  }

  #report(problem: string | null): void {
    if (problem === null) return;
    this.#lost = problem;
    this.#saveLog();
    this.options.onLost(problem);
  }

  /**
   * Copies the log into the file if only the log was removed: its content can still be read. Another program
   * that opens the file meanwhile may create an empty log.
   */
  #saveLog(): void {
    const [file, log] = this.#places;
    if (file === undefined || log === undefined || problemOf(file) !== null || fileBytes(log.path) > 0)
      return;
    try {
      this.database.pragma('wal_checkpoint(passive)');
    } catch {
      // During a transaction, or on a failed storage, this is not possible: the next start finds what is
      // missing.
    }
  }

  #problemOfFiles(): string | null {
    for (const place of this.#places) {
      const problem = problemOf(place);
      if (problem !== null) return problem;
    }
    // Overwriting a file, or cutting it off, does not change its path or inode.
    const identity = readNumber(this.#descriptor, IDENTITY_OFFSET);
    return identity === this.#identity ? null : `${this.#file} was overwritten or cut off`;
  }
}

function notAcknowledged(problem: string): DomainError {
  return new DomainError('storage_unavailable', `The storage of the database is gone: ${problem}.`, {
    retryAfter: 10,
  });
}

function problemOf({ path, device, inode }: Place): string | null {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) return `${path} was removed or moved away`;
  return status.ino === inode && status.dev === device ? null : `${path} was replaced by another file`;
}

function placeOf(path: string): Place {
  const { dev, ino } = statSync(path);
  return { path, device: dev, inode: ino };
}

const NUMBER = Buffer.alloc(4);

/** The number at an offset of a file; null if the file is too short. */
function readNumber(descriptor: number, offset: number): number | null {
  return readSync(descriptor, NUMBER, 0, 4, offset) === 4 ? NUMBER.readUInt32BE(0) : null;
}
