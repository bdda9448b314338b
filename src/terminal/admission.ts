import type { Response } from 'express';

import type { ReadWork } from '../database/work.js';
import { rateLimited, RETRY_SECONDS } from '../http/problem.js';
import { requestContextOf } from '../http/request.js';
import { Batcher } from '../platform/concurrency/batcher.js';
import { busy } from '../platform/errors.js';
import type { Admission, TerminalClaim } from '../platform/terminal.js';

/** Calls per batch, and interval in ms. For 50 terminals, reading 20 large notifications each takes 20 ms. */
const LIMITS = { most: 50, everyMs: 50 } as const;

/** Resolves by claim to the terminal, or to why it may not use the service. One SQL statement. */
export type AdmitAll<T> = (
  work: ReadWork,
  claims: readonly TerminalClaim[],
) => Promise<readonly Admission<T>[]>;

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
  readonly hasLeft: () => boolean;
}

/** `read` or `write` of the units of work. */
export type Run<Work> = <V>(caller: TerminalClaim['caller'], use: (work: Work) => Promise<V>) => Promise<V>;

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
        const each = found[index];
        if (each === undefined || 'refused' in each) return [];
        return [{ terminal: each.terminal, tokenId: claim.caller.tokenId, input }];
      });
      const performed = admittedCalls.length === 0 ? [] : [...(await perform(work, admittedCalls))];
      return found.map((each) => {
        if ('refused' in each) return each.refused;
        return performed.shift() ?? new Error('A terminal has no result.');
      });
    });
    const byCall = new Map(open.map((call, index) => [call, results[index]]));
    return calls.map((call) => byCall.get(call) ?? LEFT);
  }
}

export interface TerminalAnswer {
  /** 200 if absent. */
  readonly status?: number;
  /** Content-Type, for example `text/plain; charset=utf-8`. */
  readonly type: string;
  readonly content: string;
  /** Strong ETag with its quotes. */
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StreamHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum bytes in memory for the response; counted until it is closed. */
  readonly heldBytes: number;
}

/** A request that is being answered, perhaps for hours. */
export interface OpenExchange {
  claimAgain(): Promise<TerminalClaim>;
  /** Called when the terminal may not use the service any more, or its token is not valid any more. */
  end(): void;
  /** Called when the server stops. */
  abort(): void;
}

/** The requests that are being answered. */
export interface OpenRequests {
  add(exchange: OpenExchange): void;
  remove(exchange: OpenExchange): void;
  /** For an exchange that checks itself. */
  doNotCheck(exchange: OpenExchange): void;
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
  throw busy(`${message} ${taken.max} of one company.`, RETRY_SECONDS);
}
