import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';

import { Semaphore } from './concurrency/semaphore.js';
import { busy, DomainError } from './errors.js';

const MIB = 1024 * 1024;
/** Maximum bytes of a small response. */
const SMALL_BYTES = 64 * 1024;
/** Share of each limit that large responses may use, so that small ones, errors included, still get through. */
const PART_OF_LARGE = 3 / 4;
/** Maximum requests whose large responses are remembered. */
const MAX_EXPECTED = 1_000;

/** Returns the request of a client as text: equal texts are equal requests. Called only if needed. */
type Asked = () => string;

/**
 * Limits in bytes: in total 256 MiB, but at most half the heap; a quarter of that for each company. One large response of
 * a company may exceed it: otherwise a small heap could never send a large list.
 */
export function waitingLimits(heap = heapBytes()) {
  const all = Math.min(256 * MIB, Math.floor(heap / 2));
  return { all, ofCompany: all / 4 };
}

/** Counters of one company; the company `null` stands for clients that are not authenticated. */
interface Company {
  /** Bytes of all its responses except `exempt`. */
  counted: number;
  /** A large response that exceeds the limit. */
  exempt: HeldBytes | null;
}

/** Bytes of responses that clients have not taken yet, by company and in total (decisions.md#waiting-bytes). */
export class WaitingBytes {
  readonly #companies = new Map<number | null, Company>();
  /** Sizes of recent large responses by request: the same request probably gets a response of the same size. */
  readonly #expected = new LRUCache<string, number>({ max: MAX_EXPECTED });
  bytes = 0;
  refused = 0;

  constructor(readonly limits = waitingLimits()) {}

  /** Bytes of one company, without its response that may exceed the limit. */
  bytesOf(companyId: number | null): number {
    return this.#companies.get(companyId)?.counted ?? 0;
  }

  /**
   * Refuses work early, for the size of the previous response to the same request. Errors: those of `HeldBytes.add`.
   */
  requireRoom(companyId: number | null, asked: Asked = () => ''): void {
    const known = this.#expected.size > 0 ? this.#expected.get(keyOf(companyId, asked)) : undefined;
    const bytes = known ?? 1;
    if (this.#placeFor(this.#companyOf(companyId), null, bytes) === 'none') throw this.#refusal(bytes);
  }

  /** Records the size of a response, for `requireRoom`. */
  expect(companyId: number | null, asked: Asked, bytes: number): void {
    if (bytes > SMALL_BYTES) this.#expected.set(keyOf(companyId, asked), bytes);
    else if (this.#expected.size > 0) this.#expected.delete(keyOf(companyId, asked));
  }

  /** Starts counting a response. Errors: those of `HeldBytes.add`. */
  hold(companyId: number | null, bytes = 0): HeldBytes {
    const held = new HeldBytes(this, companyId);
    held.add(bytes);
    return held;
  }

  /** Adds to the bytes of a response, or subtracts. Called by `HeldBytes` only. */
  change(held: HeldBytes, change: number): void {
    const company = this.#companyOf(held.companyId);
    const place = change < 0 ? 'counted' : this.#placeFor(company, held, change);
    if (place === 'none') throw this.#refusal(held.bytes + change);
    if (place === 'exempt' && company.exempt !== held) {
      company.exempt = held;
      company.counted -= held.bytes;
    }
    this.bytes += change;
    if (company.exempt !== held) company.counted += change;
    else if (held.bytes + change === 0) company.exempt = null;
    if (company.counted > 0 || company.exempt !== null) this.#companies.set(held.companyId, company);
    else this.#companies.delete(held.companyId);
  }

  #companyOf(companyId: number | null): Company {
    return this.#companies.get(companyId) ?? { counted: 0, exempt: null };
  }

  /** How further `bytes` of a response would be counted; `none` if they are refused. `held` is null for a new one. */
  #placeFor(company: Company, held: HeldBytes | null, bytes: number): 'counted' | 'exempt' | 'none' {
    const isSmall = (held?.bytes ?? 0) + bytes <= SMALL_BYTES;
    const part = isSmall ? 1 : PART_OF_LARGE;
    if (this.bytes + bytes > this.limits.all * part) return 'none';
    if (held !== null && company.exempt === held) return 'exempt';
    if (company.counted + bytes <= this.limits.ofCompany * part) return 'counted';
    return isSmall || company.exempt !== null ? 'none' : 'exempt';
  }

  #refusal(bytes: number): DomainError {
    this.refused += 1;
    const most = Math.floor(this.limits.all * PART_OF_LARGE);
    if (bytes > most) {
      return new DomainError('malformed', `The response has more than ${most} bytes: request fewer at once.`);
    }
    return busy('Too many bytes of responses are unread. Read them, then send this again.', 5);
  }
}

function keyOf(companyId: number | null, asked: Asked): string {
  try {
    return createHash('sha256').update(`${companyId} ${asked()}`).digest('base64');
  } catch (error) {
    // A request that is nested too deeply to become text is refused later.
    if (error instanceof RangeError) return '';
    throw error;
  }
}

