import type { ReadWork } from '../database/work.js';
import { Batcher } from '../platform/concurrency/batcher.js';
import type { Admission, TerminalClaim } from '../platform/terminal.js';

/** Calls per batch, and interval in ms. For 50 terminals, reading 20 large notifications each takes 20 ms. */
const LIMITS = { most: 50, everyMs: 50 } as const;

/** Resolves by claim to the terminal, or to why it may not use the service. One SQL statement. */
export type AdmitAll<T> = (
  work: ReadWork,
  claims: readonly TerminalClaim[],
) => Promise<readonly Admission<T>[]>;

/** The request of a terminal that may use the service. */
interface AdmittedCall<T, Input> {
  readonly terminal: T;
  /** Id of the gateway token; null if the request has the token of the device. */
  readonly tokenId: number | null;
  readonly input: Input;
}

/** Handles requests of one company together, in a constant number of statements. If one fails, the others still count. */
export type PerformTogether<T, Work, Input, Result extends object> = (
  work: Work,
  calls: readonly AdmittedCall<T, Input>[],
) => Promise<readonly (Result | Error)[]>;

/** A request that is performed in a batch. */
interface BatchedCall<Input> {
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
  readonly #batchers = new Map<unknown, Batcher<string, BatchedCall<unknown>, object>>();

  constructor(private readonly admit: AdmitAll<T>) {}

  /** Resolves to null if the client left before. Errors: `TerminalRefused`, those of the call and the unit. */
  async add<Work extends ReadWork, Input, Result extends object>(
    run: Run<Work>,
    perform: PerformTogether<T, Work, Input, Result>,
    call: BatchedCall<Input>,
  ): Promise<Result | null> {
    const own = perform as PerformTogether<T, Work, unknown, object>;
    let batcher = this.#batchers.get(perform);
    if (batcher === undefined) {
      batcher = new Batcher({ ...LIMITS, perform: (_who, calls) => this.#perform(run, own, calls) });
      this.#batchers.set(perform, batcher);
    }
    // Entries of the ledger name the user and the token.
    const { companyId, userId, tokenId } = call.claim.caller;
    const result = await batcher.add(`${companyId} ${userId} ${tokenId}`, call);
    return result === LEFT ? null : (result as Result);
  }

  async #perform<Work extends ReadWork>(
    run: Run<Work>,
    perform: PerformTogether<T, Work, unknown, object>,
    calls: readonly BatchedCall<unknown>[],
  ): Promise<readonly (object | Error)[]> {
    const open = calls.filter(({ hasLeft }) => !hasLeft());
    const [first] = open;
    if (first === undefined) return calls.map(() => LEFT);
    // In the ledger, all changes of a batch have the request id of its first call.
    const results = await run(first.claim.caller, async (work) => {
      const claims = open.map(({ claim }) => claim);
      const found = await this.admit(work, claims);
      const admitted = open.flatMap(({ claim, input }, index) => {
        const each = found[index];
        if (each === undefined || 'refused' in each) return [];
        return [{ terminal: each.terminal, tokenId: claim.caller.tokenId, input }];
      });
      const performed = admitted.length === 0 ? [] : [...(await perform(work, admitted))];
      return found.map((each) => {
        if ('refused' in each) return each.refused;
        return performed.shift() ?? new Error('A terminal has no result.');
      });
    });
    const byCall = new Map(open.map((call, index) => [call, results[index]]));
    return calls.map((call) => byCall.get(call) ?? LEFT);
  }
}
