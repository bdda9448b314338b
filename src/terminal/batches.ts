import type { ReadWork, Units, WriteWork } from '../database/work.js';
import { Gathered } from '../platform/concurrency/gathered.js';
import { TerminalRefused, type TerminalClaim } from '../platform/terminal.js';
import type { TerminalBatch, TerminalReadBatch, TerminalWriteBatch } from './route.js';

/** Calls per batch, and interval in ms. For 50 terminals, reading 20 large notifications each takes 20 ms. */
const LIMITS = { most: 50, everyMs: 50 } as const;

/** A request of one terminal that is performed in a batch. */
export interface BatchedCall<Input> {
  readonly claim: TerminalClaim;
  readonly input: Input;
  /** Whether the request has ended, for example because its client left: then nothing is done for it. */
  readonly hasEnded: () => boolean;
}

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

type Run<Work> = <V>(caller: TerminalClaim['caller'], use: (work: Work) => Promise<V>) => Promise<V>;
type Made<T, Work extends ReadWork> = Map<
  TerminalBatch<T, unknown, object, Work>,
  Gathered<number, BatchedCall<unknown>, object>
>;

/** Result for a request that ended before its batch ran. */
const ENDED = {};

/**
 * Performs similar requests of one company's terminals in shared units of work. Singly, a terminal that gets
 * a notification takes 16 statements in three units; 10,000 terminals then delay all other clients.
 */
export class Batches<T> {
  readonly #reads: Made<T, ReadWork> = new Map();
  readonly #writes: Made<T, WriteWork> = new Map();

  constructor(
    private readonly units: Pick<Units, 'read' | 'write'>,
    private readonly admit: AdmitAll<T>,
  ) {}

  /**
   * Null if the request ended before its batch ran. Errors: `TerminalRefused`, those of the call and the
   * unit.
   */
  async read<Input, Result extends object>(
    batch: TerminalReadBatch<T, Input, Result>,
    call: BatchedCall<Input>,
  ): Promise<Result | null> {
    return await this.#add(this.#reads, batch, this.units.read, call);
  }

  /** Like `read`, in a unit of work that writes. Resolves after the commit. */
  async write<Input, Result extends object>(
    batch: TerminalWriteBatch<T, Input, Result>,
    call: BatchedCall<Input>,
  ): Promise<Result | null> {
    return await this.#add(this.#writes, batch, this.units.write, call);
  }

  async #add<Input, Result extends object, Work extends ReadWork>(
    made: Made<T, Work>,
    batch: TerminalBatch<T, Input, Result, Work>,
    run: Run<Work>,
    call: BatchedCall<Input>,
  ): Promise<Result | null> {
    const own = batch as TerminalBatch<T, unknown, object, Work>;
    let gathered = made.get(own);
    if (gathered === undefined) {
      gathered = new Gathered({ ...LIMITS, perform: (_company, calls) => this.#perform(own, run, calls) });
      made.set(own, gathered);
    }
    const result = await gathered.add(call.claim.caller.companyId, call);
    return result === ENDED ? null : (result as Result);
  }

  async #perform<Work extends ReadWork>(
    batch: TerminalBatch<T, unknown, object, Work>,
    run: Run<Work>,
    calls: readonly BatchedCall<unknown>[],
  ): Promise<readonly (object | Error)[]> {
    const open = calls.filter(({ hasEnded }) => !hasEnded());
    const [first] = open;
    if (first === undefined) return calls.map(() => ENDED);
    // Any caller of the company will do: the unit adds no ledger entry, which would name its caller.
    const results = await run(first.claim.caller, (work) => this.#performOpen(batch, work, open));
    const byCall = new Map(open.map((call, index) => [call, results[index]]));
    return calls.map((call) => byCall.get(call) ?? ENDED);
  }

  async #performOpen<Work extends ReadWork>(
    batch: TerminalBatch<T, unknown, object, Work>,
    work: Work,
    calls: readonly BatchedCall<unknown>[],
  ): Promise<readonly (object | Error)[]> {
    const found = await this.admit(
      work,
      calls.map(({ claim }) => claim),
    );
    const admitted = calls.flatMap(({ claim, input }, index) => {
      const terminal = found[index];
      if (terminal === undefined || terminal instanceof TerminalRefused) return [];
      return [{ terminal, tokenId: claim.caller.tokenId, input }];
    });
    const results = admitted.length === 0 ? [] : await batch.perform(work, admitted);
    let next = 0;
    return found.map((terminal) => {
      if (terminal instanceof TerminalRefused) return terminal;
      next += 1;
      return results[next - 1] ?? new Error('A terminal has no result.');
    });
  }
}
