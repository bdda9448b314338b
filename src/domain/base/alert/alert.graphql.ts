import * as g from '../../../graphql/index.js';
import type { Weekday as WeekdayName } from '../../../platform/hours.js';
import { partsOf } from '../../people/user/session.graphql.js';
import { auditedType, UserList } from '../../people/user/user.graphql.js';
import * as model from './alert.model.js';
import * as service from './alert.service.js';

/** The condition of a kind as clients give it, and as they see it. */
export interface AlertForm {
  /** A sentence that says what is counted. */
  readonly description: string;
  readonly fields: g.Fields;
  /** Type of the records that the field `filter` selects; absent without such a field. */
  readonly filtered?: string;
}

/** The fields of a condition that counts. */
export const countWithin = (description: string): AlertForm => ({
  description,
  fields: {
    count: g.int('Number at which the alert opens: 1 to 1000000.'),
    within: g.duration('Time up to now in which they are counted: 5m to 7d.'),
  },
});

/** Fields for the threshold of an alert: a number or a percentage of terminals. */
export const threshold = (terminals: string, without: string) => ({
  count: g.int.orNull(`Number of ${terminals} at which the alert opens: 1 to 1000000. ${without}`),
  percent: g.int.orNull(`Share of ${terminals} at which the alert opens: 1 to 100. ${without}`),
});
export const ONE_OF_BOTH = 'Exactly one of `count` and `percent`.';

export const Weekday = g.enumeration<WeekdayName>('Weekday', 'A day of the week.', {
  monday: 'Monday.',
  tuesday: 'Tuesday.',
  wednesday: 'Wednesday.',
  thursday: 'Thursday.',
  friday: 'Friday.',
  saturday: 'Saturday.',
  sunday: 'Sunday.',
});
export const days = {
  ...g.choice.list(Weekday, 'Days on which the hours begin; each day if null.'),
  isNullable: true,
};

/** The fields of the hours of a rule. */
export const hours = (meaning: string) => ({
  fromHour: g.int.orNull(
    `Hour of the day, 0 to 23, at which the rule begins, together with \`toHour\` and \`timeZone\`: ${meaning} All day if absent.`,
  ),
  toHour: g.int.orNull('Hour of the day, 1 to 24, at which it ends; past midnight if not after `fromHour`.'),
  timeZone: g.text.orNull('IANA time zone of the hours, for example America/Sao_Paulo.'),
});

const EXACTLY_ONE = 'What opens an alert: exactly one of the fields.';
const Condition = g.untypedObjectType('AlertCondition', EXACTLY_ONE, {});
const ConditionInput = g.inputType('AlertConditionInput', EXACTLY_ONE, {});
const forms = new Map<string, AlertForm>();

