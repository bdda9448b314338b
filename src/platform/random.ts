export type Random = ReturnType<typeof createRandom>;

/**
 * Pseudo-random values: the same seed and the same order of calls give the same values. Mulberry32, with 32 bits of
 * state: good enough for demo data, not for secrets.
 */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** A whole number from `min` to `max`, both inclusive. */
  const whole = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    whole,
    /** True with a probability from 0 to 1. */
    chance: (probability: number): boolean => next() < probability,
    /** Errors: an `Error` if there is nothing to choose from. */
    pick: <T>(choices: readonly T[]): T => {
      const choice = choices[whole(0, choices.length - 1)];
      if (choice === undefined) throw new Error('There is nothing to choose from');
      return choice;
    },
    digits: (count: number): string => Array.from({ length: count }, () => whole(0, 9)).join(''),
    bytes: (count: number) => Buffer.from(Array.from({ length: count }, () => whole(0, 255))),
  };
}
