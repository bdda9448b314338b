import { systemClock } from '../clock.js';

const WINDOW_MS = 100;
/** Above this share of busy time, requests begin to wait for each other; below the other, there is room for more. */
const [BUSY, FREE] = [0.75, 0.6];
const [LESS, MORE] = [0.85, 1.1];
const LEAST = 0.4;
/** A turn of the loop that takes so long shows that it cannot do what is asked of it: then there is hardly any room. */
const OVERLOADED_MS = 100;
const LEAST_OVERLOADED = 0.05;

export interface LoopLoad {
  /** Share of the time since the call before in which the loop was busy. */
  readonly busyShare: () => number;
  /** How long a turn of the loop took lately, in milliseconds. */
  readonly turnMs: () => number;
}

/**
 * How much of what may be put off the event loop has room for, beside what clients ask for: from 0.4 to 1. It falls while
 * the loop is busy for most of each tenth of a second, and rises again while it is not. It falls to 0.05 while turns are long.
 */
export function createLoopRoom(
  { busyShare, turnMs }: LoopLoad = loadOfThisLoop(),
  elapsed: () => number = () => systemClock.elapsed(),
): () => number {
  let room = 1;
  let lookedAt = elapsed();
  return () => {
    if (elapsed() - lookedAt < WINDOW_MS) return room;
    lookedAt = elapsed();
    const busy = busyShare();
    const isOverloaded = turnMs() > OVERLOADED_MS;
    const least = isOverloaded ? LEAST_OVERLOADED : LEAST;
    if (busy > BUSY || isOverloaded) room = Math.max(Math.min(room, least), room * LESS);
    else if (busy < FREE) room = Math.min(1, room * MORE);
    if (!isOverloaded && room < LEAST) room = Math.min(LEAST, room * MORE);
    return room;
  };
}

/** The longest turn lately counts less with each new one. */
const FADING = 0.7;

function loadOfThisLoop(): LoopLoad {
  let before = performance.eventLoopUtilization();
  let turn = 0;
  return {
    busyShare: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    turnMs: () => {
      const since = systemClock.elapsed();
      setImmediate(() => {
        turn = Math.max(turn * FADING, systemClock.elapsed() - since);
      });
      return turn;
    },
  };
}
