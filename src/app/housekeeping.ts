import type { Database } from '../database/open.js';
import { trimLog } from '../database/sqlite/upkeep.js';
import type { Origin, SystemWriteWork, Units } from '../database/work.js';
import { MINUTE } from '../platform/clock.js';
import { sweepContents } from '../resources/content/content.service.js';
import { deleteExpiredResponses } from '../resources/idempotency-key/idempotency-key.service.js';

/** Also how soon the server notices that a storage which refused writes takes them again. */
const EVERY_MS = MINUTE;
/** Of each task in one run; what is left has time until the next. */
const MOST_ROUNDS = 10;

const ORIGIN: Origin = { channel: 'api', ip: null, requestId: null };
const TASKS: readonly ((work: SystemWriteWork) => Promise<boolean>)[] = [
  deleteExpiredResponses,
  sweepContents,
];

export interface Housekeeping {
  start(): void;
  /** Resolves when nothing of it is under way any more. */
  stop(): Promise<void>;
  /** One run: forgets what may be forgotten and gives room back. */
  run(): Promise<void>;
}

/** What nobody waits for, done now and then in small transactions. */
export function createHousekeeping(
  units: Units,
  database: Database,
  onError: (error: unknown) => void,
): Housekeeping {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let stopped = false;

  const run = async (): Promise<void> => {
    for (const task of TASKS) {
      let more = true;
      for (let round = 0; round < MOST_ROUNDS && more && !stopped; round += 1) {
        more = await units.systemWrite(ORIGIN, task);
      }
    }
    if (!stopped) await trimLog(database);
  };

  return {
    run,
    start: () => {
      timer = setInterval(() => {
        running = running.then(run).catch(onError);
      }, EVERY_MS).unref();
    },
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
