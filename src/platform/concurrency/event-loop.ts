import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';

import { systemClock } from '../clock.js';
import { WaitingParties } from './waiting-parties.js';

/**
 * Whose work runs. The event loop does one thing at a time, for all clients. Work is divided into parts of some
 * milliseconds; between parts, those that wait continue in turns: companies first, then the clients of each company
 * (decisions.md#event-loop-turns). In the order of arrival, 60 connections with large reads made other companies wait up to
 * 2 s at p99.
 */
export interface Owner {
  /** A company, or a client whose token is not known yet. */
  readonly party: unknown;
  /** A connection or socket. */
  readonly client: unknown;
}

const running = new AsyncLocalStorage<Owner>();
const asServer = AsyncLocalStorage.snapshot();
/** Of work that no client asked for, such as housekeeping. */
const SERVER: Owner = { party: 'server', client: 'server' };
/**
 * Of work for which others wait, such as a change that has the turn to write. Its parts may be long: one of them runs
 * when nothing else waits, or at the end of a turn if it has waited for `PUT_OFF_MS`.
 */
export const AWAITED: Owner = { party: 'awaited', client: 'awaited' };
/** Short parts follow each other for so long before the loop looks for events again. */
const TURN_MS = 2;
/** A part is interrupted between its statements after so long. */
const LONG_PART_MS = 4;
/** What arrived during a part of `AWAITED` has so long to be done before the next one. */
const PUT_OFF_MS = 2;
/** At most so many parts continue in one turn. */
const PARTS = 32;

const waiting = new WaitingParties();
/** The parts of `AWAITED`, and when each began to wait. */
const awaited: { readonly resolve: () => void; readonly since: number }[] = [];
/** Whether this turn of the loop is timed. */
let isTimed = false;
let startedAt = 0;
/** The party whose part runs, and when that began. */
let current: { readonly party: unknown; readonly since: number } | null = null;
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

/**
 * The owner of work for a terminal before its token is known. All of them are one party: thousands that come together would
 * otherwise each be served before the companies that have used time already.
 */
export function newTerminalOwner(client: object): Owner {
  return { party: 'new terminals', client };
}

/** The owner of work for a company; the client is the one whose work runs. */
export function companyOwner({ companyId }: { readonly companyId: number }): Owner {
  return { party: companyId, client: currentOwner().client };
}

/** The owner of work for the terminals of a company: a party of its own, so that a fleet does not keep its users waiting. */
export function terminalsOwner({ companyId }: { readonly companyId: number }): Owner {
  return { party: `terminals of ${companyId}`, client: currentOwner().client };
}

/**
 * To be awaited before new work. Resolves at once, unless the loop is busy or others wait already: then its party has its
 * turn. (To begin it at once, and others in turns, takes a fifth more time for each: caches serve several alike better.)
 */
export function enterEventLoop(): Promise<void> {
  time();
  if (isEntering || waiting.parts > 0 || isTurnOver()) return yieldToEventLoop();
  isEntering = true;
  return Promise.resolve().then(() => {
    isEntering = false;
  });
}

/** To be awaited between the parts of long work: handles events, and continues when its owner has its turn. */
export function yieldToEventLoop(): Promise<void> {
  time();
  const owner = currentOwner();
  return new Promise((resolve) => {
    const since = systemClock.elapsed();
    if (owner.party === AWAITED.party) awaited.push({ resolve, since });
    else waiting.add(owner, since, resolve);
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

/** Whether work that consists of several short statements is to yield before the next one. */
export function isTurnLong(): boolean {
  time();
  return systemClock.elapsed() - startedAt > LONG_PART_MS;
}

/** Whether the turn has taken so many milliseconds: for work that is better not interrupted, since it holds much memory. */
export function hasTurnTaken(ms: number): boolean {
  time();
  return systemClock.elapsed() - startedAt > ms;
}

/** Calls `run` when this turn of the loop has ended, as work of the server. */
export function afterTurn(run: () => void): void {
  setImmediate(asServer, run);
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
  // Each runs when the part before it has ended, and the first one however long the others take.
  continueNext();
  // The last one is left for the next turn, before which others may come.
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

/** Charges the party whose part has ended. */
function account(): void {
  if (current === null) return;
  const now = systemClock.elapsed();
  waiting.charge(current.party, now - current.since, now);
  current = null;
}
