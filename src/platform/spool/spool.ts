import type { promises as fs } from 'node:fs';

type FileHandle = Awaited<ReturnType<typeof fs.open>>;

interface SpoolParts {
  /** Called before a write with the bytes to write and the size so far. Throws if they are refused. */
  readonly admit: (bytes: number, size: number) => Promise<void>;
  readonly faultOf: (error: unknown) => Error;
  /** Called after the file was closed, with its size. */
  readonly closed: (bytes: number) => Promise<void>;
}

/** A temporary file that is first written sequentially, then read. */
export class Spool {
  #size = 0;
  #isClosed = false;

  constructor(
    private readonly file: FileHandle,
    private readonly parts: SpoolParts,
  ) {}

  /** Appends; one call at a time. Errors: `busy`, `storage_full` and the other faults of a storage. */
  async write(bytes: Uint8Array): Promise<void> {
    const at = this.#size;
    this.#size += bytes.length;
    try {
      await this.parts.admit(bytes.length, at);
      for (let done = 0; done < bytes.length;) {
        done += (await this.file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
      }
    } catch (error) {
      throw this.parts.faultOf(error);
    }
  }

  /** Up to `length` bytes from the offset `from`. */
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
      throw this.parts.faultOf(error);
    }
    return bytes;
  }

  /**
   * Closes and deletes the file; further calls do nothing. Never rejects, since the bytes are no longer
   * needed.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.file.close().catch(() => undefined);
    await this.parts.closed(this.#size).catch(() => undefined);
  }
}
