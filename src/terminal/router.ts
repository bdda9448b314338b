import type { Request, Response } from 'express';

import { bearerToken, headerOf, malformed, requestContextOf } from '../http/request.js';
import { enterCompany, leaveRequests, spreadRetries, takeSlot } from '../http/server/admission.js';
import type { Origin } from '../platform/caller.js';
import { MINUTE, SECOND, systemClock, type Clock, terminalsOwner, workFor } from '../platform/clock.js';
import { DomainError } from '../platform/errors.js';
import type { TerminalClaim } from '../platform/terminal.js';
import { BoundedWindowStore } from '../platform/windows.js';
import { createRouter } from '../rest/router.js';
import { Batches, OpenExchanges, rateLimited, type CheckOptions } from './admission.js';
import { TerminalExchange, type ExchangeOptions, type TerminalRoute } from './exchange.js';

export const TERMINAL = '/terminal/v1';

export interface TerminalOptions<T>
  extends ExchangeOptions<T>, Pick<CheckOptions, 'admitAgain' | 'stopping'> {
  readonly clock: Clock;
  /** Called for each request of a terminal that sends too many. */
  readonly onLimited: () => void;
  /** The terminal that a request speaks for. Errors: 400, 401, 403. */
  readonly claim: (
    given: { readonly token: string | undefined; readonly named: string | undefined },
    origin: Origin,
  ) => Promise<TerminalClaim>;
}

/** Handler of all routes below /terminal/v1. */
export function createTerminalRouter<T>(routes: readonly TerminalRoute<T>[], options: TerminalOptions<T>) {
  const parts = { ...options, batches: new Batches(options.admit), open: new OpenExchanges(options) };
  const limit = createLimit(options.clock, options.onLimited);
  const retryAfterOf = spreadRetries(systemClock);
  return createRouter(TERMINAL, routes, async (received) => {
    const { request, response, route } = received;
    const claimAgain = (): Promise<TerminalClaim> => claimOf(request, response, options);
    try {
      const claim = await claimAgain();
      // Limits from here on are those of the terminal and its company: thousands of terminals may share one address.
      leaveRequests(response);
      enterCompany(response, claim.caller, 'terminals');
      limit(response, claim);
      await workFor(terminalsOwner(claim.caller), async () => {
        // Refuses a request whose response would have to wait, before anything is read or changed.
        requestContextOf(response).limits.waiting.demandRoom(claim.caller.companyId);
        await route.exchange(new TerminalExchange({ ...parts, received, claim, claimAgain }));
      });
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'busy') throw error;
      const retryAfter = Math.max(error.details.retryAfter ?? 0, retryAfterOf());
      throw new DomainError('busy', error.message, { ...error.details, retryAfter });
    }
  });
}

async function claimOf<T>(
  request: Request,
  response: Response,
  { claim }: TerminalOptions<T>,
): Promise<TerminalClaim> {
  const { ip, requestId } = requestContextOf(response);
  const given = { token: bearerToken(request), named: namedTerminal(request) };
  return await claim(given, { channel: 'api', ip, requestId });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The serial number in `X-Serial-Number`, in UTF-8; Node reads headers as Latin-1. */
function namedTerminal(request: Request): string | undefined {
  const given = headerOf(request, 'x-serial-number');
  if (typeof given !== 'string') return undefined;
  try {
    return utf8.decode(Buffer.from(given, 'latin1'));
  } catch {
    throw malformed('X-Serial-Number is not UTF-8.');
  }
}

/** Limits of one terminal. */
export const TERMINAL_LIMITS = {
  requestsPerMinute: 120,
  requestsInProgress: 4,
} as const;

/** Terminals whose requests one node counts at the same time; about 25 MB. */
const MAX_TERMINALS = 100_000;

/** Counts a request until its response is closed, on this node only: a terminal uses one node at a time. Errors: 429. */
function createLimit(
  clock: Clock,
  onLimited: () => void,
): (response: Response, claim: TerminalClaim) => void {
  const points = TERMINAL_LIMITS.requestsPerMinute;
  const store = new BoundedWindowStore({ points, windowMs: MINUTE, maxKeys: MAX_TERMINALS }, clock);
  return (response, { caller, serialNumber }) => {
    const key = `${caller.companyId}/${serialNumber}`;
    const { count, msLeft } = store.count(key);
    if (count > points) {
      onLimited();
      const message = `Too many requests: at most ${points} a minute of one terminal.`;
      throw rateLimited(message, Math.ceil(msLeft / SECOND));
    }
    const max = TERMINAL_LIMITS.requestsInProgress;
    takeSlot(response, { kind: 'requests_of_terminal', of: key, max }, () =>
      rateLimited(`Too many requests: at most ${max} at the same time of one terminal.`),
    );
  };
}
