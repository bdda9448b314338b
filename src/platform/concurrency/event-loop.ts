import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';

import { systemClock } from '../clock.js';
import { type Place, Queue } from './semaphore.js';

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

/** A party that waits, or has used time lately. */
class Party {
  /**
   * Waiting parts by client. Idle clients are deleted now and then only: each change of a Map may leave behind a table
   * that keeps the sockets of clients in memory.
   */
  readonly clients = new Map<unknown, Queue<() => void>>();
  /** Clients with waiting parts, in the order in which they continue. */
  readonly waiting = new Queue<Queue<() => void>>();
  /** Entry in the queue of waiting parties; null while the party does not wait. */
  place: Place<Party> | null = null;
  /** Time at which its next part began to wait, in milliseconds. */
  since = 0;
  /** Time used lately, in milliseconds; halved every `HALF_LIFE_MS`. */
  used = 0;
}

/** A party that has waited this long continues next, however much time it has used; at most every second part. */
const MAX_BEHIND_MS = 25;
/** Interval in which the used time of all parties is halved. */
const HALF_LIFE_MS = 500;

/** Parties of one level have used about as much time: less than 1 ms, less than 2, less than 4, … */
const levelOf = ({ used }: Party): number => 32 - Math.clz32(used);

/** The next part is one of the party that used the event loop least lately; parties of one level take turns. */
export class WaitingParties {
  readonly #parties = new Map<unknown, Party>();
  /** Waiting parties, in the order in which their next parts began to wait. */
  readonly #waiting = new Queue<Party>();
  #forgottenAt = 0;
  #parts = 0;
  /** Whether the previous part continued because it had waited longer than `MAX_BEHIND_MS`. */
  #wasLate = false;

  get parts(): number {
    return this.#parts;
  }

  add({ party: key, client }: Owner, now: number, resolve: () => void): void {
    const party = this.#parties.get(key) ?? new Party();
    this.#parties.set(key, party);
    const own = party.clients.get(client) ?? new Queue();
    party.clients.set(client, own);
    if (own.size === 0) party.waiting.add(own);
    own.add(resolve);
    if (party.place === null) this.#place(party, now);
    this.#parts += 1;
  }

  /** Removes the part that continues next, and returns its party with it; undefined if none waits. */
  take(now: number): { readonly party: Party; readonly resolve: () => void } | undefined {
    const party = this.#next(now);
    const client = party?.waiting.take();
    const resolve = client?.take();
    if (party?.place == null || client === undefined || resolve === undefined) return undefined;
    this.#parts -= 1;
    if (client.size > 0) party.waiting.add(client);
    this.#waiting.remove(party.place);
    party.place = null;
    if (party.waiting.size > 0) this.#place(party, now);
    return { party, resolve };
  }

  charge(party: Party, ms: number, now: number): void {
    this.#forget(now);
    party.used += ms;
  }

  #next(now: number): Party | undefined {
    const oldest = this.#waiting.first;
    this.#wasLate = !this.#wasLate && oldest !== undefined && now - oldest.since > MAX_BEHIND_MS;
    let least = oldest;
    if (least === undefined || this.#wasLate) return least;
    for (const { value: party } of this.#waiting.places()) {
      if (levelOf(party) < levelOf(least)) least = party;
      if (levelOf(least) === 0) break;
    }
    return least;
  }

  #place(party: Party, since: number): void {
    party.since = since;
    party.place = this.#waiting.add(party);
  }

  /** Halves the used time of all parties, and deletes parties and clients that are idle. */
  #forget(now: number): void {
    if (now - this.#forgottenAt < HALF_LIFE_MS) return;
    this.#forgottenAt = now;
    for (const [key, party] of this.#parties) {
      party.used = party.used < 1 ? 0 : party.used / 2;
      for (const [client, { size }] of party.clients) if (size === 0) party.clients.delete(client);
      if (party.place === null && party.used === 0) this.#parties.delete(key);
    }
  }
}

const running = new AsyncLocalStorage<Owner>();
/** Owner of work that no client requested, such as housekeeping. */
const SERVER: Owner = { party: 'server', client: 'server' };
/**
 * Owner of work that others wait for, such as a change that holds the write lock. Its parts may be long: one
 * runs when nothing else waits, or at the end of a turn of the event loop if it has waited `PUT_OFF_MS`.
 */
