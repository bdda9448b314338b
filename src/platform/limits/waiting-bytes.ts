import { DomainError } from '../errors.js';
import { ExpectedSizes } from './expected-sizes.js';
import { heapBytes } from './heap.js';

const MIB = 1024 * 1024;
/** A response of at most so many bytes is small. */
const SMALL_BYTES = 64 * 1024;
/** Large responses use at most this part of each limit, so that small ones, errors included, still get through. */
const PART_OF_LARGE = 3 / 4;

/** What a client asked for: equal texts are equal requests. Called only where it is needed. */
type Asked = () => string;

/** In bytes. */
export interface WaitingLimits {
  readonly all: number;
  /** One large response of the company may exceed it: otherwise a small heap could never send a large list. */
  readonly ofCompany: number;
}

/** At most 256 MiB, and as much as half the heap; a quarter of that for each company. */
export function waitingLimits(heap = heapBytes()): WaitingLimits {
  const all = Math.min(256 * MIB, Math.floor(heap / 2));
  return { all, ofCompany: all / 4 };
}

/** Of one company; `null` stands for clients that are not authenticated. */
interface Company {
  /** Bytes of all its responses but the exempt one. */
  counted: number;
  exempt: HeldBytes | null;
  holders: number;
}

const NOTHING_WAITS: Readonly<Company> = { counted: 0, exempt: null, holders: 0 };

/**
 * Counts the bytes that were made for clients and that their connections have not taken yet, on every transport:
 * by company, and of all companies together (decisions.md#waiting-bytes).
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

  /** How often a response was refused. */
  get refused(): number {
    return this.#refused;
  }

  /** Bytes of one company, without its response that may exceed the limit. */
  bytesOf(companyId: number | null): number {
    return this.#companies.get(companyId)?.counted ?? 0;
  }

  /**
   * Refuses work whose response would be refused too: it has as many bytes as when the same was asked before, or a
   * few. Errors: those of `add`.
   */
  demandRoom(companyId: number | null, asked: Asked = () => ''): void {
    const bytes = Math.max(
      1,
      this.#expected.of(() => `${companyId} ${asked()}`),
    );
    const company = this.#companies.get(companyId) ?? NOTHING_WAITS;
    if (this.#placeFor(company, null, bytes) === 'none') throw this.#refusal(bytes);
  }

  /** Remembers how large a response is, for `demandRoom`. */
  expect(companyId: number | null, asked: Asked, bytes: number): void {
    this.#expected.record(() => `${companyId} ${asked()}`, bytes);
  }

  /** Begins to count a response. Errors: those of `add`. */
  hold(companyId: number | null, bytes = 0): HeldBytes {
    const held = new HeldBytes(this, companyId);
    held.add(bytes);
    return held;
  }

  /** For `HeldBytes`. */
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

  /** For `HeldBytes`. */
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

  /** How so many more bytes of a response would be counted; `held` is null for one that has none yet. */
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

/** The bytes of one response that wait for its client. */
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

  /** Errors: `busy` if too many bytes wait; `malformed` if the response alone is too large. Then nothing is added. */
  add(bytes: number): void {
    if (this.#isReleased) return;
    this.waiting.add(this, bytes);
    this.#bytes += bytes;
  }

  /** Counts another number of bytes instead. Errors: those of `add`. */
  resize(bytes: number): void {
    if (bytes > this.#bytes) this.add(bytes - this.#bytes);
    else this.taken(this.#bytes - bytes);
  }

  /** The client has taken some of them. */
  taken(bytes: number): void {
    const fewer = Math.min(bytes, this.#bytes);
    if (fewer === 0) return;
    this.waiting.subtract(this, fewer);
    this.#bytes -= fewer;
  }

  /** Nothing waits any more, and nothing is counted from now on. */
  release(): void {
    this.#isReleased = true;
    this.taken(this.#bytes);
  }
}
