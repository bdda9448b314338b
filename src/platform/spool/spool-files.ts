import { promises as fs, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { DomainError } from '../errors.js';
import { faultOfSystem, STORAGE_FULL, STORAGE_UNAVAILABLE } from '../storage/faults.js';
import { Spool } from './spool.js';

export interface SpoolLimits {
  /** Bytes in files at the same time, in all and of one company. */
  readonly maxBytes: number;
  readonly maxBytesOfCompany: number;
}

export interface SpoolOptions extends SpoolLimits {
  /** Begin of the paths of the files; a number follows. */
  readonly path: string;
  /** Throws `storage_full` if the storage takes deletions only. */
  readonly demandRoom: () => void;
}

/** Stays free on the disk whatever is uploaded, for other changes and for deletions. */
const FREE_BYTES = 2 * 1024 * 1024;

/** Temporary files for bytes that clients send, until these are stored. */
export class SpoolFiles {
  readonly #bytes = new Map<number, number>();
  #opened = 0;
  #total = 0;

  /** Creates the folder; removes what an earlier process left: a file that it had opened and not yet unlinked. */
  constructor(private readonly options: SpoolOptions) {
    const folder = dirname(options.path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) {
      if (name.startsWith(basename(options.path))) rmSync(join(folder, name), { force: true });
    }
  }

  /** A new, empty file, which no other process can open. Errors: `storage_full` and the other faults of a storage. */
  async open(company: number): Promise<Spool> {
    this.options.demandRoom();
    this.#opened += 1;
    const path = `${this.options.path}${process.pid}-${this.#opened}`;
    const file = await fs.open(path, 'wx+', 0o600).catch((error: unknown) => {
      throw faultOf(error);
    });
    // Without a name, the file goes with the process. Where an open file keeps its name, it is removed when closed.
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
   * Before `bytes` more are written to a file of `size`: there must be room for the whole once more, since it is stored
   * in the database while the file still exists. Errors: `busy`, `storage_full`.
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
