import { Queue, type Place } from './queue.js';

/** What waits for the event loop: parts of work, each of one party and one of its clients. */
export interface Waits {
  readonly party: unknown;
  readonly client: unknown;
}

/** A part that continues. */
export interface Part {
  readonly party: unknown;
  readonly resolve: () => void;
}

/** A client of a party, and its parts. */
interface Client {
  readonly parts: Queue<() => void>;
  isWaiting: boolean;
}

/** A party that waits, or has used time lately. */
interface Party {
  readonly party: unknown;
  readonly clients: Map<unknown, Client>;
  /** Those that wait, in the order in which they continue. */
  readonly waiting: Queue<Client>;
  /** Among all parties that wait, and among those of its level; null while it does not wait. */
  places: { readonly ofAll: Place<Party>; ofLevel: Place<Party> } | null;
  /** When its next part began to wait, in milliseconds. */
  since: number;
  /** The time that it has used lately, in milliseconds. */
  used: number;
}

/** A party that has waited so long continues next, however much time it has used; of two parts, at most one for this. */
const MAX_BEHIND_MS = 25;
/** After this time, half of what a party has used is forgotten. */
const HALF_LIFE_MS = 500;
/** Parties on one level have used about as much time: less than 1 ms, less than 2, less than 4, … */
const LEVELS = 16;

/**
 * Decides which part continues next: the party that has used the event loop least lately comes first, and parties that
 * have used about as much take turns. Finding the next one takes as long however many wait.
 */
export class WaitingParties {
  readonly #parties = new Map<unknown, Party>();
  /** Those that wait, in the order in which their next parts began to wait. */
  readonly #all = new Queue<Party>();
  /** The same by what they have used. */
  readonly #levels = Array.from({ length: LEVELS }, () => new Queue<Party>());
  #forgottenAt = 0;
  #parts = 0;
  /** Whether the part before continued because it had waited for long. */
  #wasLate = false;

  /** How many parts wait. */
  get parts(): number {
    return this.#parts;
  }

  add({ party, client }: Waits, now: number, resolve: () => void): void {
    const known = this.#partyOf(party);
    const own = known.clients.get(client) ?? { parts: new Queue(), isWaiting: false };
    known.clients.set(client, own);
    own.parts.add(resolve);
    if (!own.isWaiting) known.waiting.add(own);
    own.isWaiting = true;
    if (known.places === null) this.#place(known, now);
    this.#parts += 1;
  }

  /** The part that continues next; undefined if none waits. */
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

  /** Counts time that a party has used. */
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
    const added: Party = {
      ...{ party, clients: new Map<unknown, Client>(), waiting: new Queue<Client>() },
      ...{ places: null, since: 0, used: 0 },
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

  /** Also parties and clients that do not wait. */
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
