import { mkdirSync, promises as fs, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import type { ContentSums } from './encoding/content.js';
import { busy, codeOf, DomainError, faultOfSystem, STORAGE_FULL, STORAGE_UNAVAILABLE } from './errors.js';

/** Bytes in a temporary file. */
export interface SpooledContent extends ContentSums {
  readonly spool: Pick<Spool, 'read'>;
}

export interface SpoolOptions {
  /** Prefix of the paths of the files; a number follows. */
  readonly path: string;
  /** Maximum bytes in files at the same time, in total and for each company. */
  readonly maxBytes: number;
  readonly maxBytesOfCompany: number;
  /** Throws `storage_full` if the storage accepts deletions only. */
  readonly requireRoom: () => void;
}

/** Bytes that uploads leave free on the disk, for other changes and for deletions. */
const FREE_BYTES = 2 * 1024 * 1024;

/** Temporary files for uploaded bytes until these are stored. */
export class SpoolFiles {
  readonly #bytes = new Map<number, number>();
  #opened = 0;
  #total = 0;

  /** Creates the folder, and removes files of earlier processes that ended before they had unlinked them. */
  constructor(private readonly options: SpoolOptions) {
    const folder = dirname(options.path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) {
      if (name.startsWith(basename(options.path))) rmSync(join(folder, name), { force: true });
    }
  }

  /** A new, empty file, which no other process can open. Errors: `storage_full` and the other faults of a storage. */
  async open(company: number): Promise<Spool> {
    this.options.requireRoom();
    this.#opened += 1;
    const path = `${this.options.path}${process.pid}-${this.#opened}`;
    const file = await fs.open(path, 'wx+', 0o600).catch((error: unknown) => {
      throw faultOf(error);
    });
    // An unlinked file disappears with the process; one that cannot be unlinked is removed at the next start.
    await fs.rm(path).catch(() => undefined);
    return new Spool(this, company, file);
  }

  /**
   * Checks the limits before `bytes` more are written. The disk needs room for the file once more, since it is stored
   * while the file still exists. Called by `Spool` only. Errors: `busy`, `storage_full`.
   */
  async admit(company: number, bytes: number, size: number): Promise<void> {
    const { maxBytes, maxBytesOfCompany, path } = this.options;
    this.count(company, bytes);
    if (this.#total > maxBytes || (this.#bytes.get(company) ?? 0) > maxBytesOfCompany) {
      throw busy('Too many bytes are being uploaded at the same time; try again in 10 seconds.', 10);
    }
    const { bavail, bsize } = await fs.statfs(dirname(path));
    if (bavail * bsize < 2 * bytes + size + FREE_BYTES)
      throw STORAGE_FULL(new Error('no room for an upload'));
  }

  /** Called by `Spool` only. */
  count(company: number, bytes: number): void {
    this.#total += bytes;
    const rest = (this.#bytes.get(company) ?? 0) + bytes;
    if (rest === 0) this.#bytes.delete(company);
    else this.#bytes.set(company, rest);
  }
}

type FileHandle = Awaited<ReturnType<typeof fs.open>>;

/** A temporary file that is first written sequentially, then read. */
export class Spool {
  #size = 0;
  #isClosed = false;

  constructor(
    private readonly files: SpoolFiles,
    private readonly company: number,
    private readonly file: FileHandle,
  ) {}

  /** Appends; one call at a time. Errors: `busy`, `storage_full` and the other faults of a storage. */
  async write(bytes: Uint8Array): Promise<void> {
    const at = this.#size;
    this.#size += bytes.length;
    try {
      await this.files.admit(this.company, bytes.length, at);
      await this.file.appendFile(bytes);
    } catch (error) {
      throw faultOf(error);
    }
  }

  /** Reads at most `length` bytes from the offset `from`. */
  async read(from: number, length: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafe(Math.min(length, this.#size - from));
    try {
      for (let done = 0; done < bytes.length;) {
        const { bytesRead } = await this.file.read(bytes, done, bytes.length - done, from + done);
        if (bytesRead === 0)
          throw new Error('A temporary file of an upload is shorter than what was written');
        done += bytesRead;
      }
    } catch (error) {
      throw faultOf(error);
    }
    return bytes;
  }

  /** Closes and deletes the file; further calls do nothing. Never rejects, since the bytes are no longer needed. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.file.close().catch(() => undefined);
    this.files.count(this.company, -this.#size);
  }
}

function faultOf(error: unknown): Error {
  if (!(error instanceof Error) || error instanceof DomainError) return error as Error;
  return faultOfSystem(codeOf(error), error) ?? STORAGE_UNAVAILABLE(error);
}
