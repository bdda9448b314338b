import { setTimeout as sleep } from 'node:timers/promises';

import type { Database } from '../database/database.js';
import type { Units } from '../database/work.js';
import { deleteExpiredResponses } from '../domain/base/idempotency-key/idempotency-key.service.js';
import { prune, rulesOf, type Rules } from '../domain/base/retention/retention.service.js';
import { expireDeliveries } from '../domain/messages/notification/delivery.service.js';
import { sweepContents } from '../domain/software/content/content.service.js';
import { LOCAL_ORIGIN } from '../platform/caller.js';
import { MINUTE, SECOND, type Clock } from '../platform/clock.js';
import type { Config } from '../platform/config/config.js';
import { ledgerChainHash, type KeyedHash } from '../platform/keys.js';
import { createSteps, type Steps } from './steps.js';

/** Interval of runs. Each run writes and so notices when a full disk accepts writes again. */
const INTERVAL_MS = MINUTE;
/** Interval of checks for steps left behind by another node that was killed. */
const LOOK_MS = 10 * SECOND;
/** Maximum batches of each task per run; the next run continues. */
const MAX_BATCHES = 100;
/** Pause between two batches, so that other writes can run. */
const PAUSE_MS = 5;

/** Deletes a batch, and resolves to true if there may be more. */
type Task = (units: Units) => Promise<boolean>;

const TASKS: readonly Task[] = [
  (units) => units.systemWrite(LOCAL_ORIGIN, deleteExpiredResponses),
  (units) => sweepContents(units),
  expireDeliveries,
];

export interface Housekeeping {
  /** Background steps that queue deliveries to large groups. */
  readonly steps: Steps;
  /**
   * Continues unfinished work, including deleting the bytes of uploads that an earlier process did not
   * finish, then runs once a minute.
   */
  start(): void;
  /** Resolves when the current run has ended. */
  stop(): Promise<void>;
  /**
   * Runs once: deletes expired stored responses, released contents and rows past their retention, ends
   * expired deliveries, and trims the write-ahead log.
   */
  run(): Promise<void>;
}

/** Deletes the bytes of unfinished uploads of an earlier process, unless other nodes share the database. */
function formerUploads({ isShared }: Database, before: Date): Task {
  return (units) => (isShared ? Promise.resolve(false) : sweepContents(units, before));
}

export interface HousekeepingParts {
  readonly units: Units;
  readonly database: Database;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  readonly config: Pick<Config, 'keep'>;
  /** Key for sealing the head of each ledger chain whose beginning is deleted. */
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
    // First, because on a full disk it frees the space that the other tasks need.
    await this.#prune();
    await database.alone('housekeeping', async () => {
      for (const task of TASKS) await this.#repeat(task, MAX_BATCHES);
    });
    if (this.#isStopped) return;
    // Retries steps that failed, for example on a full disk, or that a stopped node left behind.
    this.steps.start();
    await database.maintain();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    clearInterval(this.#lookTimer);
    await Promise.all([this.#running, this.steps.stop()]);
  }

  /** Deletes rows past their retention. Reports errors without throwing, so that the run continues. */
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
