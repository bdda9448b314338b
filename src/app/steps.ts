import { setTimeout as sleep } from 'node:timers/promises';

import type { Database } from '../database/database.js';
import type { Units } from '../database/work.js';
import { takeDeliveryStep } from '../resources/notification/delivery.service.js';
import { takeRemovalStep } from '../resources/removal/removal-steps.service.js';

/** Between two steps, so that others read and write meanwhile. */
const PAUSE_MS = 5;
/** After which to look again whether another node has done everything. */
const OTHERS_MS = 500;

/** Each takes a step of the company after the given one, and resolves to that company; null if nothing is left. */
const KINDS: readonly ((units: Units, companyId: number) => Promise<number | null>)[] = [
  takeRemovalStep,
  takeDeliveryStep,
];

/** Does what changes of many records have left to be done, in short transactions, by turns of the companies. */
export interface Steps {
  /** Takes steps until nothing is left. */
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
  let running: Promise<void> | null = null;
  let isStopped = false;
  let isAskedAgain = false;

  const takeAll = async (): Promise<void> => {
    const companies = KINDS.map(() => 0);
    for (let isLeft = true; isLeft && !isStopped;) {
      isAskedAgain = false;
      isLeft = false;
      for (const [kind, take] of KINDS.entries()) {
        const company = await take(units, companies[kind] ?? 0);
        companies[kind] = company ?? 0;
        isLeft ||= company !== null;
      }
      isLeft ||= isAskedAgain;
      if (isLeft) await sleep(PAUSE_MS);
    }
  };

  function start(): void {
    isAskedAgain = true;
    running ??= database
      .alone('steps', takeAll)
      .then((hasRun) => {
        if (!hasRun) startLater();
      })
      .catch(onError)
      .finally(() => {
        running = null;
        if (isAskedAgain && !isStopped) start();
      });
  }

  /** Another node takes steps, but may have looked before there were these. */
  function startLater(): void {
    isAskedAgain = false;
    setTimeout(() => {
      if (!isStopped) start();
    }, OTHERS_MS).unref();
  }

  units.onUnfinished(start);
  return {
    start,
    idle: async () => {
      await running;
    },
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}
