import { z } from 'zod';

import { DAY, MINUTE } from '../../../platform/clock.js';
import { jsonObject } from '../../../platform/encoding/json.js';
import { WEEKDAYS, type Hours } from '../../../platform/hours.js';
import { rule } from '../../../platform/rules.js';
import { type Audit, type Ids, printableName, recordId, TimeZone } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

export const MAX_ALERT_RULES = 50;
const MAX_RECIPIENTS = 20;
export const MAX_EXAMPLES = 10;
/** Time for which a rule must not be met before its alert is closed. */
export const CLOSED_AFTER_MS = 5 * MINUTE;

/** A length of time in milliseconds: 5 minutes or more. */
export function timeOfRule(maxDays: number): z.ZodNumber {
  const tooLong =
    maxDays === 1
      ? rule('must be at most {hours} hours', { hours: 24 })
      : rule('must be at most {maximum} days', { maximum: maxDays });
  return z
    .number()
    .refine((time) => time >= 5 * MINUTE, rule('must be at least {minimum} minutes', { minimum: 5 }))
    .refine((time) => time <= maxDays * DAY, tooLong);
}

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

/** Filter of the list that a kind looks at, as clients write it. */
export const KeptFilter = jsonObject(16 * 1024).nullish();

const THRESHOLD = ['count', 'percent'] as const;
/** Number or share of terminals at which an alert opens. */
export const Threshold = z.object({
  count: z.number().int().min(1).max(1_000_000).nullish(),
  percent: z.number().int().min(1).max(100).nullish(),
});
type Threshold = z.output<typeof Threshold>;

const isGiven = (given: Threshold): boolean => THRESHOLD.some((name) => given[name] != null);

/** Refuses both of `count` and `percent`, and none of them unless the kind also looks at all terminals together. */
export const refineThreshold =
  (mayLackBoth = false) =>
  (given: Threshold, context: z.RefinementCtx): void => {
    const isOne = THRESHOLD.some((name) => given[name] == null) && (mayLackBoth || isGiven(given));
    const broken = rule('must have exactly one of {choices}', { choices: THRESHOLD.join(', ') });
    if (!isOne) context.addIssue({ code: 'custom', ...broken });
  };

/** True if a rule looks at each terminal, and not at all of them together. */
export const isOfEach = isGiven;

/** True for so many affected ones, of `total` that were looked at. */
export const reaches = ({ count, percent }: Threshold, affected: number, total: number): boolean =>
  affected > 0 && (count == null ? affected * 100 >= (percent ?? 0) * total : affected >= count);

const HOURS = ['fromHour', 'toHour', 'timeZone'] as const;
/** Hours of a rule; all day if absent. */
export const HoursOfRule = z.object({
  fromHour: z.number().int().min(0).max(23).nullish(),
  toHour: z.number().int().min(1).max(24).nullish(),
  timeZone: TimeZone.nullish(),
});
type HoursOfRule = z.output<typeof HoursOfRule>;
export const Days = z
  .array(z.enum(WEEKDAYS))
  .min(1)
  .transform((days) => WEEKDAYS.filter((day) => days.includes(day)))
  .nullish();

/** Refuses some of the hours without the others. */
export function refineHours(given: HoursOfRule, context: z.RefinementCtx): void {
  const missing = HOURS.filter((name) => given[name] == null);
  const needsNone = missing.length === HOURS.length && (given as Partial<Hours>).days == null;
  if (needsNone) return;
  const broken = rule('is required: {advice}', { advice: `hours have ${HOURS.join(', ')}` });
  for (const name of missing) context.addIssue({ code: 'custom', path: [name], ...broken });
}

/** The hours of a rule; null if it has none. */
export function hoursOf(given: HoursOfRule & Pick<Hours, 'days'>): Hours | null {
  const { fromHour, toHour, timeZone, days } = given;
  return fromHour == null || toHour == null || timeZone == null ? null : { fromHour, toHour, timeZone, days };
}

/** Numbers and times that a kind has found of one of the examples, or of all together. */
export interface Figure {
  /** Name of the example; null for all together. */
  readonly name: string | null;
  /** Percent, or an amount; null for times alone. */
  readonly value: number | null;
  /** Number of payments that were looked at; null if the kind looks at none. */
  readonly payments: number | null;
  /** The time that was looked at, as timestamps; null where a state is looked at. */
  readonly from: string | null;
  readonly to: string | null;
}

/** A rule opens alerts: its condition is of a kind that a wing has declared in `alertKinds`. */
export type AlertRule = RecordOf<
  'alert_rules',
  Audit & { readonly condition: object; readonly recipientIds: Ids }
>;

/** A time at which a rule was met. */
export type Alert = RecordOf<
  'alerts',
  {
    readonly examples: readonly string[];
    readonly figures: readonly Figure[];
    readonly recipientIds: Ids;
    readonly webhookIds: Ids;
  }
>;

export interface Measured {
  readonly affected: number;
  /** Number of those that were looked at; null if the kind counts events. */
  readonly total: number | null;
  readonly isMet: boolean;
  /** True if no alert is opened or sent again now, for example outside of the hours of the rule. */
  readonly isQuiet?: boolean;
}
