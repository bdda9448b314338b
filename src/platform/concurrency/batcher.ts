import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { systemClock } from '../clock.js';
import { DomainError } from '../errors.js';
import { yieldToEventLoop } from './event-loop.js';

interface BatcherOptions<Key, Call, Result> {
  /** Maximum number of calls that are performed together. */
  readonly most: number;
  /** Minimum time between the starts of two batches of a key, in milliseconds. */
  readonly everyMs: number;
  /** Performs calls of one key. Resolves to the result or the error of each call, in the same order. */
  readonly perform: (key: Key, calls: readonly Call[]) => Promise<readonly (Result | Error)[]>;
}

interface Waiting<Call, Result> {
  readonly call: Call;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
  /** Runs a function in the async context of the caller, for example in its trace. */
  readonly asCaller: <T>(use: () => T) => T;
}

/**
 * Performs calls of a key that arrive close together as one, one batch after the other. A single call is done at once.
 */
export class Batcher<Key, Call, Result> {
  readonly #waiting = new Map<Key, Waiting<Call, Result>[]>();

  constructor(private readonly options: BatcherOptions<Key, Call, Result>) {}

  /** Errors: that of the call, or that of its batch. */
  async add(key: Key, call: Call): Promise<Result> {
    return await new Promise<Result>((resolve, reject) => {
      const waiting = { call, resolve, reject, asCaller: AsyncLocalStorage.snapshot() };
      const own = this.#waiting.get(key);
      if (own !== undefined) {
        own.push(waiting);
        return;
      }
      const first = [waiting];
      this.#waiting.set(key, first);
      void this.#performAll(key, first);
    });
  }

  async #performAll(key: Key, own: Waiting<Call, Result>[]): Promise<void> {
    const { most, everyMs } = this.options;
    for (let [first] = own; first !== undefined; [first] = own) {
      const { asCaller } = first;
      // Calls that arrive in this turn of the event loop join the batch.
      await asCaller(yieldToEventLoop);
      const began = systemClock.elapsed();
      const batch = own.splice(0, most);
      await asCaller(() => this.#perform(key, batch));
      const left = began + everyMs - systemClock.elapsed();
      if (left > 0) await sleep(left);
    }
    this.#waiting.delete(key);
  }

  /** Never rejects. After an error that may be due to one call of the batch, each call is performed alone. */
  async #perform(key: Key, batch: readonly Waiting<Call, Result>[]): Promise<void> {
    try {
      const results = await this.options.perform(
        key,
        batch.map(({ call }) => call),
      );
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index] ?? new Error('A call has no result.');
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      if (batch.length > 1 && !(error instanceof DomainError)) {
        for (const one of batch) await this.#perform(key, [one]);
      } else {
        for (const { reject } of batch) reject(error as Error);
      }
    }
  }
}
