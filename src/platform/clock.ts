import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';

import { FairQueue } from './concurrency/semaphore.js';

/** The only place that reads the time, so that tests can set it. */
export interface Clock {
  now(): Date;
  /** Monotonic milliseconds since an arbitrary start; for durations. */
  elapsed(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
};

/** Milliseconds, like MINUTE, HOUR and DAY. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Lengths in minutes of the spans of time with totals: a UTC day, a quarter of one, and half an hour. */
export const SPANS = [1_440, 360, 30] as const;
export type Span = (typeof SPANS)[number];

/**
 * Owner of work on the event loop: the id of a company, a text such as `terminals of 7`, or the socket of a client whose
 * token is not known yet. Work is divided into parts of some milliseconds, between which waiting owners are served
 * round-robin (decisions.md#event-loop-turns). In order of arrival, 60 connections with large reads delayed other
 * companies by up to 2 s at p99.
 */
export type Owner = number | string | object;

const running = new AsyncLocalStorage<Owner>();
/** Owner of work that no client requested, such as housekeeping. */
const SERVER = 'server';
/**
 * Owner of work that others wait for, such as a change that holds the write lock. Its parts may be long: one
 * runs when nothing else waits, or at the end of a turn of the event loop if it has waited `PUT_OFF_MS`.
 */
export const AWAITED = 'awaited';
/** Milliseconds that short parts run before the event loop looks for events again. */
const TURN_MS = 2;
/** Milliseconds between two parts of `AWAITED` for work that arrived during the first one. */
const PUT_OFF_MS = 2;
/** Maximum number of parts that continue in one turn of the event loop. */
const PARTS = 32;

/** Functions that continue waiting parts. */
const waiting = new FairQueue<Owner, () => void>();
/** Waiting parts of `AWAITED`; `since` is when each began to wait, in milliseconds. */
const awaited: { readonly resolve: () => void; readonly since: number }[] = [];
/** Whether `startedAt` is set for this turn of the event loop. */
let isTimed = false;
let startedAt = 0;
/** Set until the caller that entered at once continues; others, such as requests of the same packet, wait. */
let isEntering = false;

export function currentOwner(): Owner {
  return running.getStore() ?? SERVER;
}

/** Runs `use`, and all that it awaits, as work of `owner` (decisions.md#event-loop-turns). */
export function workFor<T>(owner: Owner, use: () => T): T {
  return running.run(owner, use);
}

export const companyOwner = ({ companyId }: { readonly companyId: number }): Owner => companyId;

/** The owner of work for terminals: a party of its own, so that a fleet does not delay the company's users. */
export const terminalsOwner = ({ companyId }: { readonly companyId: number }): Owner =>
  `terminals of ${companyId}`;

/**
 * To be awaited before new work. Resolves at once, unless the event loop is busy or others wait. (Starting new work
 * while other work waits took a fifth more time for each: CPU caches favour similar work in succession.)
 */
export function enterEventLoop(): Promise<void> {
  time();
  if (isEntering || waiting.size > 0 || isTurnOver()) return yieldToEventLoop();
  isEntering = true;
  return Promise.resolve().then(() => void (isEntering = false));
}

/** To be awaited between the parts of long work. Resolves when its owner is the next one. */
export function yieldToEventLoop(): Promise<void> {
  time();
  const owner = currentOwner();
  return new Promise((resolve) => {
    if (owner === AWAITED) awaited.push({ resolve, since: systemClock.elapsed() });
    else waiting.add(owner, resolve);
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
 * Whether this turn of the loop has lasted `ms`. Units of short statements, and work that holds much memory, give more.
 */
export function isTurnOver(ms = TURN_MS): boolean {
  time();
  return systemClock.elapsed() - startedAt > ms;
}

function turn(): void {
  isTimed = false;
  if (waiting.size + awaited.length === 0) return;
  time();
  if (waiting.size === 0) {
    continueAwaited();
    return;
  }
  // One waiting part is left for the next turn, in which parts that arrive meanwhile may precede it.
  const others = Math.min(waiting.size - 1, PARTS) - 1;
  // The first part always runs; each further one only if the parts before it were short.
  waiting.take()?.();
  for (let part = 0; part < others; part += 1) setImmediate(continueIfShort);
  setImmediate(endTurn);
}

function endTurn(): void {
  const [first] = awaited;
  if (first !== undefined && systemClock.elapsed() - first.since >= PUT_OFF_MS) continueAwaited();
}

function continueAwaited(): void {
  startedAt = systemClock.elapsed();
  awaited.shift()?.resolve();
}

function continueIfShort(): void {
  if (!isTurnOver()) waiting.take()?.();
}
