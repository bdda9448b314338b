import { SECOND } from '../../platform/clock.js';
import { Semaphore, type Release } from '../../platform/concurrency/semaphore.js';
import {
  CHUNK_BYTES,
  ContentBuilder,
  type SentContent,
  type StagedContent,
} from '../../platform/encoding/content.js';
import type { Caller } from '../../platform/requests.js';
import type { Spool, SpooledContent } from '../../platform/spool.js';
import { HttpProblem } from '../problem.js';

/** Largest file as base64 text in JSON or a form. */
export const MAX_TEXT_FILE_BYTES = 8 * 1024 * 1024;

const DEFAULTS = {
  /** Uploads of more bytes wait for a place. */
  smallBytes: 256 * 1024,
  /** Uploads of more bytes are received in a temporary file, which takes longer than memory; at most one chunk. */
  middleBytes: CHUNK_BYTES,
  /** Uploads with a place at the same time, and waiting ones: in total and for each company. */
  places: 32,
  placesOfKey: 8,
  maxWaiting: 256,
  maxWaitingOfKey: 32,
  maxWaitMs: 60 * SECOND,
  /** Bodies with a file as text that are in memory at the same time: in total and for each company. */
  textPlaces: 8,
  textPlacesOfKey: 2,
  maxTextFileBytes: MAX_TEXT_FILE_BYTES,
};

export type UploadLimits = Readonly<typeof DEFAULTS & { maxFileBytes: number; bodyMs: number }>;

/** Bytes that are written to a temporary file at once. */
const PIECE_BYTES = 256 * 1024;

export interface UploadStorage {
  readonly spool: (companyId: number) => Promise<Spool>;
  /** Stores the bytes of a temporary file, so that a record can have them. */
  readonly stage: (caller: Caller, content: SpooledContent) => Promise<StoredBytes>;
  /** Deletes bytes that no record has got. Never rejects. */
  readonly discard: (caller: Caller, content: StoredBytes) => Promise<void>;
}
type StoredBytes = Omit<StagedContent, 'adopted'>;

/** The uploads of all surfaces. Companies take turns, or a few slow uploads would hold all places. */
export class Uploads {
  readonly limits: UploadLimits;
  /** Places by the id of the company. */
  readonly places: Semaphore<number>;
  readonly textPlaces: Semaphore<number>;

  constructor(
    readonly storage: UploadStorage,
    given: Pick<UploadLimits, 'maxFileBytes' | 'bodyMs'> & Partial<UploadLimits>,
  ) {
    const limits = { ...DEFAULTS, ...given };
    this.limits = { ...limits, maxTextFileBytes: Math.min(limits.maxTextFileBytes, limits.maxFileBytes) };
    this.places = new Semaphore({ ...limits, busy: tooManyLargeUploads });
    const { textPlaces: places, textPlacesOfKey: placesOfKey } = limits;
    this.textPlaces = new Semaphore({ ...limits, places, placesOfKey, busy: tooManyLargeUploads });
  }

  open(caller: Caller): UploadInProgress {
    return new UploadInProgress(caller, this);
  }
}

/** The bytes of one request: in memory if few, else with a place, and in a temporary file, until they are stored. */
export class UploadInProgress {
  readonly #content = new ContentBuilder(PIECE_BYTES);
  #spool: Spool | null = null;
  #leave: Release | null = null;
  #staged: StoredBytes | null = null;
  #isAdopted = false;
  readonly #ended = new AbortController();

  constructor(
    private readonly caller: Caller,
    readonly uploads: Uploads,
  ) {}

  get size(): number {
    return this.#content.size;
  }

  add(bytes: Uint8Array): void {
    this.#content.add(bytes);
  }

  /** To be awaited after each piece. Errors: 503 without a place, those of a temporary file. */
  async settle(): Promise<void> {
    const { limits, places, storage } = this.uploads;
    const { companyId } = this.caller;
    if (this.size <= limits.smallBytes) return;
    try {
      this.#leave ??= await places.acquire(companyId, this.#ended.signal);
      if (this.size <= limits.middleBytes) return;
      this.#spool ??= await storage.spool(companyId);
      await write(this.#spool, this.#content.take());
    } finally {
      // The upload may have been released meanwhile.
      if (this.#ended.signal.aborted) this.#free();
    }
  }

  /** Ends the content; bytes of a temporary file are stored for a record to have. Errors: those of a write. */
  async store(): Promise<SentContent> {
    await this.settle();
    const { chunks, ...sums } = this.#content.finish();
    const spool = this.#spool;
    if (spool === null) return { ...sums, chunks: chunks.length > 1 ? [Buffer.concat(chunks)] : chunks };
    await write(spool, chunks);
    this.#staged = await this.uploads.storage.stage(this.caller, { ...sums, spool });
    this.#free();
    return { ...this.#staged, adopted: () => (this.#isAdopted = true) };
  }

  /** Drops the bytes, unless a record has them, and ends the waiting for a place. Further calls do nothing. */
  readonly release = (): void => {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort('ended');
    this.#free();
    if (this.#staged !== null && !this.#isAdopted) {
      void this.uploads.storage.discard(this.caller, this.#staged);
    }
  };

  #free(): void {
    void this.#spool?.close();
    this.#spool = null;
    this.#leave?.();
    this.#leave = null;
  }
}

async function write(spool: Spool, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) await spool.write(piece);
}

function tooManyLargeUploads(): HttpProblem {
  return new HttpProblem(503, 'busy', 'Too many large uploads at the same time; try again in 10 seconds.', {
    'Retry-After': '10',
  });
}

/** @param what for example `The file`. */
export function largerThan(maxBytes: number, what: string): HttpProblem {
  return new HttpProblem(413, 'too_large', `${what} is larger than ${maxBytes} bytes.`);
}
