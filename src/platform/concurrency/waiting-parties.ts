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

/** The parts of one party. */
interface Waiting {
  /** By client, in the order in which these continue. */
  readonly clients: Map<unknown, (() => void)[]>;
  /** When the next one began to wait, in milliseconds. */
  readonly since: number;
  /** The level of the party. */
  level: number;
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
  /** In the order in which their next parts began to wait. */
  readonly #parties = new Map<unknown, Waiting>();
  /** The same parties by what they have used. */
  readonly #levels = Array.from({ length: LEVELS }, () => new Map<unknown, Waiting>());
  /** The time that parties have used lately, in milliseconds. */
  readonly #used = new Map<unknown, number>();
  #forgottenAt = 0;
  #parts = 0;
  /** Whether the part before continued because it had waited for long. */
  #wasLate = false;

  /** How many parts wait. */
  get parts(): number {
    return this.#parts;
  }

  add({ party, client }: Waits, now: number, resolve: () => void): void {
    const { clients } = this.#parties.get(party) ?? this.#place(party, new Map(), now);
    const queue = clients.get(client);
    if (queue === undefined) clients.set(client, [resolve]);
    else queue.push(resolve);
    this.#parts += 1;
  }

  /** The part that continues next; undefined if none waits. */
  take(now: number): Part | undefined {
    const [next] = this.#nextOf(now);
    if (next === undefined) return undefined;
    const [party, { clients, level }] = next;
    this.#parts -= 1;
    this.#parties.delete(party);
    this.#levels[level]?.delete(party);
    const resolve = takeNext(clients);
    if (clients.size > 0) this.#place(party, clients, now);
    return { party, resolve };
  }

  /** Counts time that a party has used. */
  charge(party: unknown, ms: number, now: number): void {
    this.#forget(now);
    this.#used.set(party, (this.#used.get(party) ?? 0) + ms);
    const waiting = this.#parties.get(party);
    const level = this.#levelOf(party);
    if (waiting === undefined || waiting.level === level) return;
    this.#levels[waiting.level]?.delete(party);
    waiting.level = level;
    this.#levels[level]?.set(party, waiting);
  }

  /** Its first entry is the party that continues next. */
  #nextOf(now: number): Map<unknown, Waiting> {
    const [oldest] = this.#parties.values();
    this.#wasLate = !this.#wasLate && oldest !== undefined && now - oldest.since > MAX_BEHIND_MS;
    if (this.#wasLate) return this.#parties;
    return this.#levels.find((level) => level.size > 0) ?? this.#parties;
  }

  #place(party: unknown, clients: Waiting['clients'], since: number): Waiting {
    const level = this.#levelOf(party);
    const waiting = { clients, since, level };
    this.#levels[level]?.set(party, waiting);
    this.#parties.set(party, waiting);
    return waiting;
  }

  #levelOf(party: unknown): number {
    return Math.min(32 - Math.clz32(this.#used.get(party) ?? 0), LEVELS - 1);
  }

  #forget(now: number): void {
    if (now - this.#forgottenAt < HALF_LIFE_MS) return;
    this.#forgottenAt = now;
    for (const [party, ms] of this.#used) {
      if (ms < 1) this.#used.delete(party);
      else this.#used.set(party, ms / 2);
    }
  }
}

/** Of the client whose turn it is, which is the last one then. */
function takeNext(clients: Waiting['clients']): () => void {
  for (const [client, queue] of clients) {
    const resolve = queue.shift();
    clients.delete(client);
    if (queue.length > 0) clients.set(client, queue);
    if (resolve !== undefined) return resolve;
  }
  return () => undefined;
}
