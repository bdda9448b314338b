import { isDeepStrictEqual } from 'node:util';

import { only, type NewRow } from '../../../database/company/company-rows.js';
import { getFrom, Records } from '../../../database/company/records.js';
import type { Condition } from '../../../database/list/condition.js';
import type { List } from '../../../database/list/list.js';
import { firstIn } from '../../../database/list/listing.js';
import type { LedgerActionName, ReadWork, WriteWork } from '../../../database/work.js';
import { invalid, requireAtMost } from '../../../platform/errors.js';
import type { Mailer } from '../../../platform/mail.js';
import { changed, type Ids, parse } from '../../../platform/validate.js';
import { getCompany } from '../../people/company/company.service.js';
import { refuseUnknownUsers, users } from '../../people/user/user.service.js';
import { refuseUnknownWebhook } from '../webhook/webhook.service.js';
import { letterOf } from './alert-mail.rules.js';
import {
  type Alert,
  type AlertRule,
  AlertRuleCreate,
  AlertRuleUpdate,
  type ConditionModel,
  CountWithin,
  type Figure,
  MAX_ALERT_RULES,
  MAX_EXAMPLES,
  type Measured,
  onOf,
} from './alert.model.js';
import {
  alertRows,
  alerts,
  columnsOf,
  findOpen,
  nextSequence,
  recordOf,
  ruleTable,
} from './alert.repository.js';

export { alertNewRows, alertRetention, alertRules, alerts } from './alert.repository.js';

/** Reads filters that are kept as JSON. Errors: `invalid` for one that the list does not take. */
export interface AlertTools {
  /** `list` is the type of its records, for example `Device`. */
  readonly conditionOf: (list: string, filter: object) => Promise<Condition>;
}

/** A kind of conditions: what it measures for a company, in a unit that may examine many rows. */
export interface AlertKind<On extends object = object> {
  readonly model: ConditionModel<On>;
  /** True if the values of its figures are amounts, not percent. */
  readonly isOfAmounts?: boolean;
  readonly measure: (work: ReadWork, on: On, tools: AlertTools) => Promise<Measured>;
  /** Names of at most `MAX_EXAMPLES` that are affected, or what was found of them or of all together. */
  readonly examples: (work: ReadWork, on: On, tools: AlertTools) => Promise<readonly (string | Figure)[]>;
}

/** Kinds by their names; wings add theirs. */
export const alertKinds = new Map<string, AlertKind>();

export function addAlertKind<On extends object>(name: string, kind: AlertKind<On>): void {
  alertKinds.set(name, kind as unknown as AlertKind);
}

/** A kind that is met by a number of events, or of records, since a time. */
export function countingKind(
  count: (work: ReadWork, since: Date) => Promise<number>,
  examples: (work: ReadWork, since: Date) => Promise<readonly string[]>,
): AlertKind<CountWithin> {
  const since = ({ now }: ReadWork, { within }: CountWithin): Date => new Date(now.getTime() - within);
  return {
    model: CountWithin,
    measure: async (work, on) => {
      const affected = await count(work, since(work, on));
      return { affected, total: null, isMet: affected >= on.count };
    },
    examples: (work, on) => examples(work, since(work, on)),
  };
}

/** A kind that is met by a number of records of a list; its examples are the last ones in an order. */
export const countingRecords = <T extends object>(
  list: List<T>,
  order: string,
  since: (time: Date) => Condition,
  nameOf: (record: T) => string,
): AlertKind<CountWithin> =>
  countingKind(
    (work, time) => list.count(work, since(time)),
    async (work, time) => {
      const more = { descending: true, condition: since(time) };
      const { records } = await list.slice(work, firstIn(order, MAX_EXAMPLES, more));
      return records.map(nameOf);
    },
  );

const records = new Records(ruleTable, {
  field: 'name',
  message: 'An alert rule with this name exists already.',
});
export const { get: getAlertRule } = records;

/** Errors: `not_found`. */
export const getAlert = (work: ReadWork, id: number): Promise<Alert> => getFrom(alerts, work, id, 'alert');

/** The kind and the condition of a rule. Errors: `invalid` unless there is exactly one, and it is valid. */
function conditionIn(on: object): Pick<AlertRule, 'kind' | 'condition'> {
  const given = Object.entries(on).filter(([, value]) => value != null);
  const [name = ''] = given[0] ?? [];
  const kind = alertKinds.get(name);
  if (kind === undefined || given.length > 1)
    throw invalid('on', 'must have exactly one of {choices}', { choices: [...alertKinds.keys()].join(', ') });
  return {
    kind: name,
    condition: parse(onOf(name, kind.model), { on: Object.fromEntries(given) }).on[name] ?? {},
  };
}

/** Errors: `invalid`, also for a webhook that the company does not have, and `taken`. */
export async function createAlertRule(work: WriteWork, input: unknown): Promise<AlertRule> {
  const { on, webhookId = null, repeatAfter = null, ...values } = parse(AlertRuleCreate, input);
  const condition = conditionIn(on);
  await refuseUnknownWebhook(work, 'webhookId', webhookId);
  await refuseUnknownUsers(work, 'recipientIds', values.recipientIds);
  requireAtMost('alertRules', (await ruleTable.rows.count(work, {})) + 1, MAX_ALERT_RULES);
  return await records.create(work, { ...values, ...condition, webhookId, repeatAfter });
}

