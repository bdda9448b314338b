import type { Caller } from '../../platform/caller.js';
import { SECOND } from '../../platform/clock.js';
import type { Release } from '../../platform/concurrency/semaphore.js';
import { Turns, type TurnLimits } from '../../platform/concurrency/turns.js';
import {
  CHUNK_BYTES,
  type ChunkedContent,
  type SentContent,
  type StagedContent,
} from '../../platform/encoding/content-builder.js';
import { ReceivedContent, type SpooledContent } from '../../platform/spool/received-content.js';
import type { Spool } from '../../platform/spool/spool.js';
import { HttpProblem } from '../problem.js';
import type { BodyRate } from './least-rate.js';

export interface UploadLimits extends Omit<TurnLimits, 'busy'> {
  readonly maxFileBytes: number;
  /** Fewer bytes are received in memory and without a place. */
  readonly smallBytes: number;
  /** So many are received in memory too, by as many uploads at a time as have places: a temporary file takes long. */
  readonly middleBytes: number;
  readonly rate: BodyRate;
}

const DEFAULTS = {
  smallBytes: 256 * 1024,
  middleBytes: CHUNK_BYTES,
  places: 32,
  placesOfKey: 8,
  maxWaiting: 256,
  maxWaitingOfKey: 32,
  maxWaitMs: 60 * SECOND,
} as const;

/** Where the bytes of large uploads go. */
export interface UploadStorage {
  /** Opens a temporary file. */
  readonly spool: (companyId: number) => Promise<Spool>;
  /** Stores the bytes of a temporary file, so that a record can have them. */
  readonly stage: (caller: Caller, content: SpooledContent) => Promise<StoredBytes>;
  /** Deletes bytes that no record has got. Never rejects. */
  readonly discard: (caller: Caller, content: StoredBytes) => Promise<void>;
}
type StoredBytes = Omit<StagedContent, 'adopted'>;

/**
 * The uploads of the whole server, whatever form they have: one object for all surfaces. Companies take turns: otherwise a
 * few uploads that send a byte now and then would hold all places.
 */
export class Uploads {
  readonly limits: UploadLimits;
  /** By the id of the company. */
  readonly #turns: Turns<number>;
  readonly #memory: Turns<number>;

  constructor(
    private readonly storage: UploadStorage,
    given: Pick<UploadLimits, 'maxFileBytes' | 'rate'> & Partial<UploadLimits>,
  ) {
    this.limits = { ...DEFAULTS, ...given };
    this.#turns = new Turns({ ...this.limits, busy: tooManyLargeUploads });
    this.#memory = new Turns({ ...this.limits, busy: tooManyLargeUploads });
  }

  /** @param stop ends the waiting for a place, with its reason as the error. */
  open(caller: Caller, stop: AbortSignal): UploadInProgress {
    const enter = (): Promise<Release> => this.#turns.acquire(caller.companyId, stop);
    const enterMemory = (): Release | null => this.#memory.enterNow(caller.companyId);
    return new UploadInProgress(caller, this.limits, this.storage, { enter, enterMemory });
  }
}

/** The bytes of one request. A large upload has a place and a temporary file until it is stored. */
export class UploadInProgress {
  #leave: Release | null = null;
  #leaveMemory: Release | null = null;
  #spool: Spool | null = null;
  #staged: StoredBytes | null = null;
  #isAdopted = false;
  #isReleased = false;

  constructor(
    private readonly caller: Caller,
    private readonly limits: Pick<UploadLimits, 'smallBytes' | 'middleBytes'>,
    private readonly storage: UploadStorage,
    private readonly places: {
      readonly enter: () => Promise<Release>;
      /** Null where no place is free. */
      readonly enterMemory: () => Release | null;
    },
  ) {}

  /** Begins to receive bytes; those of an earlier call are dropped. */
  begin(): ReceivedContent {
    this.#dropSpool();
    return new ReceivedContent(
      (bytes) => this.#keep(bytes),
      () => this.#openSpool(),
    );
  }

  /** Stores bytes in a temporary file for a record to have; gives the place back. Errors: those of a write. */
  async keep(content: ChunkedContent | SpooledContent): Promise<SentContent> {
    if (!('spool' in content)) return content;
    this.#staged = await this.storage.stage(this.caller, content);
    this.#free();
    return { ...this.#staged, adopted: () => (this.#isAdopted = true) };
  }

  /** Drops the bytes, unless a record has them, and ends the waiting for a place. Further calls do nothing. */
  readonly release = (): void => {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#free();
    if (this.#staged !== null && !this.#isAdopted) void this.storage.discard(this.caller, this.#staged);
  };

  /** Maximum bytes to keep in memory for an upload that has received `bytes`. */
  #keep(bytes: number): number {
    const { smallBytes, middleBytes } = this.limits;
    if (bytes <= smallBytes || bytes > middleBytes || this.#isReleased) return smallBytes;
    this.#leaveMemory ??= this.places.enterMemory();
    return this.#leaveMemory === null ? smallBytes : middleBytes;
  }

  /** Errors: 503, the reason why the waiting ended. */
  async #openSpool(): Promise<Spool> {
    this.#leave ??= await this.places.enter();
    this.#leaveMemory?.();
    this.#leaveMemory = null;
    if (!this.#isReleased) this.#spool = await this.storage.spool(this.caller.companyId);
    if (this.#isReleased) this.#free();
    if (this.#spool === null) throw new Error('The upload has ended');
    return this.#spool;
  }

  #free(): void {
    this.#dropSpool();
    this.#leave?.();
    this.#leaveMemory?.();
  }

  #dropSpool(): void {
    void this.#spool?.close();
    this.#spool = null;
  }
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