export const AWAITED: Owner = { party: 'awaited', client: 'awaited' };
/** Milliseconds that short parts run before the event loop looks for events again. */
const TURN_MS = 2;
/** Milliseconds between two parts of `AWAITED` for work that arrived during the first one. */
const PUT_OFF_MS = 2;
/** Maximum number of parts that continue in one turn of the event loop. */
const PARTS = 32;

const waiting = new WaitingParties();
/** Waiting parts of `AWAITED`; `since` is when each began to wait, in milliseconds. */
const awaited: { readonly resolve: () => void; readonly since: number }[] = [];
/** Whether `startedAt` is set for this turn of the event loop. */
let isTimed = false;
let startedAt = 0;
/** The party whose part runs, and the start of the part in milliseconds; null while none runs. */
let current: { readonly party: Party; readonly since: number } | null = null;
/** Set until the caller that entered at once continues; others, such as requests of the same packet, wait. */
let isEntering = false;

export function currentOwner(): Owner {
  return running.getStore() ?? SERVER;
}

/** Runs `use`, and all that it awaits, as work of `owner` (decisions.md#event-loop-turns). */
export function workFor<T>(owner: Owner, use: () => T): T {
  return running.run(owner, use);
}

/** The owner of work for a company, with the client of the current owner. */
export function companyOwner({ companyId }: { readonly companyId: number }): Owner {
  return { party: companyId, client: currentOwner().client };
}

/** The owner of work for terminals: a party of its own, so that a fleet does not delay the company's users. */
export function terminalsOwner({ companyId }: { readonly companyId: number }): Owner {
  return { party: `terminals of ${companyId}`, client: currentOwner().client };
}

/**
 * To be awaited before new work. Resolves at once, unless the event loop is busy or others wait; then
 * resolves when its owner is the next one. (Starting new work at once while other work waits took a fifth
 * more time for each: CPU caches favour similar work in succession.)
 */
export function enterEventLoop(): Promise<void> {
  time();
  if (isEntering || waiting.parts > 0 || isTurnOver()) return yieldToEventLoop();
  isEntering = true;
  return Promise.resolve().then(() => void (isEntering = false));
}

/** To be awaited between the parts of long work. Resolves when its owner is the next one. */
export function yieldToEventLoop(): Promise<void> {
  time();
  const owner = currentOwner();
  return new Promise((resolve) => {
    const since = systemClock.elapsed();
    if (owner.party === AWAITED.party) awaited.push({ resolve, since });
    else waiting.add(owner, since, resolve);
  });
}

/** Parts of a list, of at most `size`; the loop handles events between two. */
export async function* inParts<T>(list: readonly T[], size: number): AsyncGenerator<readonly T[], void> {
  for (let start = 0; start < list.length; start += size) {
    if (start > 0) await yieldToEventLoop();
    yield list.slice(start, start + size);
  }
}

function time(): void {
  if (isTimed) return;
  isTimed = true;
  startedAt = systemClock.elapsed();
  setImmediate(turn);
}

/**
 * Whether the turn of the event loop has lasted `ms`, so that long work should yield now. The default is for work that is
 * easily interrupted; more is for a unit of several short statements, and for work that holds much memory.
 */
export function isTurnOver(ms = TURN_MS): boolean {
  time();
  return systemClock.elapsed() - startedAt > ms;
}

function turn(): void {
  isTimed = false;
  account();
  if (waiting.parts + awaited.length === 0) return;
  time();
  if (waiting.parts === 0) {
    continueAwaited();
    return;
  }
  // The first part always runs; each further one only if the parts before it were short.
  continueNext();
  // One waiting part is left for the next turn, in which parts that arrive meanwhile may precede it.
  const others = Math.min(waiting.parts, PARTS) - 1;
  for (let part = 0; part < others; part += 1) setImmediate(continueIfShort);
  setImmediate(endTurn);
}

function endTurn(): void {
  account();
  const [first] = awaited;
  if (first !== undefined && systemClock.elapsed() - first.since >= PUT_OFF_MS) continueAwaited();
}

function continueAwaited(): void {
  startedAt = systemClock.elapsed();
  awaited.shift()?.resolve();
}

function continueIfShort(): void {
  account();
  if (!isTurnOver()) continueNext();
}

function continueNext(): void {
  const now = systemClock.elapsed();
  const part = waiting.take(now);
  if (part === undefined) return;
  current = { party: part.party, since: now };
  part.resolve();
}

/** Charges the elapsed time to the party whose part has ended. */
function account(): void {
  if (current === null) return;
  const now = systemClock.elapsed();
  waiting.charge(current.party, now - current.since, now);
  current = null;
}
