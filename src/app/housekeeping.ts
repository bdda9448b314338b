import { setTimeout as sleep } from 'node:timers/promises';

import { LOCAL_ORIGIN } from '../platform/caller.js';
import type { Database } from '../database/database.js';
import type { Units } from '../database/work.js';
import { MINUTE, SECOND, type Clock } from '../platform/clock.js';
import { createSteps, type Steps } from './steps.js';
import { sweepContents, sweepReleasedBefore } from '../resources/content/content.service.js';
import { expireDeliveries } from '../resources/notification/delivery/recall.service.js';
import { deleteExpiredResponses } from '../resources/idempotency-key/idempotency-key.service.js';
import type { Config } from '../platform/config/config.js';
import { ledgerChainHash, type KeyedHash } from '../platform/keys/keyed-hash.js';
import { rulesOf, type Rules } from '../resources/retention/retention.model.js';
import { prune } from '../resources/retention/retention.service.js';

/** Each run writes; so this is also how soon the server notices that a full storage accepts writes again. */
const INTERVAL_MS = MINUTE;
/** How often to look whether another node has left steps, because it was killed. */
const LOOK_MS = 10 * SECOND;
/** Limit of each task per run; the next run continues. */
const MAX_BATCHES = 100;
/** Between two batches, so that others write meanwhile. */
const PAUSE_MS = 5;

/** Deletes a batch, and resolves to true if there may be more. */
type Task = (units: Units) => Promise<boolean>;

const TASKS: readonly Task[] = [
  (units) => units.systemWrite(LOCAL_ORIGIN, deleteExpiredResponses),
  sweepContents,
  expireDeliveries,
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
  /**
   * One run: deletes expired stored responses, released contents, ends expired deliveries, deletes what is older than it is to be kept, and trims the
   * write-ahead log.
   */
  run(): Promise<void>;
}

/** Deletes the bytes of uploads that an earlier process did not finish. What other nodes are storing must stay. */
function formerUploads({ isShared }: Database, before: Date): Task {
  return (units) => (isShared ? Promise.resolve(false) : sweepReleasedBefore(units, before));
}

export interface HousekeepingParts {
  readonly units: Units;
  readonly database: Database;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  readonly config: Pick<Config, 'keep'>;
  /** With its key, the heads of ledger chains are sealed whose beginning is deleted. */
  readonly tokenSecret: string;
}

/** Deletes expired data once a minute, in small transactions. */
export function createHousekeeping(parts: HousekeepingParts): Housekeeping {
  const retention = { rules: rulesOf(parts.config.keep), hash: ledgerChainHash(parts.tokenSecret) };
  return new NodeHousekeeping({ ...parts, retention, createdAt: parts.clock.now() });
}

interface Parts extends HousekeepingParts {
  readonly retention: { readonly rules: Rules; readonly hash: KeyedHash };
  readonly createdAt: Date;
}

class NodeHousekeeping implements Housekeeping {
  readonly steps: Steps;
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;
  #running = Promise.resolve();
  #isStopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.steps = createSteps(parts.units, parts.database, parts.onError);
  }

  start(): void {
    const { database, createdAt, onError } = this.#parts;
    this.steps.start();
    if (database.isShared) this.#lookTimer = setInterval(() => this.steps.start(), LOOK_MS).unref();
    this.#running = this.#repeat(formerUploads(database, createdAt), Infinity).catch(onError);
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.run()).catch(onError);
    }, INTERVAL_MS).unref();
  }

  async run(): Promise<void> {
    const { database } = this.#parts;
    // First, since on a full disk it makes the room that the others need.
    await this.#prune();
    await database.alone('housekeeping', async () => {
      for (const task of TASKS) await this.#repeat(task, MAX_BATCHES);
    });
    if (this.#isStopped) return;
    // Steps that failed, for example on a full disk, or that a node has left which is gone, are taken again.
    this.steps.start();
    await database.maintain();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    clearInterval(this.#lookTimer);
    await Promise.all([this.#running, this.steps.stop()]);
  }

  /** What it fails on, for example a busy database, does not keep the rest of a run from its end. */
  async #prune(): Promise<void> {
    const { database, units, clock, retention, onError } = this.#parts;
    const limits = { now: clock.now(), maxUnits: MAX_BATCHES, isStopped: () => this.#isStopped };
    const options = { ...retention, ...limits };
    await database.alone('retention', () => prune(units, options)).catch(onError);
  }

  async #repeat(task: Task, maxBatches: number): Promise<void> {
    let more = true;
    for (let batch = 0; batch < maxBatches && more && !this.#isStopped; batch += 1) {
      more = await task(this.#parts.units);
      if (more) await sleep(PAUSE_MS);
    }
  }
}
