import { Queue, type Place } from './queue.js';

/**
 * Owner of work on the event loop, which runs one thing at a time for all clients. Work is divided into parts
 * of some milliseconds. Between parts, waiting owners are served round-robin: first by company, then by
 * client of the company (decisions.md#event-loop-turns). In order of arrival, 60 connections with large reads
 * delayed other companies by up to 2 s at p99.
 */
export interface Owner {
  /** A company, or a client whose token is not known yet. */
  readonly party: unknown;
  /** A connection or socket. */
  readonly client: unknown;
}

/** The part that continues next. */
export interface Part {
  readonly party: unknown;
  readonly resolve: () => void;
}

/** A client of a party, and its waiting parts. */
interface Client {
  readonly parts: Queue<() => void>;
  isWaiting: boolean;
}

/** A party that waits, or has used time lately. */
interface Party {
  readonly party: unknown;
  /**
   * Idle clients are deleted now and then only: each change of a Map may leave behind a table that keeps the sockets of
   * clients in memory.
   */
  readonly clients: Map<unknown, Client>;
  /** Clients with waiting parts, in the order in which they continue. */
  readonly waiting: Queue<Client>;
  /** Entries in the queues of all waiting parties and of its level; null while the party does not wait. */
  places: { readonly ofAll: Place<Party>; ofLevel: Place<Party> } | null;
  /** Time at which its next part began to wait, in milliseconds. */
  since: number;
  /** Time used lately, in milliseconds; halved every `HALF_LIFE_MS`. */
  used: number;
}

/**
 * A party that has waited this long continues next, however much time it has used; at most every second part.
 */
const MAX_BEHIND_MS = 25;
/** Interval in which the used time of all parties is halved. */
const HALF_LIFE_MS = 500;
/**
 * Number of levels. Parties of one level have used about as much time: less than 1 ms, less than 2, less than
 * 4, …
 */
const LEVELS = 16;

/**
 * Decides which part continues next: one of the party that has used the event loop least lately. Parties that
 * have used about as much are served round-robin. Takes constant time, however many wait.
 */
export class WaitingParties {
  readonly #parties = new Map<unknown, Party>();
  /** Waiting parties, in the order in which their next parts began to wait. */
  readonly #all = new Queue<Party>();
  /** Waiting parties by used time, see `LEVELS`. */
  readonly #levels = Array.from({ length: LEVELS }, () => new Queue<Party>());
  #forgottenAt = 0;
  #parts = 0;
  /** Whether the previous part continued because it had waited longer than `MAX_BEHIND_MS`. */
  #wasLate = false;

  /** Number of waiting parts. */
  get parts(): number {
    return this.#parts;
  }

  add({ party, client }: Owner, now: number, resolve: () => void): void {
    const known = this.#partyOf(party);
    const own = known.clients.get(client) ?? { parts: new Queue(), isWaiting: false };
    known.clients.set(client, own);
    own.parts.add(resolve);
    if (!own.isWaiting) known.waiting.add(own);
    own.isWaiting = true;
    if (known.places === null) this.#place(known, now);
    this.#parts += 1;
  }

  /** Removes and returns the part that continues next; undefined if none waits. */
  take(now: number): Part | undefined {
    const next = this.#next(now);
    const client = next?.waiting.take();
    const resolve = client?.parts.take();
    if (next === undefined || client === undefined || resolve === undefined) return undefined;
    this.#parts -= 1;
    client.isWaiting = client.parts.size > 0;
    if (client.isWaiting) next.waiting.add(client);
    this.#leave(next);
    if (next.waiting.size > 0) this.#place(next, now);
    return { party: next.party, resolve };
  }

  /** Adds to the used time of a party. */
  charge(party: unknown, ms: number, now: number): void {
    this.#forget(now);
    const known = this.#partyOf(party);
    known.used += ms;
    if (known.places === null) return;
    const { ofLevel } = known.places;
    const level = this.#levelOf(known);
    if (ofLevel.queue === level) return;
    ofLevel.queue?.remove(ofLevel);
    known.places.ofLevel = level.add(known);
  }

  #partyOf(party: unknown): Party {
    const known = this.#parties.get(party);
    if (known !== undefined) return known;
    const added = {
      party,
      clients: new Map(),
      waiting: new Queue<Client>(),
      places: null,
      since: 0,
      used: 0,
    };
    this.#parties.set(party, added);
    return added;
  }

  #next(now: number): Party | undefined {
    const oldest = this.#all.first;
    this.#wasLate = !this.#wasLate && oldest !== undefined && now - oldest.since > MAX_BEHIND_MS;
    return this.#wasLate ? oldest : this.#levels.find(({ size }) => size > 0)?.first;
  }

  #place(party: Party, since: number): void {
    party.since = since;
    party.places = { ofAll: this.#all.add(party), ofLevel: this.#levelOf(party).add(party) };
  }

  #leave(party: Party): void {
    if (party.places === null) return;
    const { ofAll, ofLevel } = party.places;
    this.#all.remove(ofAll);
    ofLevel.queue?.remove(ofLevel);
    party.places = null;
  }

  #levelOf({ used }: Party): Queue<Party> {
    const level = Math.min(32 - Math.clz32(used), LEVELS - 1);
    return this.#levels[level] ?? this.#all;
  }

  /** Halves the used time of all parties, and deletes parties and clients that are idle. */
  #forget(now: number): void {
    if (now - this.#forgottenAt < HALF_LIFE_MS) return;
    this.#forgottenAt = now;
    for (const [party, known] of this.#parties) {
      known.used = known.used < 1 ? 0 : known.used / 2;
      for (const [client, { isWaiting }] of known.clients) if (!isWaiting) known.clients.delete(client);
      if (known.places === null && known.used === 0) this.#parties.delete(party);
    }
  }
}
