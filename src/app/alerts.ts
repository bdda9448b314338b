import type { Condition } from '../database/list/condition.js';
import { evaluateAlerts } from '../domain/base/alert/evaluation.service.js';
import { loadSchema } from './export-schedules.js';
import type { HttpHandlerParts } from './http-handlers.js';
import { MinuteWork } from './minute-work.js';

type AlertsParts = Pick<HttpHandlerParts, 'units' | 'database' | 'mail' | 'onError'>;

/** Evaluates the rules of alerts. */
export const createAlerts = ({ units, mail, ...parts }: AlertsParts): MinuteWork =>
  new MinuteWork(parts, 'alerts', (tools) => evaluateAlerts({ ...tools, units, mail, conditionOf }));

/** Loads GraphQL for the first rule with a filter. */
async function conditionOf(list: string, filter: object): Promise<Condition> {
  await loadSchema();
  const { keptConditionOf } = await import('../graphql/schema/target.js');
  return keptConditionOf(list, filter, 'filter');
}
