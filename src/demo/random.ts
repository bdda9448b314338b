/** Draws that are the same for the same seed, in the same order. */
export interface Random {
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
  digits(count: number): string;
  bytes(count: number): Buffer;
}

/** Mulberry32: 32 bits of state, more than enough for data that only has to look alive. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    whole,
    chance: (probability) => next() < probability,
    pick: (choices) => choices[whole(0, choices.length - 1)] ?? choices[0],
    digits: (count) => Array.from({ length: count }, () => whole(0, 9)).join(''),
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => whole(0, 255))),
  };
}
