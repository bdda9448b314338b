import type { ReadWork } from '../database/work.js';
import { Batcher } from '../platform/concurrency/batcher.js';
import { TerminalRefused, type TerminalClaim } from '../platform/terminal.js';

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

/**
 * Performs similar requests of one company's terminals in one unit of work, with a constant number of
 * statements. Adds no ledger entry. Resolves to one result or error each; an error does not undo other calls.
 */
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

/**
 * Performs similar requests of one company's terminals in shared units of work. Singly, a terminal that gets
 * a notification takes 16 statements in three units; 10,000 terminals then delay all other clients.
 */
export class Batches<T> {
  /** By the function that performs them. */
  readonly #gathered = new Map<unknown, Batcher<number, GatheredCall<unknown>, object>>();

  constructor(private readonly admit: AdmitAll<T>) {}

  /**
   * Resolves after the unit of work; to null if the client left before. Errors: `TerminalRefused`, those of the call
   * and the unit.
   */
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
