import type { Request, Response } from 'express';

import type { Units } from '../database/work.js';
import { rateLimited } from '../http/problem.js';
import { bearerToken, headerOf, malformed, requestContextOf } from '../http/request.js';
import { enterCompany, leaveRequests, spreadRetries, takeSlot } from '../http/server/admission.js';
import { MINUTE, SECOND, systemClock, type Clock } from '../platform/clock.js';
import { DomainError, type TerminalRefused } from '../platform/errors.js';
import type { Caller, Origin } from '../platform/requests.js';
import type { TerminalClaim } from '../platform/terminal.js';
import { BoundedWindowStore } from '../platform/windows.js';
import { createRouter } from '../rest/router.js';
import { type AdmitAll, Batches, type OpenExchange, type OpenRequests } from './admission.js';
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

export function createTerminalRouter<T>(routes: readonly TerminalRoute<T>[], options: TerminalOptions<T>) {
  const parts = { ...options, batches: new Batches(options.admit), open: new OpenExchanges(options) };
  const limit = createLimit(options.clock, options.onLimited);
  const retryAfterOf = spreadRetries(systemClock);
  return createRouter(TERMINAL, routes, async (received) => {
    const { request, response, route } = received;
    const { ip, requestId } = requestContextOf(response);
    const claimAgain = async (): Promise<TerminalClaim> => {
      const given = { token: bearerToken(request), named: namedTerminal(request) };
      return await options.claim(given, { channel: 'api', ip, requestId });
    };
    try {
      const claim = await claimAgain();
      // Limits from here on are those of the terminal and its company: thousands of terminals may share one address.
      leaveRequests(response);
      enterCompany(response, claim.caller, 'terminals');
      limit(response, claim);
      await route.exchange(new TerminalExchange({ ...parts, received, claim, claimAgain }));
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'busy') throw error;
      const retryAfter = Math.max(error.details.retryAfter ?? 0, retryAfterOf());
      throw new DomainError('busy', error.message, { ...error.details, retryAfter });
    }
  });
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

/** A disabled device or a revoked token ends what is open within 5 seconds, on every node. */
export const CHECK_MS = 2 * SECOND;

interface CheckOptions {
  readonly units: Pick<Units, 'read'>;
  /** Like `admit` of the routes; does not count as a request of the terminals. */
  readonly admitAgain: AdmitAll<unknown>;
  /** Called for each terminal whose request is ended. */
  readonly onRefused: (claim: TerminalClaim, refused: TerminalRefused) => void;
  /** Gets faults. */
  readonly onError: (error: unknown) => void;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

/** Admits the terminals of all open exchanges again every two seconds: one read unit for each company. */
class OpenExchanges implements OpenRequests {
  readonly #open = new Set<OpenExchange>();
  /** Open exchanges, without those that check themselves. */
  readonly #checked = new Set<OpenExchange>();
  #timer: NodeJS.Timeout | null = null;
  #isChecking = false;

  constructor(private readonly options: CheckOptions) {
    // One listener for all: a signal compares each new listener with all others.
    options.stopping.addEventListener('abort', () => this.#open.forEach((exchange) => exchange.abort()));
  }

  add(exchange: OpenExchange): void {
    this.#open.add(exchange);
    this.#checked.add(exchange);
    this.#timer ??= setInterval(() => void this.#check(), CHECK_MS).unref();
    if (this.options.stopping.aborted) exchange.abort();
  }

  remove(exchange: OpenExchange): void {
    this.#open.delete(exchange);
    this.doNotCheck(exchange);
  }

  doNotCheck(exchange: OpenExchange): void {
    this.#checked.delete(exchange);
    if (this.#checked.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const claimed = await this.#claims();
      const byCompany = Map.groupBy(claimed, ({ claim }) => claim.caller.companyId);
      for (const [first, ...others] of byCompany.values()) {
        if (first !== undefined) await this.#admit(first.claim.caller, [first, ...others]);
      }
    } catch (error) {
      // Tried again by the next check.
      if (!(error instanceof DomainError)) this.options.onError(error);
    } finally {
      this.#isChecking = false;
    }
  }

  async #claims(): Promise<readonly Claimed[]> {
    const claimed: Claimed[] = [];
    const checked = [...this.#checked];
    for (const exchange of checked) {
      try {
        claimed.push({ exchange, claim: await exchange.claimAgain() });
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        if (['unauthenticated', 'forbidden'].includes(error.code)) exchange.end();
      }
    }
    return claimed;
  }

  async #admit(caller: Caller, claimed: readonly Claimed[]): Promise<void> {
    const claims = claimed.map(({ claim }) => claim);
    const { units, admitAgain, onRefused } = this.options;
    const found = await units.read(caller, (work) => admitAgain(work, claims));
    for (const [index, { exchange, claim }] of claimed.entries()) {
      const each = found[index];
      if (each === undefined || !('refused' in each) || !this.#checked.has(exchange)) continue;
      onRefused(claim, each.refused);
      exchange.end();
    }
  }
}

interface Claimed {
  readonly exchange: OpenExchange;
  readonly claim: TerminalClaim;
}
