/** What waits for the event loop: parts of work, each of one party and one of its clients. */
export interface Waits {
  readonly party: unknown;
  readonly client: unknown;
}

/** The parts of one party. */
interface Waiting {
  /** By client, in the order in which these continue. */
  readonly clients: Map<unknown, (() => void)[]>;
  /** When the next one began to wait, in milliseconds. */
  readonly since: number;
  /** The parties among which this one is, in the order in which their next parts began to wait. */
  readonly among: Map<unknown, Waiting>;
}

/** A party that has waited so long continues next, however much it has used. */
const MAX_AHEAD_MS = 25;
/** In this time, half of what a party has used is forgotten. */
const HALF_LIFE_MS = 500;
/** Parties that have used about as much are in the same one: none, 1, 2 to 3, 4 to 7, … parts. */
const LEVELS = 16;

/**
 * Decides which part continues next. In each round, every party that waits continues once before any does so twice;
 * those that have used little lately come first. Finding the next one takes as long however many wait.
 */
export class WaitingParties {
  readonly #parties = new Map<unknown, Waiting>();
  /** Those that have not continued in this round, by how much they have used. */
  readonly #levels = Array.from({ length: LEVELS }, () => new Map<unknown, Waiting>());
  /** Those that wait again after they have continued in this round. */
  readonly #again = new Map<unknown, Waiting>();
  readonly #continued = new Set<unknown>();
  /** How many parts each party has continued lately. */
  readonly #used = new Map<unknown, number>();
  #forgottenAt = 0;
  #parts = 0;

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

  beginRound(): void {
    this.#continued.clear();
    const again = [...this.#again];
    this.#again.clear();
    for (const [party, { clients, since }] of again) this.#place(party, clients, since);
  }

  /** The next part of the party that continues next; undefined if none waits. */
  take(now: number): (() => void) | undefined {
    this.#forget(now);
    if (this.#again.size === this.#parties.size) this.beginRound();
    let next: [party: unknown, waiting: Waiting] | undefined;
    let oldest = now - MAX_AHEAD_MS;
    for (const level of this.#levels) {
      if (level.size === 0) continue;
      const [first] = level;
      if (first === undefined || (next !== undefined && first[1].since >= oldest)) continue;
      next = first;
      oldest = Math.min(oldest, next[1].since);
    }
    return next === undefined ? undefined : this.takeOf(next[0], now);
  }

  /** The next part of a party; undefined if it has none. */
  takeOf(party: unknown, now: number): (() => void) | undefined {
    const waiting = this.#parties.get(party);
    if (waiting === undefined) return undefined;
    const { clients, among } = waiting;
    this.#parts -= 1;
    this.#continued.add(party);
    this.#used.set(party, (this.#used.get(party) ?? 0) + 1);
    this.#parties.delete(party);
    among.delete(party);
    const part = takeNext(clients);
    if (clients.size > 0) this.#place(party, clients, now);
    return part;
  }

  #place(party: unknown, clients: Waiting['clients'], since: number): Waiting {
    const used = Math.floor(this.#used.get(party) ?? 0);
    const level = this.#levels[Math.min(32 - Math.clz32(used), LEVELS - 1)];
    const among = this.#continued.has(party) || level === undefined ? this.#again : level;
    const waiting = { clients, since, among };
    among.set(party, waiting);
    this.#parties.set(party, waiting);
    return waiting;
  }

  #forget(now: number): void {
    if (now - this.#forgottenAt < HALF_LIFE_MS) return;
    this.#forgottenAt = now;
    for (const [party, uses] of this.#used) {
      if (uses < 1) this.#used.delete(party);
      else this.#used.set(party, uses / 2);
    }
  }
}

/** Of the client whose turn it is, which is the last one then. */
function takeNext(clients: Waiting['clients']): (() => void) | undefined {
  const [[client, queue] = [undefined, []]] = clients;
  const part = queue.shift();
  clients.delete(client);
  if (queue.length > 0) clients.set(client, queue);
  return part;
}
