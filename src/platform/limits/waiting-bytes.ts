import { getHeapStatistics } from 'node:v8';

import { DomainError } from '../errors.js';
import { ExpectedSizes } from './expected-sizes.js';

const MIB = 1024 * 1024;
/** Maximum bytes of a small response. */
const SMALL_BYTES = 64 * 1024;
/**
 * Share of each limit that large responses may use, so that small ones, errors included, still get through.
 */
const PART_OF_LARGE = 3 / 4;

/** Returns the request of a client as text: equal texts are equal requests. Called only if needed. */
type Asked = () => string;

/** Limits in bytes. */
export interface WaitingLimits {
  readonly all: number;
  /**
   * For each company. One large response may exceed it: otherwise a small heap could never send a large list.
   */
  readonly ofCompany: number;
}

/** In total 256 MiB, but at most half the heap; a quarter of that for each company. */
export function waitingLimits(heap = heapBytes()): WaitingLimits {
  const all = Math.min(256 * MIB, Math.floor(heap / 2));
  return { all, ofCompany: all / 4 };
}

/** Counters of one company; the company `null` stands for clients that are not authenticated. */
interface Company {
  /** Bytes of all its responses except `exempt`. */
  counted: number;
  exempt: HeldBytes | null;
  holders: number;
}

const NOTHING_WAITS: Readonly<Company> = { counted: 0, exempt: null, holders: 0 };

/**
 * Counts the bytes of responses that connections have not taken yet, on every transport: by company and in
 * total (decisions.md#waiting-bytes).
 */
export class WaitingBytes {
  readonly #companies = new Map<number | null, Company>();
  readonly #expected = new ExpectedSizes();
  #all = 0;
  #refused = 0;

  constructor(readonly limits: WaitingLimits = waitingLimits()) {}

  get bytes(): number {
    return this.#all;
  }

  /** Number of refused responses. */
  get refused(): number {
    return this.#refused;
  }

  /** Bytes of one company, without its response that may exceed the limit. */
  bytesOf(companyId: number | null): number {
    return this.#companies.get(companyId)?.counted ?? 0;
  }

  /**
   * Refuses work early if its response would be refused. Its expected size is that of the previous response
   * to the same request; 1 byte if that is unknown. Errors: those of `add`.
   */
  demandRoom(companyId: number | null, asked: Asked = () => ''): void {
    const bytes = Math.max(
      1,
      this.#expected.of(() => `${companyId} ${asked()}`),
    );
    const company = this.#companies.get(companyId) ?? NOTHING_WAITS;
    if (this.#placeFor(company, null, bytes) === 'none') throw this.#refusal(bytes);
  }

  /** Records the size of a response, for `demandRoom`. */
  expect(companyId: number | null, asked: Asked, bytes: number): void {
    this.#expected.record(() => `${companyId} ${asked()}`, bytes);
  }

  /** Starts counting a response. Errors: those of `add`. */
  hold(companyId: number | null, bytes = 0): HeldBytes {
    const held = new HeldBytes(this, companyId);
    held.add(bytes);
    return held;
  }

  /** Called by `HeldBytes` only. */
  add(held: HeldBytes, bytes: number): void {
    const { companyId } = held;
    const company = this.#companies.get(companyId) ?? { ...NOTHING_WAITS };
    const place = this.#placeFor(company, held, bytes);
    if (place === 'none') throw this.#refusal(held.bytes + bytes);
    if (place === 'exempt' && company.exempt !== held) {
      company.exempt = held;
      company.counted -= held.bytes;
    }
    this.#all += bytes;
    if (place === 'counted') company.counted += bytes;
    if (held.bytes === 0 && bytes > 0) company.holders += 1;
    if (company.holders > 0) this.#companies.set(companyId, company);
  }

  /** Called by `HeldBytes` only. */
  subtract(held: HeldBytes, bytes: number): void {
    const company = this.#companies.get(held.companyId);
    if (company === undefined) return;
    this.#all -= bytes;
    if (company.exempt !== held) company.counted -= bytes;
    if (held.bytes > bytes) return;
    if (company.exempt === held) company.exempt = null;
    company.holders -= 1;
    if (company.holders === 0) this.#companies.delete(held.companyId);
  }

  /**
   * How further `bytes` of a response would be counted; `none` if they are refused. `held` is null for a new
   * response.
   */
  #placeFor(company: Company, held: HeldBytes | null, bytes: number): 'counted' | 'exempt' | 'none' {
    const isSmall = (held?.bytes ?? 0) + bytes <= SMALL_BYTES;
    const part = isSmall ? 1 : PART_OF_LARGE;
    if (this.#all + bytes > this.limits.all * part) return 'none';
    if (held !== null && company.exempt === held) return 'exempt';
    if (company.counted + bytes <= this.limits.ofCompany * part) return 'counted';
    return isSmall || company.exempt !== null ? 'none' : 'exempt';
  }

  #refusal(bytes: number): DomainError {
    this.#refused += 1;
    const most = Math.floor(this.limits.all * PART_OF_LARGE);
    if (bytes > most) {
      return new DomainError('malformed', `The response has more than ${most} bytes: request fewer at once.`);
    }
    const message = 'Too many bytes of responses are unread. Read them, then send this again.';
    return new DomainError('busy', message, { retryAfter: 5 });
  }
}

/** Bytes of one response that its client has not taken yet. */
export class HeldBytes {
  #bytes = 0;
  #isReleased = false;

  constructor(
    private readonly waiting: WaitingBytes,
    readonly companyId: number | null,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Errors: `busy` if too many bytes wait; `malformed` if the response alone is too large. Then nothing is
   * added.
   */
  add(bytes: number): void {
    if (this.#isReleased) return;
    this.waiting.add(this, bytes);
    this.#bytes += bytes;
  }

  /** Changes the number of bytes. Errors: those of `add`. */
  resize(bytes: number): void {
    if (bytes > this.#bytes) this.add(bytes - this.#bytes);
    else this.taken(this.#bytes - bytes);
  }

  /** Subtracts bytes that the client has taken. */
  taken(bytes: number): void {
    const fewer = Math.min(bytes, this.#bytes);
    if (fewer === 0) return;
    this.waiting.subtract(this, fewer);
    this.#bytes -= fewer;
  }

  /** Subtracts all bytes; further ones are not counted. */
  release(): void {
    this.#isReleased = true;
    this.taken(this.#bytes);
  }
}

/** Bytes that V8 adds to `--max-old-space-size` for new objects, on 64-bit systems. */
const YOUNG_BYTES = 192 * 1024 * 1024;

/** Heap bytes for long-lived objects: about `--max-old-space-size`, which V8 does not report. */
export function heapBytes(limit = getHeapStatistics().heap_size_limit): number {
  return Math.max(limit - YOUNG_BYTES, Math.floor(limit / 3));
}
