import { promises as fs, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { DomainError } from '../errors.js';
import { faultOfSystem, STORAGE_FULL, STORAGE_UNAVAILABLE } from '../storage/faults.js';
import { Spool } from './spool.js';

export interface SpoolLimits {
  /** Maximum bytes in files at the same time, in total and for each company. */
  readonly maxBytes: number;
  readonly maxBytesOfCompany: number;
}

export interface SpoolOptions extends SpoolLimits {
  /** Prefix of the paths of the files; a number follows. */
  readonly path: string;
  /** Throws `storage_full` if the storage accepts deletions only. */
  readonly demandRoom: () => void;
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

  /**
   * A new, empty file, which no other process can open. Errors: `storage_full` and the other faults of a
   * storage.
   */
  async open(company: number): Promise<Spool> {
    this.options.demandRoom();
    this.#opened += 1;
    const path = `${this.options.path}${process.pid}-${this.#opened}`;
    const file = await fs.open(path, 'wx+', 0o600).catch((error: unknown) => {
      throw faultOf(error);
    });
    // An unlinked file disappears with the process. A file that cannot be unlinked while open is removed when
    // closed.
    const isRemoved = await fs.rm(path).then(
      () => true,
      () => false,
    );
    return new Spool(file, {
      admit: (bytes, size) => this.#admit(company, bytes, size),
      faultOf,
      closed: async (size) => {
        this.#add(company, -size);
        if (!isRemoved) await fs.rm(path, { force: true });
      },
    });
  }

  /**
   * Checks the limits before `bytes` more are written to a file of `size` bytes. The disk needs room for the
   * whole file once more, since it is stored in the database while the file still exists. Errors: `busy`,
   * `storage_full`.
   */
  async #admit(company: number, bytes: number, size: number): Promise<void> {
    const { maxBytes, maxBytesOfCompany, path } = this.options;
    this.#add(company, bytes);
    if (this.#total > maxBytes || (this.#bytes.get(company) ?? 0) > maxBytesOfCompany) {
      throw new DomainError(
        'busy',
        'Too many bytes are being uploaded at the same time; try again in 10 seconds.',
        { retryAfter: 10 },
      );
    }
    const { bavail, bsize } = await fs.statfs(dirname(path));
    if (bavail * bsize < 2 * bytes + size + FREE_BYTES)
      throw STORAGE_FULL(new Error('no room for an upload'));
  }

  #add(company: number, bytes: number): void {
    this.#total += bytes;
    const rest = (this.#bytes.get(company) ?? 0) + bytes;
    if (rest === 0) this.#bytes.delete(company);
    else this.#bytes.set(company, rest);
  }
}

function faultOf(error: unknown): Error {
  if (!(error instanceof Error) || error instanceof DomainError) return error as Error;
  return faultOfSystem((error as NodeJS.ErrnoException).code ?? null, error) ?? STORAGE_UNAVAILABLE(error);
}
