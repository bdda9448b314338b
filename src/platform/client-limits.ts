import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { getHeapStatistics } from 'node:v8';

import { Semaphore } from './concurrency/semaphore.js';
import { busy, DomainError } from './errors.js';

const MIB = 1024 * 1024;
/** Maximum bytes of a small response, which is never refused. */
const SMALL_BYTES = 64 * 1024;

/** Limits in bytes: in total 256 MiB, but at most half the heap; a quarter of that for each company. */
export function waitingLimits(heap = heapBytes()) {
  const all = Math.min(256 * MIB, Math.floor(heap / 2));
  return { all, ofCompany: all / 4 };
}

/**
 * Bytes of responses that clients have not taken yet, by company and in total (decisions.md#waiting-bytes). The company
 * `null` stands for clients that are not authenticated.
 */
export class WaitingBytes {
  readonly #ofCompanies = new Map<number | null, number>();
  bytes = 0;
  refused = 0;

  constructor(readonly limits = waitingLimits()) {}

  bytesOf(companyId: number | null): number {
    return this.#ofCompanies.get(companyId) ?? 0;
  }

  /** Starts counting a response. Errors: those of `HeldBytes.add`. */
  hold(companyId: number | null, bytes = 0, isChange = false): HeldBytes {
    const held = new HeldBytes(this, companyId);
    held.add(bytes, isChange);
    return held;
  }

  /** Adds to the bytes of a response, or subtracts. Called by `HeldBytes` only. */
  change(companyId: number | null, change: number): void {
    const bytes = this.bytesOf(companyId) + change;
    this.bytes += change;
    if (bytes > 0) this.#ofCompanies.set(companyId, bytes);
    else this.#ofCompanies.delete(companyId);
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

  /** Errors: those of `requireRoom`, and then nothing is added; none for the response to a change, which is always sent. */
  add(bytes: number, isChange = false): void {
    if (!isChange) this.requireRoom(bytes);
    this.#change(bytes);
  }

  /**
   * Call before a response gets `more` bytes; without `more`, before a large one is made. Errors, for large ones only:
   * `busy` while too many bytes of its company, or of all, wait; `malformed` if it alone has too many bytes.
   */
  requireRoom(more = SMALL_BYTES + 1): void {
    const { waiting, companyId } = this;
    const { all, ofCompany } = waiting.limits;
    const bytes = this.bytes + more;
    if (bytes <= SMALL_BYTES) return;
    if (waiting.bytes + more <= all && waiting.bytesOf(companyId) - this.bytes < ofCompany) return;
    waiting.refused += 1;
    if (bytes > all)
      throw new DomainError('malformed', `The response has more than ${all} bytes: request fewer at once.`);
    throw busy('Too many bytes of responses are unread. Read them, then send this again.', 5);
  }

  /** Subtracts bytes that the client has taken. */
  taken(bytes: number): void {
    this.#change(-Math.min(bytes, this.bytes));
  }

  /** Subtracts all bytes; further ones are not counted. */
  release(): void {
    this.taken(this.bytes);
    this.#isReleased = true;
  }

  #change(bytes: number): void {
    if (this.#isReleased) return;
    this.waiting.change(this.companyId, bytes);
    this.bytes += bytes;
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
const [MAX_WAITING, MAX_WAITING_OF_COMPANY] = [1_000, 500] as const;
const MAX_WAIT_MS = 60_000;

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
    maxWaitingOfKey: MAX_WAITING_OF_COMPANY,
    maxWaitMs: MAX_WAIT_MS,
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
