import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';

import { systemClock } from '../clock.js';
import { WaitingParties, type Owner } from './waiting-parties.js';

export type { Owner } from './waiting-parties.js';

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
let current: { readonly party: unknown; readonly since: number } | null = null;
/**
 * Whether a call of `enterEventLoop` has just resolved at once. Until its caller continues, other callers,
 * such as further requests of the same packet, wait.
 */
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

/**
 * The owner of work for the terminals of a company: a separate party, so that a fleet does not delay the
 * company's users.
 */
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
  return Promise.resolve().then(() => {
    isEntering = false;
  });
}

/**
 * To be awaited between the parts of long work: lets the loop handle events, and resolves when its owner is
 * the next one.
 */
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
