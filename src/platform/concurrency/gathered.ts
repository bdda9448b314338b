import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { systemClock } from '../clock.js';
import { DomainError } from '../errors.js';
import { yieldToEventLoop } from './event-loop.js';
import { Queue } from './queue.js';

export interface GatheredOptions<Key, Call, Result> {
  /** Maximum number of calls that are performed together. */
  readonly most: number;
  /** Minimum time between the starts of two runs of a key, in milliseconds. Calls in between are gathered. */
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
 * Performs calls that arrive close together as one, by key, for example by company. A single call is
 * performed at once. Calls of one key are performed one batch after the other, in the order of arrival.
 */
export class Gathered<Key, Call, Result> {
  readonly #waiting = new Map<Key, Queue<Waiting<Call, Result>>>();

  constructor(private readonly options: GatheredOptions<Key, Call, Result>) {}

  /** Errors: that of the call, or that of its batch. */
  async add(key: Key, call: Call): Promise<Result> {
    return await new Promise<Result>((resolve, reject) => {
      const waiting = { call, resolve, reject, asCaller: AsyncLocalStorage.snapshot() };
      const known = this.#waiting.get(key);
      if (known !== undefined) {
        known.add(waiting);
        return;
      }
      const own = new Queue<Waiting<Call, Result>>();
      own.add(waiting);
      this.#waiting.set(key, own);
      void this.#performAll(key, own);
    });
  }

  async #performAll(key: Key, own: Queue<Waiting<Call, Result>>): Promise<void> {
    while (own.size > 0) {
      // Calls that arrive in this turn of the event loop join the batch.
      await own.first?.asCaller(yieldToEventLoop);
      const began = systemClock.elapsed();
      const part = take(own, this.options.most);
      await part[0]?.asCaller(() => this.#performPart(key, part));
      const left = began + this.options.everyMs - systemClock.elapsed();
      if (left > 0) await sleep(left);
    }
    this.#waiting.delete(key);
  }

  /** Never rejects. After an error that may be due to one call of the batch, each call is performed alone. */
  async #performPart(key: Key, part: readonly Waiting<Call, Result>[]): Promise<void> {
    try {
      const results = await this.options.perform(
        key,
        part.map(({ call }) => call),
      );
      for (const [index, { resolve, reject }] of part.entries()) {
        const result = results[index] ?? new Error('A call has no result.');
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      if (part.length > 1 && !(error instanceof DomainError)) {
        for (const one of part) await this.#performPart(key, [one]);
      } else {
        for (const { reject } of part) reject(error as Error);
      }
    }
  }
}

function take<T>(queue: Queue<T>, most: number): readonly T[] {
  const taken: T[] = [];
  while (taken.length < most) {
    const next = queue.take();
    if (next === undefined) break;
    taken.push(next);
  }
  return taken;
}
