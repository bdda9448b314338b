import type { Response } from 'express';

import { HttpProblem } from '../http/problem.js';
import { requestContextOf } from '../http/request-context.js';
import { MINUTE, SECOND, type Clock } from '../platform/clock.js';
import { BoundedWindowStore } from '../platform/limits/window-store.js';
import type { TerminalClaim } from '../platform/terminal.js';

/** Limits of one terminal. */
export const TERMINAL_LIMITS = {
  requestsPerMinute: 120,
  requestsInProgress: 4,
} as const;

/** Terminals whose requests one node counts at the same time; about 25 MB. */
const MAX_TERMINALS = 100_000;
const RETRY_SECONDS = 5;

/** Counts a request of a terminal until its response is closed. Errors: 429. */
export type LimitTerminal = (response: Response, claim: TerminalClaim) => Promise<void>;

/**
 * Each node counts alone: a terminal uses one node at a time, and a fleet has too many of them to share their windows.
 */
export function createTerminalLimit(clock: Clock, onLimited: () => void): LimitTerminal {
  const points = TERMINAL_LIMITS.requestsPerMinute;
  const store = new BoundedWindowStore({ points, windowMs: MINUTE, maxKeys: MAX_TERMINALS }, clock);
  return async (response, { caller, serialNumber }) => {
    const key = `${caller.companyId}/${serialNumber}`;
    const { consumedPoints, msBeforeNext } = await store.penalty(key);
    if (consumedPoints > points) {
      onLimited();
      throw tooMany(`at most ${points} a minute of one terminal`, Math.ceil(msBeforeNext / SECOND));
    }
    takeSlot(response, key);
  };
}

function takeSlot(response: Response, key: string): void {
  const { limits, leave } = requestContextOf(response);
  const max = TERMINAL_LIMITS.requestsInProgress;
  const taken = limits.slots.take({ kind: 'requests_of_terminal', of: key, max });
  if (typeof taken !== 'function') {
    throw tooMany(`at most ${max} at the same time of one terminal`, RETRY_SECONDS);
  }
  if (response.closed) taken();
  else leave.push(taken);
}

function tooMany(limit: string, seconds: number): HttpProblem {
  const headers = { 'Retry-After': String(Math.max(1, seconds)) };
  return new HttpProblem(429, 'rate_limited', `Too many requests: ${limit}.`, headers);
}
