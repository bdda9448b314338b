import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';

import { systemClock } from '../clock.js';

/**
 * Whose work runs. The event loop does one thing at a time, for all clients. Work is divided into parts of some
 * milliseconds; between parts, those that wait continue in turns: companies first, then the clients of each company.
 */
export interface Owner {
  /** A company, or a client whose token is not known yet. */
  readonly party: unknown;
  /** A connection or socket. */
  readonly client: unknown;
}

const running = new AsyncLocalStorage<Owner>();
/** Of work that no client asked for, such as housekeeping. */
const SERVER: Owner = { party: 'server', client: 'server' };
/** Of work for which others wait, such as a change that has the turn to write. One of its parts comes first in each turn. */
export const AWAITED: Owner = { party: 'awaited', client: 'awaited' };
/** Short parts follow each other for so long before the loop looks for events again. */
const TURN_MS = 5;
/** Parts of as many parties at most continue in one turn. */
const PARTS = 16;

/** A party that has waited so long continues next, however much it has used. */
const MAX_AHEAD_MS = 25;
/** In this time, half of what a party has used is forgotten. */
const HALF_LIFE_MS = 500;

/** The parts of one party that wait, by client, in the order in which these continue. */
interface Waiting {
  readonly clients: Map<unknown, (() => void)[]>;
  /** When its next part began to wait. */
  readonly since: number;
}

/** Those that wait, by party, in the order in which their next parts began to wait. */
const waiting = new Map<unknown, Waiting>();
/** How many parts each party has continued lately. */
const used = new Map<unknown, number>();
let forgottenAt = 0;
/** Whether this turn of the loop is timed. */
let isTimed = false;
let startedAt = 0;
/** The parties that have continued in this turn. */
const served = new Set<unknown>();
/** Of several that enter in one call, such as the requests in one packet, only the first does so at once. */
let isEntering = false;

export function currentOwner(): Owner {
  return running.getStore() ?? SERVER;
}

/** Runs `use`, and all that it awaits, as work of `owner`. */
export function workFor<T>(owner: Owner, use: () => T): T {
  return running.run(owner, use);
}

/** The owner of work for a client before its token is known. */
export function clientOwner(client: object): Owner {
  return { party: client, client };
}

/** The owner of work for a company; the client is the one whose work runs. */
export function companyOwner({ companyId }: { readonly companyId: number }): Owner {
  return { party: companyId, client: currentOwner().client };
}

/** To be awaited before new work. Resolves at once, unless the loop is busy or others of its party wait already. */
export function enterEventLoop(): Promise<void> {
  time();
  if (isEntering || isTurnOver() || waiting.has(currentOwner().party)) return yieldToEventLoop();
  isEntering = true;
  return Promise.resolve().then(() => {
    isEntering = false;
  });
}

/** To be awaited between the parts of long work: handles events, and continues when its owner has its turn. */
export function yieldToEventLoop(): Promise<void> {
  time();
  const { party, client } = currentOwner();
  const known = waiting.get(party);
  const clients = known?.clients ?? new Map<unknown, (() => void)[]>();
  if (known === undefined) waiting.set(party, { clients, since: systemClock.elapsed() });
  return new Promise((resolve) => {
    const queue = clients.get(client);
    if (queue === undefined) clients.set(client, [resolve]);
    else queue.push(resolve);
  });
}

function time(): void {
  if (isTimed) return;
  isTimed = true;
  startedAt = systemClock.elapsed();
  setImmediate(turn);
}

/** Whether long work is to yield now. */
export function isTurnOver(): boolean {
  time();
  return systemClock.elapsed() - startedAt > TURN_MS;
}

function turn(): void {
  isTimed = false;
  served.clear();
  if (waiting.size === 0) return;
  time();
  // What others wait for, and, however long that takes, one of the others.
  if (waiting.has(AWAITED.party)) {
    continueNext(AWAITED.party);
    setImmediate(continueOne);
  } else continueOne();
  // Each runs when the part before it has ended.
  for (let part = 1; part < Math.min(waiting.size, PARTS); part += 1) setImmediate(continueIfShort);
}

function continueIfShort(): void {
  if (!isTurnOver()) continueOne();
}

function continueOne(): void {
  continueNext(nextParty());
}

/** The one that has waited too long, or else the one that has used least. */
function nextParty(): unknown {
  const now = systemClock.elapsed();
  forget(now);
  let next: unknown;
  let least = Infinity;
  for (const [party, { since }] of waiting) {
    if (served.has(party)) continue;
    // The first one has waited longest.
    if (least === Infinity && now - since > MAX_AHEAD_MS) return party;
    const uses = used.get(party) ?? 0;
    if (uses < least) [next, least] = [party, uses];
    if (least === 0) break;
  }
  return next;
}

function forget(now: number): void {
  if (now - forgottenAt < HALF_LIFE_MS) return;
  forgottenAt = now;
  for (const [party, uses] of used) {
    if (uses < 1) used.delete(party);
    else used.set(party, uses / 2);
  }
}

/** Continues the next part of a party, unless one has run in this turn. */
function continueNext(party: unknown): void {
  const clients = waiting.get(party)?.clients;
  if (clients === undefined || served.has(party)) return;
  served.add(party);
  used.set(party, (used.get(party) ?? 0) + 1);
  const resolve = takeNext(clients);
  waiting.delete(party);
  if (clients.size > 0) waiting.set(party, { clients, since: systemClock.elapsed() });
  resolve?.();
}

function firstOf<K>(all: ReadonlyMap<K, unknown>): K | undefined {
  const [first] = all.keys();
  return first;
}

/** Of the client whose turn it is, which is the last one then. */
function takeNext(clients: Map<unknown, (() => void)[]>): (() => void) | undefined {
  const client = firstOf(clients);
  const queue = clients.get(client) ?? [];
  const resolve = queue.shift();
  clients.delete(client);
  if (queue.length > 0) clients.set(client, queue);
  return resolve;
}
