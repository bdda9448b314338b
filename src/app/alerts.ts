import type { Condition } from '../database/list/condition.js';
import { evaluateAlerts } from '../domain/base/alert/evaluation.service.js';
import { atMostEvery, MINUTE } from '../platform/clock.js';
import type { HttpHandlerParts } from './http-handlers.js';

const INTERVAL_MS = MINUTE;

type AlertsParts = Pick<HttpHandlerParts, 'units' | 'database' | 'mail' | 'onError'>;

/** Evaluates the rules of alerts once a minute, on one node at a time. */
export class Alerts {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #isStopped = false;
  readonly #isReportDue = atMostEvery(MINUTE);

  constructor(private readonly parts: AlertsParts) {}

  start(): void {
    this.#timer = setInterval(() => {
      this.#running ??= this.run()
        .catch(this.parts.onError)
        .finally(() => (this.#running = null));
    }, INTERVAL_MS).unref();
  }

  /** Evaluates all rules, unless another node does. */
  async run(): Promise<void> {
    const { database, units, mail, onError } = this.parts;
    await database.alone('alerts', () =>
      evaluateAlerts({
        units,
        mail,
        conditionOf,
        isStopped: () => this.#isStopped,
        onError: (error) => {
          if (this.#isReportDue()) onError(error);
        },
      }),
    );
  }

  /** Resolves when the rules that are being evaluated are done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }
}

/** Loads GraphQL for the first rule with a filter. */
async function conditionOf(list: string, filter: object): Promise<Condition> {
  // Before type-graphql, which the built program loads before the first line of schema.ts.
  await import('reflect-metadata');
  const { createSchema } = await import('./graphql/schema.js');
  await createSchema();
  const { keptConditionOf } = await import('../graphql/schema/target.js');
  return keptConditionOf(list, filter, 'filter');
}
