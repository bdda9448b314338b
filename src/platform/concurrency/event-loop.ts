import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';

import { systemClock } from '../clock.js';

/**
 * The event loop does one thing at a time, for all clients. Work is divided into parts of some milliseconds; between
 * parts, those that wait continue in turns, by the one whose work it is: a company, or a connection before its token is
 * known.
 */
export type Owner = string | object;
const running = new AsyncLocalStorage<Owner>();
/** Of work that no client asked for, such as housekeeping. */
const SERVER = 'server';
/** Short parts follow each other for so long before the loop looks for events again. */
const TURN_MS = 5;
/** Parts of as many owners at most continue in one turn. */
const PARTS = 16;

/** Oldest first, by the one that they wait for; these are in the order of their next part. */
const waiting = new Map<Owner, (() => void)[]>();
/** Whether this turn of the loop is timed. */
let isTimed = false;
let startedAt = 0;
/** Those that have continued in this turn. */
const served = new Set<Owner>();
/** Of several that enter in one call, such as the requests in one packet, only the first does so at once. */
let isEntering = false;

export function currentOwner(): Owner {
  return running.getStore() ?? SERVER;
}

/** Runs `use`, and all that it awaits, as work of `owner`. */
export function workFor<T>(owner: Owner, use: () => T): T {
  return running.run(owner, use);
}

/** The owner of work for a company. */
export function companyOwner({ companyId }: { readonly companyId: number }): string {
  return `company ${companyId}`;
}

/** To be awaited before new work. Resolves at once, unless the loop is busy or others of its owner wait already. */
export function enterEventLoop(): Promise<void> {
  time();
  if (isEntering || isTurnOver() || waiting.has(currentOwner())) return yieldToEventLoop();
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
    const queue = waiting.get(owner);
    if (queue === undefined) waiting.set(owner, [resolve]);
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
  continueOne();
  // Each runs when the part before it has ended.
  for (let part = 1; part < Math.min(waiting.size, PARTS); part += 1) setImmediate(continueIfShort);
}

function continueIfShort(): void {
  if (!isTurnOver()) continueOne();
}

function continueOne(): void {
  const [next] = waiting;
  if (next === undefined) return;
  const [owner, queue] = next;
  if (served.has(owner)) return;
  served.add(owner);
  waiting.delete(owner);
  const resolve = queue.shift();
  if (queue.length > 0) waiting.set(owner, queue);
  resolve?.();
}
