import { systemClock } from '../clock.js';

const WINDOW_MS = 100;
/** Above this share of busy time, requests begin to wait for each other; below the other, there is room for more. */
const [BUSY, FREE] = [0.75, 0.6];
const [LESS, MORE] = [0.85, 1.1];
const LEAST = 0.4;

/**
 * How much of what may be put off the event loop has room for, beside what clients ask for: from 0.4 to 1. It falls while
 * the loop is busy for most of each tenth of a second, and rises again while it is not. `busyShare` returns the share of
 * the time since the call before in which the loop was busy.
 */
export function createLoopRoom(
  busyShare: () => number = busyShareOfThisLoop(),
  elapsed: () => number = () => systemClock.elapsed(),
): () => number {
  let room = 1;
  let lookedAt = elapsed();
  return () => {
    if (elapsed() - lookedAt < WINDOW_MS) return room;
    lookedAt = elapsed();
    const busy = busyShare();
    if (busy > BUSY) room = Math.max(LEAST, room * LESS);
    else if (busy < FREE) room = Math.min(1, room * MORE);
    return room;
  };
}

function busyShareOfThisLoop(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