/** Adds a kind of conditions to the schema, before that is built. Returns the type that clients see. */
export function addAlertForm(kind: string, form: AlertForm) {
  const { description, fields } = form;
  const name = `Alert${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  const Shown = g.untypedObjectType(name, description, fields);
  const Given = g.inputType(`${name}Input`, description, fields);
  g.addField(Condition, kind, g.object.orNull(Shown, description));
  g.addField(ConditionInput, kind, g.object.orNull(Given, description));
  forms.set(kind, form);
  return Shown;
}

const RuleType = auditedType<model.AlertRule, 'kind' | 'condition' | 'webhookId' | 'recipientIds'>(
  'AlertRule',
  'What opens an alert. Rules are evaluated once a minute.',
  {
    name: g.text('Name, unique in the company.'),
    repeatAfter: g.duration.orNull(
      'Time after which an alert is sent again while it is open and not acknowledged. Null: it is sent once.',
    ),
  },
);
const RuleList = g.listTypes(service.alertRules, RuleType);

const AlertFigure = g.objectType<model.Figure, 'from' | 'to'>(
  'AlertFigure',
  'What an alert has found, of one of its examples or of all together.',
  {
    name: g.text.orNull('Name of the example. Null for all together.'),
    value: g.float.orNull(
      'The percent or amount of the condition, for example the share approved. Null for `noPayments`.',
    ),
    payments: g.int.orNull('Number of payments in that period. Null if the kind counts none.'),
  },
);

type Hidden = 'belowSince' | 'sentAt' | 'recipientIds' | 'webhookIds' | 'sequence' | 'figures';
const AlertType = g.nodeType<model.Alert, Hidden | 'ruleId' | 'acknowledgedBy'>(
  'Alert',
  'A time at which a rule was met. A rule has one open alert at most, however many terminals are affected.',
  {
    name: g.text('Name of the rule when it was opened.'),
    kind: g.text('What the rule counts: the name of its condition, for example silent.'),
    affected: g.int('Number that was counted last, for example of silent terminals.'),
    total: g.int.orNull('Number of all that were checked. Null where events are counted.'),
    examples: g.text.list(`Names of up to ${model.MAX_EXAMPLES} that were affected when it was last met.`),
    openedAt: g.instant('When it was opened.'),
    closedAt: g.instant.orNull(
      `When it was closed: after its rule was not met for ${model.CLOSED_AFTER_MS / 60_000} minutes, or with another condition, or with the rule. Null while it is open. It is deleted 90 days later.`,
    ),
    acknowledgedAt: g.instant.orNull('When a person first acknowledged it. Null if none has.'),
  },
);
const AlertList = g.listTypes(service.alerts, AlertType);

/** The rule of an input, unless a list does not take its filter, or it has the id of no record: other problems come first. */
async function fitting(
  work: Parameters<typeof service.createAlertRule>[0],
  change: Promise<model.AlertRule>,
  { on }: g.Input,
): Promise<model.AlertRule> {
  const rule = await change;
  for (const [kind, given] of Object.entries(on ?? {})) {
    const { filtered } = forms.get(kind) ?? {};
    const { filter } = (given ?? {}) as g.Input;
    if (filtered === undefined || filter == null) continue;
    const path = `on.${kind}.filter`;
    await g.requireKnownIds(work, filtered, g.keptConditionOf(filtered, filter, path), path);
  }
  return rule;
}

const repeatAfter = g.duration.orNull(
  'Time after which an alert is sent again while it is open and not acknowledged: 5m to 30d. Null or absent: it is sent once.',
);
const changes = g.mutations(RuleList, {
  get: service.getAlertRule,
  references: { webhookId: 'Webhook', recipientIds: 'User' },
  within: (field) => ['input', ...field.split('.')],
  create: {
    model: model.AlertRuleCreate,
    description: `Creates an alert rule. A company has at most ${model.MAX_ALERT_RULES}.`,
    fields: { repeatAfter, on: g.object(ConditionInput, EXACTLY_ONE) },
    run: (work, input) => fitting(work, service.createAlertRule(work, input), input),
  },
  update: {
    model: model.AlertRuleUpdate,
    fields: {
      repeatAfter,
      on: g.object.orNull(ConditionInput, 'Another condition, which closes the open alert of the rule.'),
    },
    run: (work, current, input, ctx) =>
      fitting(work, service.updateAlertRule(work, current, input, partsOf(ctx).mail), input),
  },
  delete: {
    description: 'Deletes an alert rule, and closes its open alert.',
    run: (work, rule, ctx) => service.deleteAlertRule(work, rule, partsOf(ctx).mail),
  },
});

const Problem = g.enumeration('AlertRuleProblem', 'Why a rule does not fully work.', {
  deleted: 'Its filter names a record that was deleted, for example a group: change the condition.',
  no_mail: 'The server sends no e-mail: choose a webhook, or ask its operator to set SMTP_URL.',
  recipient_left: 'Somebody who gets its alerts by e-mail is no longer a member.',
});

interface Deleted {
  readonly deleted: boolean;
  readonly recipient_left: boolean;
}

/** Deleted records that rules name, by the ids of the rules. */
const deletedOf: g.LoadForMany<model.AlertRule, Deleted> = async (work, rules) => {
  const filterOf = ({ condition }: model.AlertRule) => ('filter' in condition ? condition.filter : null);
  const filters = await g.filtersOfDeleted(work, rules.map(filterOf));
  const recipients = await UserList.list.byIds(work, [
    ...new Set(rules.flatMap((rule) => rule.recipientIds)),
  ]);
  return new Map(
    rules.map((rule) => [
      rule.id,
      {
        deleted: filters.has(filterOf(rule)),
        recipient_left: !rule.recipientIds.every((id) => recipients.has(id)),
      },
    ]),
  );
};

export const alertGraphql = g.graphqlModule(
  g.queries(RuleList, { listDescription: 'All alert rules of the company.' }),
  g.queries(AlertList, {
    listDescription: 'All alerts of the company, open and closed ones, newest first by default.',
    order: { field: 'ID', direction: 'desc' },
  }),
  changes,
  g.recordMutations(AlertList, {
    get: service.getAlert,
    changes: {
      alertAcknowledge: {
        description:
          'Acknowledges an alert, which is not sent again then. No change if it is acknowledged already.',
        run: service.acknowledgeAlert,
      },
    },
  }),
  g.changes(AlertList, service.alertNewRows),
  g.fields(RuleType, {
    problems: g.loaded(
      g.choice.list(Problem, 'Why the rule does not fully work. Usually empty.'),
      deletedOf,
      (found, { recipientIds }, ctx) => {
        const problems = {
          deleted: found?.deleted,
          no_mail: recipientIds.length > 0 && !partsOf(ctx).mail.isOn,
          recipient_left: found?.recipient_left,
        };
        return (Object.keys(problems) as (keyof typeof problems)[]).filter((name) => problems[name] === true);
      },
    ),
    on: g.derived(g.object(Condition, 'What opens an alert.'), ({ kind, condition }) => ({
      [kind]: condition,
    })),
    webhookId: g.derived(
      g.id.orNull('Global id of the webhook that gets the alerts, whatever its types of events are.'),
      ({ webhookId }) => (webhookId === null ? null : g.globalId('Webhook', webhookId)),
    ),
    recipientIds: g.derived(
      g.id.list('Global ids of the members who get the alerts by e-mail.'),
      ({ recipientIds }) => recipientIds.map((id) => g.globalId('User', id)),
    ),
  }),
  g.fields(AlertFigure, {
    from: g.computed(
      g.instant.orNull(
        'Beginning of the period; for `noPayments` the last payment. Null where a state is looked at, for example of batteries.',
      ),
      ({ from }) => (from === null ? null : new Date(from)),
    ),
    to: g.computed(g.instant.orNull('End of that period.'), ({ to }) => (to === null ? null : new Date(to))),
  }),
  g.fields(AlertType, {
    figures: g.derived(
      g.object.list(
        AlertFigure,
        'What was found when it was last met: of each of `examples`, or of all together. Empty for kinds that only count.',
      ),
      ({ figures }) => figures,
    ),
    rule: g.one(RuleList, 'ruleId', 'The rule. Null if it was deleted.'),
    acknowledgedBy: g.one(
      UserList,
      'acknowledgedBy',
      'The person who first acknowledged it. Null if none has, or if that is no longer a member.',
    ),
  }),
);
