import type { Response } from 'express';

import type { ReadWork, Units } from '../database/work.js';
import { HttpProblem } from '../http/problem.js';
import { requestContextOf } from '../http/request.js';
import type { Caller } from '../platform/caller.js';
import { SECOND, terminalsOwner, workFor } from '../platform/clock.js';
import { Batcher } from '../platform/concurrency/batcher.js';
import { DomainError, TerminalRefused } from '../platform/errors.js';
import type { TerminalClaim } from '../platform/terminal.js';

/** Calls per batch, and interval in ms. For 50 terminals, reading 20 large notifications each takes 20 ms. */
const LIMITS = { most: 50, everyMs: 50 } as const;

/** Resolves by claim to the terminal, or to why it may not use the service. One SQL statement. */
export type AdmitAll<T> = (
  work: ReadWork,
  claims: readonly TerminalClaim[],
) => Promise<readonly (T | TerminalRefused)[]>;

/** The terminal of the claim. Errors: `TerminalRefused`. */
export async function admitted<T>(admit: AdmitAll<T>, work: ReadWork, claim: TerminalClaim): Promise<T> {
  const [found] = await admit(work, [claim]);
  if (found === undefined) throw new Error('Nothing is known of the terminal.');
  if (found instanceof TerminalRefused) throw found;
  return found;
}

/** The request of a terminal that may use the service. */
interface BatchCall<T, Input> {
  readonly terminal: T;
  /** Id of the gateway token; null if the request has the token of the device. */
  readonly tokenId: number | null;
  readonly input: Input;
}

/** Performs requests of one company in a constant number of statements. Adds no ledger entry. An error undoes no other call. */
export type PerformTogether<T, Work, Input, Result extends object> = (
  work: Work,
  calls: readonly BatchCall<T, Input>[],
) => Promise<readonly (Result | Error)[]>;

/** A request that is performed in a batch. */
export interface GatheredCall<Input> {
  readonly claim: TerminalClaim;
  readonly input: Input;
  /** Whether the client has left: then nothing is done for it. */
  readonly hasLeft: () => boolean;
}

/** `read` or `write` of the units of work. */
type Run<Work> = <V>(caller: TerminalClaim['caller'], use: (work: Work) => Promise<V>) => Promise<V>;

/** Result for a client that left before its batch ran. */
const LEFT = {};

/** Performs similar requests of one company in shared units: singly, a notification of 10,000 terminals delays all others. */
export class Batches<T> {
  /** Batchers by the function that performs their calls. */
  readonly #gathered = new Map<unknown, Batcher<number, GatheredCall<unknown>, object>>();

  constructor(private readonly admit: AdmitAll<T>) {}

  /** Resolves to null if the client left before. Errors: `TerminalRefused`, those of the call and the unit. */
  async add<Work extends ReadWork, Input, Result extends object>(
    run: Run<Work>,
    perform: PerformTogether<T, Work, Input, Result>,
    call: GatheredCall<Input>,
  ): Promise<Result | null> {
    const own = perform as PerformTogether<T, Work, unknown, object>;
    let gathered = this.#gathered.get(perform);
    if (gathered === undefined) {
      gathered = new Batcher({ ...LIMITS, perform: (_company, calls) => this.#perform(run, own, calls) });
      this.#gathered.set(perform, gathered);
    }
    const result = await gathered.add(call.claim.caller.companyId, call);
    return result === LEFT ? null : (result as Result);
  }

  async #perform<Work extends ReadWork>(
    run: Run<Work>,
    perform: PerformTogether<T, Work, unknown, object>,
    calls: readonly GatheredCall<unknown>[],
  ): Promise<readonly (object | Error)[]> {
    const open = calls.filter(({ hasLeft }) => !hasLeft());
    const [first] = open;
    if (first === undefined) return calls.map(() => LEFT);
    // Any caller of the company will do: the unit adds no ledger entry, which would name its caller.
    const results = await run(first.claim.caller, async (work) => {
      const claims = open.map(({ claim }) => claim);
      const found = await this.admit(work, claims);
      const admittedCalls = open.flatMap(({ claim, input }, index) => {
        const terminal = found[index];
        if (terminal === undefined || terminal instanceof TerminalRefused) return [];
        return [{ terminal, tokenId: claim.caller.tokenId, input }];
      });
      const performed = admittedCalls.length === 0 ? [] : [...(await perform(work, admittedCalls))];
      return found.map((terminal) => {
        if (terminal instanceof TerminalRefused) return terminal;
        return performed.shift() ?? new Error('A terminal has no result.');
      });
    });
    const byCall = new Map(open.map((call, index) => [call, results[index]]));
    return calls.map((call) => byCall.get(call) ?? LEFT);
  }
}

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
  if (typeof taken === 'function') return taken;
  const message = 'Too many requests of this kind at the same time: at most';
  if (taken === terminal) throw rateLimited(`${message} ${taken.max} of one terminal.`);
  throw new DomainError('busy', `${message} ${taken.max} of one company.`, { retryAfter: RETRY_SECONDS });
}

const RETRY_SECONDS = 5;

export function rateLimited(message: string, seconds = RETRY_SECONDS): HttpProblem {
  return new HttpProblem(429, 'rate_limited', message, { 'Retry-After': String(Math.max(1, seconds)) });
}
