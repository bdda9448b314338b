import { LOCAL_ORIGIN } from '../platform/caller.js';
import type { Database } from '../database/database.js';
import { trimLog } from '../database/sqlite/upkeep.js';
import type { SystemWriteWork, Units } from '../database/work.js';
import { MINUTE, type Clock } from '../platform/clock.js';
import { sweepContents, sweepReleasedBefore } from '../resources/content/content.service.js';
import { deleteExpiredResponses } from '../resources/idempotency-key/idempotency-key.service.js';

/** Each run writes; so this is also how soon the server notices that a full storage accepts writes again. */
const INTERVAL_MS = MINUTE;
interface Task {
  /** Deletes a batch and resolves to true if there may be more. */
  readonly step: (work: SystemWriteWork) => Promise<boolean>;
  /** Limit per run; the next run continues. */
  readonly maxSteps: number;
}

const TASKS: readonly Task[] = [
  { step: deleteExpiredResponses, maxSteps: 10 },
  // Up to 18 MiB each.
  { step: sweepContents, maxSteps: 100 },
];

export interface Housekeeping {
  /** Also deletes the bytes of uploads that an earlier process did not finish. */
  start(): void;
  /** Resolves when the current run has ended. */
  stop(): Promise<void>;
  /** One run: deletes expired stored responses and released contents, and trims the write-ahead log. */
  run(): Promise<void>;
}

/** Deletes expired data once a minute, in small transactions. */
export function createHousekeeping(
  units: Units,
  database: Database,
  clock: Clock,
  onError: (error: unknown) => void,
): Housekeeping {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let stopped = false;
  const createdAt = clock.now();

  const run = async (): Promise<void> => {
    for (const { step, maxSteps } of TASKS) {
      let more = true;
      for (let steps = 0; steps < maxSteps && more && !stopped; steps += 1) {
        more = await units.systemWrite(LOCAL_ORIGIN, step);
      }
    }
    if (!stopped) await trimLog(database);
  };

  const sweepEarlier = async (): Promise<void> => {
    let more = true;
    while (more && !stopped) {
      more = await units.systemWrite(LOCAL_ORIGIN, (work) => sweepReleasedBefore(work, createdAt));
    }
  };

  return {
    run,
    start: () => {
      running = sweepEarlier().catch(onError);
      timer = setInterval(() => {
        running = running.then(run).catch(onError);
      }, INTERVAL_MS).unref();
    },
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
