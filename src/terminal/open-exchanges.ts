import type { Response } from 'express';

import type { Units } from '../database/work.js';
import { HttpProblem } from '../http/problem.js';
import { requestContextOf } from '../http/request.js';
import type { Caller } from '../platform/caller.js';
import { SECOND } from '../platform/clock.js';
import { terminalsOwner, workFor } from '../platform/concurrency/event-loop.js';
import { DomainError } from '../platform/errors.js';
import { TerminalRefused, type TerminalClaim } from '../platform/terminal.js';
import type { AdmitAll } from './batches.js';

/** A disabled device or a revoked token ends what is open within 5 seconds, on every node. */
export const CHECK_MS = 2 * SECOND;

/** A request that is being answered, perhaps for hours. */
export interface OpenExchange {
  claimAgain(): Promise<TerminalClaim>;
  /** Called when the terminal may not use the service any more, or its token is not valid any more. */
  end(): void;
  /** Called when the server stops. */
  abort(): void;
}

export interface CheckOptions {
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
export class OpenExchanges {
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

  /** For an exchange that checks itself. */
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
    const found = await workFor(terminalsOwner(caller), () =>
      units.read(caller, (work) => admitAgain(work, claims)),
    );
    for (const [index, { exchange, claim }] of claimed.entries()) {
      const refused = found[index];
      if (!(refused instanceof TerminalRefused) || !this.#checked.has(exchange)) continue;
      onRefused(claim, refused);
      exchange.end();
    }
  }
}

interface Claimed {
  readonly exchange: OpenExchange;
  readonly claim: TerminalClaim;
}

/** Requests that may wait at the same time. */
export interface WaitingLimits {
  readonly ofTerminal: number;
  readonly ofCompany: number;
}

/** Counts a request among those that wait; returns the function that ends this. Errors: 429, `busy`. */
export function enterWaiting(
  response: Response,
  { caller, serialNumber }: TerminalClaim,
  limits: WaitingLimits,
): () => void {
  const { slots } = requestContextOf(response).limits;
  const company = String(caller.companyId);
  const of = `${company}/${serialNumber}`;
  const terminal = { kind: 'waiting_terminals_of_terminal', of, max: limits.ofTerminal };
  const all = { kind: 'waiting_terminals_of_company', of: company, max: limits.ofCompany };
  const taken = slots.take(terminal, all);
  if (typeof taken !== 'function') throw tooMany(taken.max, taken === terminal);
  return taken;
}

const RETRY_SECONDS = 5;

function tooMany(max: number, isOfTerminal: boolean): Error {
  const message = 'Too many requests of this kind at the same time: at most';
  if (!isOfTerminal) {
    return new DomainError('busy', `${message} ${max} of one company.`, { retryAfter: RETRY_SECONDS });
  }
  const headers = { 'Retry-After': String(RETRY_SECONDS) };
  return new HttpProblem(429, 'rate_limited', `${message} ${max} of one terminal.`, headers);
}
