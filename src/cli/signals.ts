import { SECOND, systemClock } from '../platform/clock.js';
import { EXIT } from './exit-codes.js';

/**
 * One Ctrl-C or one stop of a service manager can arrive several times: sent to the whole process group, and forwarded
 * by npm and by `boot.ts`. Signals within this time are one. The npm scripts begin with `exec`: a shell in between would die
 * of the signal and leave the server behind.
 */
const REPEATED_MS = 2 * SECOND;

/**
 * Resolves at the first of the signals. Later ones change nothing, except that a SIGINT, which a person sends with
 * Ctrl-C, ends the process at once.
 */
export function waitForStopSignal(signals: readonly NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of signals) {
      process.on(signal, () => {
        const now = systemClock.elapsed();
        firstAt ??= now;
        if (signal === 'SIGINT' && now - firstAt > REPEATED_MS) process.exit(EXIT.failed);
        resolve(signal);
      });
    }
  });
}
