/** Promises of the server to terminals, with the text by which a summary reports a breach. */
export const PROMISES = {
  wrong_content: 'an asset whose bytes do not have the announced CRC, hash or size',
  unreadable_params: 'a params.dat that a terminal cannot read',
  lost_delivery: 'a notification that did not arrive',
  doubled_delivery: 'a notification twice within its lease, or again after its confirmation',
  wrong_order: 'a notification after a later one of the same terminal',
  refused_transaction: 'a valid transaction that was rejected',
  doubled_transaction: 'a transaction that was created twice',
  lost_transaction: 'an acknowledged transaction that was not there afterwards',
} as const;

export type PromiseName = keyof typeof PROMISES;

/** Maximum examples kept for each promise. */
const MAX_EXAMPLES = 5;

export interface BrokenPromise {
  readonly promise: PromiseName;
  readonly count: number;
  /** At most 5, for example `terminal SN-1: 17 came again after 3 ms`. */
  readonly examples: readonly string[];
}

/** Counts the broken promises of a run. */
export class BrokenPromises {
  readonly #found = new Map<PromiseName, { count: number; readonly examples: string[] }>();

  note(promise: PromiseName, example: string): void {
    const found = this.#found.get(promise) ?? { count: 0, examples: [] };
    this.#found.set(promise, found);
    found.count += 1;
    if (found.examples.length < MAX_EXAMPLES) found.examples.push(example);
  }

  list(): readonly BrokenPromise[] {
    return [...this.#found].map(([promise, { count, examples }]) => ({ promise, count, examples }));
  }
}
