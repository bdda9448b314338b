import { setTimeout as sleep } from 'node:timers/promises';

import { LOCAL_ORIGIN } from '../platform/caller.js';
import type { Database } from '../database/database.js';
import type { Units } from '../database/work.js';
import { MINUTE, type Clock } from '../platform/clock.js';
import { createSteps, type Steps } from './steps.js';
import { sweepContents, sweepReleasedBefore } from '../resources/content/content.service.js';
import { deleteExpiredResponses } from '../resources/idempotency-key/idempotency-key.service.js';

/** Each run writes; so this is also how soon the server notices that a full storage accepts writes again. */
const INTERVAL_MS = MINUTE;
/** Limit of each task per run; the next run continues. */
const MAX_BATCHES = 100;
/** Between two batches, so that others write meanwhile. */
const PAUSE_MS = 5;

/** Deletes a batch, and resolves to true if there may be more. */
type Task = (units: Units) => Promise<boolean>;

const TASKS: readonly Task[] = [
  (units) => units.systemWrite(LOCAL_ORIGIN, deleteExpiredResponses),
  sweepContents,
];

export interface Housekeeping {
  /** What wide changes have left to be done. */
  readonly steps: Steps;
  /**
   * Takes up what is left from before, also the bytes of uploads that an earlier process did not finish, and runs once
   * a minute from then on.
   */
  start(): void;
  /** Resolves when the current run has ended. */
  stop(): Promise<void>;
  /** One run: deletes expired stored responses and released contents, and trims the write-ahead log. */
  run(): Promise<void>;
}

/** Deletes the bytes of uploads that an earlier process did not finish. What other nodes are storing must stay. */
function formerUploads({ isShared }: Database, before: Date): Task {
  return (units) => (isShared ? Promise.resolve(false) : sweepReleasedBefore(units, before));
}

async function repeated(
  takeBatch: () => Promise<boolean>,
  maxBatches: number,
  isStopped: () => boolean,
): Promise<void> {
  let more = true;
  for (let batch = 0; batch < maxBatches && more && !isStopped(); batch += 1) {
    more = await takeBatch();
    if (more) await sleep(PAUSE_MS);
  }
}

/** Deletes expired data once a minute, in small transactions. */
export function createHousekeeping(
  units: Units,
  database: Database,
  clock: Clock,
  onError: (error: unknown) => void,
): Housekeeping {
  const steps = createSteps(units, database, onError);
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let stopped = false;
  const sweepFormer = formerUploads(database, clock.now());

  const repeat = (task: Task, maxBatches: number) =>
    repeated(
      () => task(units),
      maxBatches,
      () => stopped,
    );

  const run = async (): Promise<void> => {
    await database.alone('housekeeping', async () => {
      for (const task of TASKS) await repeat(task, MAX_BATCHES);
    });
    // Steps that failed, for example on a full disk, or that a node has left which is gone, are taken again.
    if (!stopped) steps.start();
    if (!stopped) await database.maintain();
  };

  return {
    run,
    steps,
    start: () => {
      steps.start();
      running = repeat(sweepFormer, Infinity).catch(onError);
      timer = setInterval(() => {
        running = running.then(run).catch(onError);
      }, INTERVAL_MS).unref();
    },
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await Promise.all([running, steps.stop()]);
    },
  };
}
