import { describe, expect, it } from 'vitest';

import { Batcher } from '../../../src/platform/concurrency/batcher.js';
import { DispatchRate } from '../../../src/platform/concurrency/dispatch-rate.js';
import { DomainError } from '../../../src/platform/errors.js';

interface Performed {
  readonly key: string;
  readonly calls: readonly number[];
}

/** Doubles numbers; `odd` is why an odd one fails. */
function doubling(options: {
  most?: number;
  odd?: () => Error;
  fault?: (calls: readonly number[]) => void;
}): {
  readonly batcher: Batcher<string, number, object>;
  readonly performed: Performed[];
} {
  const performed: Performed[] = [];
  const batcher = new Batcher<string, number, object>({
    most: options.most ?? 100,
    everyMs: 1,
    perform: async (key, calls) => {
      performed.push({ key, calls });
      options.fault?.(calls);
      await Promise.resolve();
      return calls.map((call) =>
        call % 2 === 1 && options.odd !== undefined ? options.odd() : { doubled: call * 2 },
      );
    },
  });
  return { batcher, performed };
}

const outcomes = async (results: readonly Promise<object>[]): Promise<unknown[]> =>
  (await Promise.allSettled(results)).map((settled) =>
    settled.status === 'fulfilled' ? settled.value : (settled.reason as Error).message,
  );

describe('calls that arrive together', () => {
  it('are performed as one, by key and in their order', async () => {
    const { batcher, performed } = doubling({});
    const results = [batcher.add('a', 1), batcher.add('b', 2), batcher.add('a', 3), batcher.add('a', 4)];
    expect(await outcomes(results)).toEqual([{ doubled: 2 }, { doubled: 4 }, { doubled: 6 }, { doubled: 8 }]);
    expect(performed).toEqual([
      { key: 'a', calls: [1, 3, 4] },
      { key: 'b', calls: [2] },
    ]);
    expect(await outcomes([batcher.add('a', 5)])).toEqual([{ doubled: 10 }]);
  });

  it('are performed in parts that are not too large', async () => {
    const { batcher, performed } = doubling({ most: 2 });
    await Promise.all([1, 2, 3, 4, 5].map((call) => batcher.add('a', call)));
    expect(performed.map(({ calls }) => calls)).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('gather those that come while others are performed', async () => {
    const started = Promise.withResolvers<undefined>();
    const ends = Promise.withResolvers<undefined>();
    const performed: (readonly number[])[] = [];
    const batcher = new Batcher<string, number, object>({
      most: 100,
      everyMs: 0,
      perform: async (_key, calls) => {
        performed.push(calls);
        started.resolve(undefined);
        await ends.promise;
        return calls.map(() => ({}));
      },
    });
    const first = batcher.add('a', 1);
    await started.promise;
    const others = [batcher.add('a', 2), batcher.add('a', 3)];
    ends.resolve(undefined);
    await Promise.all([first, ...others]);
    expect(performed).toEqual([[1], [2, 3]]);
  });

  it('fail each for itself', async () => {
    const { batcher, performed } = doubling({ odd: () => new Error('odd') });
    expect(await outcomes([1, 2, 3].map((call) => batcher.add('a', call)))).toEqual([
      'odd',
      { doubled: 4 },
      'odd',
    ]);
    expect(performed.length).toBe(1);
  });

  it('are performed alone if an unexpected error ends all of them', async () => {
    const fault = (calls: readonly number[]): void => {
      if (calls.includes(2)) throw new Error('two');
    };
    const { batcher, performed } = doubling({ fault });
    expect(await outcomes([1, 2, 3].map((call) => batcher.add('a', call)))).toEqual([
      { doubled: 2 },
      'two',
      { doubled: 6 },
    ]);
    expect(performed.map(({ calls }) => calls)).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  it('all have the error of the storage, which is not tried again', async () => {
    const fault = (): void => {
      throw new DomainError('busy', 'full');
    };
    const { batcher, performed } = doubling({ fault });
    expect(await outcomes([1, 2].map((call) => batcher.add('a', call)))).toEqual(['full', 'full']);
    expect(performed.length).toBe(1);
  });
});

/** A clock whose time the test sets. */
function stoppedClock(): { now(): Date; elapsed(): number; at: number } {
  const clock = { at: 0, now: () => new Date(clock.at), elapsed: () => clock.at };
  return clock;
}

describe('a pace', () => {
  it('grants what a twentieth of a second allows at once, and the rest as time passes', async () => {
    const clock = stoppedClock();
    const pace = new DispatchRate(100, clock);
    expect(await pace.take('a', 10)).toBe(5);
    const waiting = pace.take('a', 10);
    clock.at += 30;
    expect(await waiting).toBe(3);
    clock.at += 60_000;
    expect(await pace.take('a', 10)).toBe(5);
  });

  it('lets fewer out at once while its timers are late, down to a fifth, with other work in between', async () => {
    const clock = stoppedClock();
    const pace = new DispatchRate(1_000, clock);
    let out = 0;
    for (let n = 0; n < 200; n += 1) void pace.take('fleet', 1).then(() => (out += 1));
    /** How many go out at each timer, if that is so many milliseconds after the one before. */
    const atTimers = async (times: number, ms: number): Promise<number[]> => {
      const counts: number[] = [];
      for (let n = 0; n < times; n += 1) {
        const before = out;
        clock.at += ms;
        // All who are let out by a timer go on before anything else does.
        while (out === before) await new Promise(setImmediate);
        counts.push(out - before);
      }
      return counts;
    };
    await Promise.resolve();
    expect(out, 'at once').toBe(50);
    expect(await atTimers(8, 300)).toEqual([25, 12, 10, 10, 10, 10, 10, 10]);
    expect(await atTimers(2, 25)).toEqual([15, 22]);
  });

  it('gives owners that wait turns, and each of them in its order', async () => {
    const clock = stoppedClock();
    const pace = new DispatchRate(20, clock);
    await pace.take('a', 1);
    const order: string[] = [];
    const takes = ['a1', 'a2', 'a3', 'b1', 'c1', 'a4'].map(async (name) => {
      const granted = await pace.take(name[0], 1);
      order.push(name);
      clock.at += 50;
      return granted;
    });
    clock.at += 50;
    expect(await Promise.all(takes)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', 'a4']);
  });

  it('grants nothing to what has left, and goes on with the others', async () => {
    const clock = stoppedClock();
    const pace = new DispatchRate(20, clock);
    await pace.take('a', 1);
    const [leaving, left] = [new AbortController(), AbortSignal.abort()];
    const takes = [pace.take('a', 1, leaving.signal), pace.take('b', 1), pace.take('c', 1, left)];
    leaving.abort();
    clock.at += 50;
    expect(await Promise.all(takes)).toEqual([0, 1, 0]);
  });
});