/** Changes a rule. With another condition, its open alert is closed. Errors: `invalid`, `taken`. */
export async function updateAlertRule(
  work: WriteWork,
  current: AlertRule,
  input: unknown,
  mail: Mailer,
): Promise<AlertRule> {
  const { on, ...given } = parse(AlertRuleUpdate, input);
  const values = changed(current, { ...given, ...(on && conditionIn(on)) });
  // Recipients who have left are no reason to refuse another change.
  const added = values.recipientIds.filter((id) => !current.recipientIds.includes(id));
  await refuseUnknownUsers(work, 'recipientIds', added);
  if (values.webhookId !== current.webhookId) await refuseUnknownWebhook(work, 'webhookId', values.webhookId);
  const isSame = isDeepStrictEqual([values.kind, values.condition], [current.kind, current.condition]);
  if (!isSame) await closeOf(work, current, mail);
  return await records.change(work, current, values);
}

/** Deletes a rule, and closes its open alert; closed ones stay. */
export async function deleteAlertRule(work: WriteWork, rule: AlertRule, mail: Mailer): Promise<void> {
  await closeOf(work, rule, mail);
  await records.delete(work, rule);
}

/** Takes a webhook that is deleted out of rules. */
export async function detachFromRules(work: WriteWork, { id }: { readonly id: number }): Promise<void> {
  for (const rule of await ruleTable.select(work, { webhook_id: id })) {
    await records.update(work, rule, { ...rule, webhookId: null });
  }
}

async function closeOf(work: WriteWork, rule: AlertRule, mail: Mailer): Promise<void> {
  const open = await findOpen(work, rule.id);
  if (open === undefined) return;
  await changeAlert(work, open, { closedAt: work.now }, { action: 'closed', rule, mail });
}

/** Notes who has seen an alert first; it is not sent again. No change if it is acknowledged. */
export async function acknowledgeAlert(work: WriteWork, alert: Alert): Promise<Alert> {
  if (alert.acknowledgedAt !== null) return alert;
  const rule = await ruleTable.findById(work, alert.ruleId);
  const changes = { acknowledgedAt: work.now, acknowledgedBy: work.caller.userId };
  return await changeAlert(work, alert, changes, { action: 'acknowledged', rule });
}

/** Opens the alert of a rule that has none open. */
export async function openAlert(
  work: WriteWork,
  rule: AlertRule,
  found: Pick<Alert, 'affected' | 'total' | 'examples'> & Partial<Pick<Alert, 'figures'>>,
  mail?: Mailer,
): Promise<Alert> {
  const { now } = work;
  const { id: ruleId, name, kind } = rule;
  const times = { openedAt: now, sentAt: now, belowSince: null, closedAt: null };
  const values = {
    ruleId,
    name,
    kind,
    figures: [],
    ...found,
    ...times,
    acknowledgedAt: null,
    acknowledgedBy: null,
  };
  const sequence = await nextSequence(work);
  const row = columnsOf({ ...values, ...receiversOf(rule), sequence }) as unknown as NewRow<'alerts'>;
  const rows = await alertRows.insertReturning(work, [row]);
  return await recorded(work, rows, { action: 'opened', rule, mail });
}

type Receivers = Pick<Alert, 'recipientIds' | 'webhookIds'>;

/** Receivers of the alerts of a rule, and those who were `told` of one before. */
const receiversOf = (rule: AlertRule | undefined, told?: Receivers): Receivers => ({
  recipientIds: [...new Set([told?.recipientIds ?? [], rule?.recipientIds ?? []].flat())],
  webhookIds: [...new Set([told?.webhookIds ?? [], rule?.webhookId ?? []].flat())],
});

/** An entry of the ledger, which webhooks get as an event, and people as an e-mail if there is `mail`. */
interface Noted {
  readonly action: LedgerActionName;
  /** Absent if the rule is deleted. */
  readonly rule: AlertRule | undefined;
  readonly mail?: Mailer | undefined;
}

/** Changes an alert; without `noted`, there is no entry in the ledger. */
export async function changeAlert(
  work: WriteWork,
  alert: Alert,
  changes: Partial<Alert>,
  noted?: Noted,
): Promise<Alert> {
  const told = noted && receiversOf(noted.rule, alert);
  const columns = columnsOf({ ...changes, ...told, sequence: await nextSequence(work) });
  return await recorded(work, await alertRows.update(work, { id: alert.id }, columns), noted);
}

/** The alert of a row, after an entry in the ledger. That it is closed, all hear who were told of it. */
async function recorded(
  work: WriteWork,
  rows: readonly Parameters<typeof recordOf>[0][],
  noted?: Noted,
): Promise<Alert> {
  const alert = recordOf(only(rows));
  if (noted === undefined) return alert;
  const { id: entityId, ruleId, name, kind, affected, total, examples } = alert;
  const { figures, openedAt, acknowledgedAt, closedAt } = alert;
  const times = { openedAt, acknowledgedAt, closedAt };
  const { recipientIds, webhookIds } = noted.action === 'closed' ? alert : receiversOf(noted.rule);
  work.ledger.append({
    action: noted.action,
    entityType: 'alert',
    entityId,
    after: { ruleId, name, kind, affected, total, examples, figures, ...times, webhookIds },
  });
  if (noted.mail?.isOn === true) await mailAlert(work, noted.mail, noted.action, alert, recipientIds);
  return alert;
}

/** E-mails an alert to members, after the commit; not to disabled ones. */
async function mailAlert(
  work: WriteWork,
  mail: Mailer,
  action: LedgerActionName,
  alert: Alert,
  recipientIds: Ids,
): Promise<void> {
  const members = await users.byIds(work, recipientIds);
  const { currency } = await getCompany(work);
  const shown = { isAmount: alertKinds.get(alert.kind)?.isOfAmounts === true, currency };
  work.afterCommit(() => {
    for (const { email, disabledAt, timeZone } of members.values()) {
      if (disabledAt !== null) continue;
      mail.send({ to: email, ...letterOf({ action, alert, shown, publicUrl: mail.publicUrl }, timeZone) });
    }
  });
}
