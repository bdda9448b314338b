import { setTimeout as sleep } from 'node:timers/promises';

import type { Database } from '../database/database.js';
import { deleteExpiredResponses } from '../database/stored-responses.js';
import type { Units } from '../database/work.js';
import { takeJobStep } from '../domain/base/job/job.service.js';
import { prune, rulesOf } from '../domain/base/ledger/retention.service.js';
import { expireDeliveries, takeDeliveryStep } from '../domain/messages/notification/delivery.service.js';
import { deleteEndedCodes } from '../domain/people/user/passkey.service.js';
import { sweepContents } from '../domain/software/app/content.service.js';
import { takeRolloutStep } from '../domain/software/rollout/rollout-step.service.js';
import { MINUTE, SECOND } from '../platform/clock.js';
import { ledgerChainHash } from '../platform/hashes.js';
import { LOCAL_ORIGIN } from '../platform/requests.js';
import type { HttpHandlerParts } from './http-handlers.js';

/** Interval of runs. Each run writes and so notices when a full disk accepts writes again. */
const INTERVAL_MS = MINUTE;
/** Interval of checks for steps that are due, or left behind by another node that was killed. */
const LOOK_MS = 5 * SECOND;
/** Interval of checks whether another node has finished all steps. */
const OTHERS_MS = 500;
/** Maximum batches of each task per run; the next run continues. */
const MAX_BATCHES = 100;
/** Pause between two batches or steps, so that other writes can run. */
const PAUSE_MS = 5;

/** Deletes a batch, and resolves to true if there may be more. */
type Task = (units: Units) => Promise<boolean>;

const TASKS: readonly Task[] = [
  (units) => units.systemWrite(LOCAL_ORIGIN, deleteExpiredResponses),
  (units) => units.systemWrite(LOCAL_ORIGIN, deleteEndedCodes),
  (units) => sweepContents(units),
  expireDeliveries,
];

/** Does a step for the next company after the given one; resolves to its id, or to null if no step is left. */
type TakeStep = (units: Units, companyId: number, tokenSecret: string) => Promise<number | null>;

const STEPS: readonly TakeStep[] = [takeDeliveryStep, takeJobStep, takeRolloutStep];

/** `tokenSecret` is for sealing the head of each ledger chain whose beginning is deleted, and for tokens that jobs issue. */
type HousekeepingParts = Pick<
  HttpHandlerParts,
  'units' | 'database' | 'clock' | 'onError' | 'config' | 'tokenSecret'
>;

/** Deletes expired data once a minute, in small transactions. */
export class Housekeeping {
  readonly steps: Steps;
  readonly #createdAt: Date;
  #timers: readonly NodeJS.Timeout[] = [];
  #running = Promise.resolve();
  #isStopped = false;

  constructor(private readonly parts: HousekeepingParts) {
    this.steps = new Steps(parts.units, parts.database, parts.onError, parts.tokenSecret);
    this.#createdAt = parts.clock.now();
  }

  /** Continues unfinished work, deletes unfinished uploads of an earlier process, then runs once a minute. */
  start(): void {
    const { isShared } = this.parts.database;
    this.steps.start();
    // Unfinished uploads in a shared database may be those of other nodes.
    if (!isShared) {
      const sweep = this.#repeat((units) => sweepContents(units, this.#createdAt), Infinity);
      this.#running = sweep.catch(this.parts.onError);
    }
    const run = (): void => {
      this.#running = this.#running.then(() => this.run()).catch(this.parts.onError);
    };
    this.#timers = [
      setInterval(run, INTERVAL_MS).unref(),
      setInterval(() => this.steps.start(), LOOK_MS).unref(),
    ];
  }

  /** Runs once: deletes what has expired or passed its retention, ends expired deliveries, and trims the log. */
  async run(): Promise<void> {
    const { database } = this.parts;
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

  /** Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#running, this.steps.stop()]);
  }

  /** Deletes rows past their retention. Reports errors without throwing, so that the run continues. */
  async #prune(): Promise<void> {
    const { database, units, clock, onError, config, tokenSecret } = this.parts;
    const retention = { rules: rulesOf(config.keep), hash: ledgerChainHash(tokenSecret) };
    const limits = { now: clock.now(), maxUnits: MAX_BATCHES, isStopped: () => this.#isStopped };
    await database.alone('retention', () => prune(units, { ...retention, ...limits })).catch(onError);
  }

  async #repeat(task: Task, maxBatches: number): Promise<void> {
    let more = true;
    for (let batch = 0; batch < maxBatches && more && !this.#isStopped; batch += 1) {
      more = await task(this.parts.units);
      if (more) await sleep(PAUSE_MS);
    }
  }
}

/** Queues deliveries to large groups and does jobs, in the background: in short transactions, round-robin over companies. */
export class Steps {
  #running: Promise<void> | null = null;
  #isStopped = false;
  #isAskedAgain = false;

  constructor(
    private readonly units: Units,
    private readonly database: Pick<Database, 'alone'>,
    private readonly onError: (error: unknown) => void,
    private readonly tokenSecret: string,
  ) {
    units.onUnfinished(() => this.start());
  }

  /** Does steps until none are left. */
  start(): void {
    this.#isAskedAgain = true;
    this.#running ??= this.#takeAlone()
      .catch(this.onError)
      .finally(() => {
        this.#running = null;
        if (this.#isAskedAgain && !this.#isStopped) this.start();
      });
  }

  /** Resolves when nothing is left, or a step has failed. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Resolves when the current step has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Looks again later if another node takes steps: that node may have looked before there were these. */
  async #takeAlone(): Promise<void> {
    if (await this.database.alone('steps', () => this.#takeAll())) return;
    this.#isAskedAgain = false;
    setTimeout(() => {
      if (!this.#isStopped) this.start();
    }, OTHERS_MS).unref();
  }

  async #takeAll(): Promise<void> {
    /** The company of the last step of each kind. */
    const last = new Map<TakeStep, number>();
    for (let isLeft = true; isLeft && !this.#isStopped;) {
      this.#isAskedAgain = false;
      isLeft = false;
      for (const take of STEPS) {
        const companyId = await take(this.units, last.get(take) ?? 0, this.tokenSecret);
        last.set(take, companyId ?? 0);
        isLeft ||= companyId !== null;
      }
      isLeft ||= this.#isAskedAgain;
      if (isLeft) await sleep(PAUSE_MS);
    }
  }
}
