import { z } from 'zod';

import { DAY, MINUTE } from '../../../platform/clock.js';
import { rule } from '../../../platform/rules.js';
import { type Audit, type Ids, printableName, recordId } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

export const MAX_ALERT_RULES = 50;
const MAX_RECIPIENTS = 20;
export const MAX_EXAMPLES = 10;
/** Time for which a rule must not be met before its alert is closed. */
export const CLOSED_AFTER_MS = 5 * MINUTE;

/** A length of time in milliseconds: 5 minutes or more. */
export const timeOfRule = (maxDays: number): z.ZodNumber =>
  z
    .number()
    .refine((time) => time >= 5 * MINUTE, rule('must be at least {minimum} minutes', { minimum: 5 }))
    .refine((time) => time <= maxDays * DAY, rule('must be at most {maximum} days', { maximum: maxDays }));

const AlertRuleFields = z.object({
  name: printableName(100).describe('Name, unique in the company.'),
  on: z.record(z.string(), z.unknown()),
  webhookId: recordId
    .nullish()
    .describe('Webhook that gets the alerts of the rule, whatever its types of events are.'),
  recipientIds: z
    .array(recordId)
    .max(MAX_RECIPIENTS)
    .transform((ids) => [...new Set(ids)])
    .describe(
      'Members who get an e-mail when an alert of the rule is opened, sent again or closed, if the server sends e-mails.',
    ),
  repeatAfter: timeOfRule(30).nullish(),
});
export const AlertRuleCreate = AlertRuleFields.extend({
  recipientIds: AlertRuleFields.shape.recipientIds.default([]),
});
export const AlertRuleUpdate = AlertRuleFields.partial();

export type ConditionModel<On extends object = object> = z.ZodType<On>;

/** The input of a rule with a condition of one kind. */
export const onOf = (kind: string, model: ConditionModel) => z.object({ on: z.object({ [kind]: model }) });

/** The condition of kinds that count: at least `count` within the last milliseconds. */
export const CountWithin = z.object({ count: z.number().int().min(1).max(1_000_000), within: timeOfRule(7) });
export type CountWithin = z.output<typeof CountWithin>;

/** A rule opens alerts: its condition is of a kind that a wing has declared in `alertKinds`. */
export type AlertRule = RecordOf<
  'alert_rules',
  Audit & { readonly condition: object; readonly recipientIds: Ids }
>;

/** A time at which a rule was met. */
export type Alert = RecordOf<
  'alerts',
  { readonly examples: readonly string[]; readonly recipientIds: Ids; readonly webhookIds: Ids }
>;

export interface Measured {
  readonly affected: number;
  /** Number of those that were looked at; null if the kind counts events. */
  readonly total: number | null;
  readonly isMet: boolean;
  /** True if no alert is opened or sent again now, for example outside of the hours of the rule. */
  readonly isQuiet?: boolean;
}
