import type { ReadWork, Units, WriteWork } from '../database/work.js';
import { Gathered } from '../platform/concurrency/gathered.js';
import { TerminalRefused, type TerminalClaim } from '../platform/terminal.js';
import type { TerminalBatch, TerminalReadBatch, TerminalWriteBatch } from './route.js';

/** Of 50 terminals, the rows of 20 large notifications each are read within 20 ms. */
const LIMITS = { most: 50, everyMs: 50 } as const;

/** What one terminal asks for. */
export interface BatchedCall<Input> {
  readonly claim: TerminalClaim;
  readonly input: Input;
  /** Whether the request has ended, so that nothing is to be done for it. */
  readonly hasEnded: () => boolean;
}

/** By claim: the terminal that may use the service, or why it may not. One statement. */
export type AdmitAll<T> = (
  work: ReadWork,
  claims: readonly TerminalClaim[],
) => Promise<readonly (T | TerminalRefused)[]>;

/** Errors: `TerminalRefused`. */
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

/** The result of a request that has ended before its turn. */
const ENDED = {};

/**
 * Units of work for terminals of one company that ask for the same at about the same time. Singly, each terminal that gets a
 * notification takes some 16 statements in three units: 10,000 terminals kept all other clients waiting.
 */
export class Batches<T> {
  readonly #reads: Made<T, ReadWork> = new Map();
  readonly #writes: Made<T, WriteWork> = new Map();

  constructor(
    private readonly units: Pick<Units, 'read' | 'write'>,
    private readonly admit: AdmitAll<T>,
  ) {}

  /** Resolves to null if the request has ended before. Errors: `TerminalRefused`, that of the call, those of the unit. */
  async read<Input, Result extends object>(
    batch: TerminalReadBatch<T, Input, Result>,
    call: BatchedCall<Input>,
  ): Promise<Result | null> {
    return await this.#add(this.#reads, batch, this.units.read, call);
  }

  /** The same, after the commit. */
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
    // The unit adds no ledger entry, so it does not matter whose caller it has: all are of one company.
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
