import { setTimeout as sleep } from 'node:timers/promises';

import type { Database } from '../database/database.js';
import type { Units } from '../database/work.js';
import { takeDeliveryStep } from '../domain/messages/notification/delivery.service.js';

/** Between two steps, so that others read and write meanwhile. */
const PAUSE_MS = 5;
/** Interval of checks whether another node has finished all steps. */
const OTHERS_MS = 500;

/** Queues deliveries to large groups in the background: in short transactions, round-robin over companies. */
export interface Steps {
  /** Does steps until none are left. */
  start(): void;
  /** Resolves when nothing is left, or a step has failed. */
  idle(): Promise<void>;
  /** Resolves when the current step has ended. */
  stop(): Promise<void>;
}

export function createSteps(
  units: Units,
  database: Pick<Database, 'alone'>,
  onError: (error: unknown) => void,
): Steps {
  const steps = new NodeSteps(units, database, onError);
  units.onUnfinished(() => steps.start());
  return steps;
}

class NodeSteps implements Steps {
  #running: Promise<void> | null = null;
  #isStopped = false;
  #isAskedAgain = false;

  constructor(
    private readonly units: Units,
    private readonly database: Pick<Database, 'alone'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.#isAskedAgain = true;
    this.#running ??= this.#takeAlone()
      .catch(this.onError)
      .finally(() => {
        this.#running = null;
        if (this.#isAskedAgain && !this.#isStopped) this.start();
      });
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Where another node takes steps, looks again later: that node may have looked before there were these. */
  async #takeAlone(): Promise<void> {
    if (await this.database.alone('steps', () => this.#takeAll())) return;
    this.#isAskedAgain = false;
    setTimeout(() => {
      if (!this.#isStopped) this.start();
    }, OTHERS_MS).unref();
  }

  async #takeAll(): Promise<void> {
    let companyId: number | null = 0;
    for (let isLeft = true; isLeft && !this.#isStopped;) {
      this.#isAskedAgain = false;
      companyId = await takeDeliveryStep(this.units, companyId ?? 0);
      isLeft = companyId !== null || this.#isAskedAgain;
      if (isLeft) await sleep(PAUSE_MS);
    }
  }
}