/** Bytes of one response that its client has not taken yet. */
export class HeldBytes {
  bytes = 0;
  #isReleased = false;

  constructor(
    private readonly waiting: WaitingBytes,
    readonly companyId: number | null,
  ) {}

  /** Errors: `busy` if too many bytes wait; `malformed` if the response alone is too large. Then nothing is added. */
  add(bytes: number): void {
    if (this.#isReleased || bytes === 0) return;
    this.waiting.change(this, bytes);
    this.bytes += bytes;
  }

  /** Changes the number of bytes. Errors: those of `add`. */
  resize(bytes: number): void {
    this.add(bytes - this.bytes);
  }

  /** Subtracts bytes that the client has taken. */
  taken(bytes: number): void {
    this.add(-Math.min(bytes, this.bytes));
  }

  /** Subtracts all bytes; further ones are not counted. */
  release(): void {
    this.taken(this.bytes);
    this.#isReleased = true;
  }
}

/** Bytes that V8 adds to `--max-old-space-size` for new objects, on 64-bit systems. */
const YOUNG_BYTES = 192 * 1024 * 1024;

/** Heap bytes for long-lived objects: about `--max-old-space-size`, which V8 does not report. */
function heapBytes(limit = getHeapStatistics().heap_size_limit): number {
  return Math.max(limit - YOUNG_BYTES, Math.floor(limit / 3));
}

/** Heap bytes of one heavy operation: its records, and its response as an object and as text. */
const HEAP_PER_OPERATION = 96 * 1024 * 1024;
const [MAX_PLACES, MAX_PLACES_OF_COMPANY] = [4, 2] as const;
const MAX_WAITING = 1_000;

/** Heavy operations that run at the same time: of companies in turn, as many as fit into the heap (decisions.md#places). */
export type Places = Semaphore<number>;

export function createPlaces(): Places {
  const fitting = Math.floor(heapBytes() / HEAP_PER_OPERATION);
  const places = Math.min(Math.max(fitting, 1), MAX_PLACES);
  const message = 'Too many large operations at the same time; try again in a second.';
  return new Semaphore({
    places,
    placesOfKey: Math.min(places, MAX_PLACES_OF_COMPANY),
    maxWaiting: MAX_WAITING,
    busy: () => busy(message, 1),
  });
}

/** A limit of concurrently open things, for example `{ kind: 'live_token', of: '17', max: 50 }`. */
export interface Slot {
  /** Label in metrics. */
  readonly kind: string;
  readonly of: string;
  readonly max: number;
}

const nameOf = ({ kind, of }: Slot): string => `${kind} ${of}`;

/** Counts concurrently open things by kind and owner. */
export class Slots {
  readonly #taken = new Map<string, number>();
  /** Number of refusals by the kind of the full slot. */
  readonly refused = new Map<string, number>();

  /** Takes all slots or none. Returns the function that releases them, or the slot that is full. */
  take(...slots: readonly Slot[]): (() => void) | Slot {
    const names = slots.map(nameOf);
    const full = slots.find(({ max }, index) => (this.#taken.get(names[index] ?? '') ?? 0) >= max);
    if (full !== undefined) {
      this.countRefusal(full.kind);
      return full;
    }
    for (const name of names) this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const name of names) this.#release(name);
      isTaken = false;
    };
  }

  countRefusal(kind: string): void {
    this.refused.set(kind, (this.refused.get(kind) ?? 0) + 1);
  }

  #release(name: string): void {
    const left = (this.#taken.get(name) ?? 0) - 1;
    if (left <= 0) this.#taken.delete(name);
    else this.#taken.set(name, left);
  }
}

/** Most requests come from few addresses. */
const addresses = new LRUCache<string, ReturnType<typeof knownAddress>>({
  max: 1_000,
  memoMethod: knownAddress,
});

/** Canonical form and networks of a text that may be an IP address. */
function knownAddress(text: string) {
  if (!ipaddr.isValid(text)) return { normal: null, networks: [text] };
  const address = ipaddr.process(text);
  const normal = address.toString();
  if (address.kind() === 'ipv4') return { normal, networks: [normal] };
  const bytes = address.toByteArray();
  return { normal, networks: [64, 48, 32].map((bits) => `${bytes.slice(0, bits / 8).join('.')}/${bits}`) };
}

/** An IP address in canonical form: `::ffff:203.0.113.7` becomes `203.0.113.7`. Null for other text. */
export const normalAddress = (text: string): string | null => addresses.memo(text).normal;

/** Keys of a client in limits: an IPv4 address, or the /64, /48 and /32 networks of IPv6 (contract 14). */
export const networksOf = (address: string): readonly string[] => addresses.memo(address).networks;

/** The first of `networksOf`. */
export const clientNetwork = (address: string): string => networksOf(address)[0] ?? address;
