import { systemClock } from '../clock.js';

const WINDOW_MS = 100;
/**
 * Busy shares of the event loop: above the first, requests begin to queue; below the second, there is room
 * for more.
 */
const [BUSY, FREE] = [0.75, 0.6];
const [LESS, MORE] = [0.85, 1.1];
const LEAST = 0.4;

/**
 * Measures how much deferrable work the event loop has room for besides client requests. Returns a factor
 * from 0.4 to 1, which falls while the loop is busy for most of each tenth of a second and rises again
 * afterwards. `busyShare` returns the busy share of the time since its previous call, 0 to 1.
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
