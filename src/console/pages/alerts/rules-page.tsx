import type { ReactNode } from 'react';

import { fragment, graphql, mutations, useQuery } from '../../api';
import { useMay, useSession } from '../../app/session';
import type { AlertChoicesQuery, AlertRuleRecordFragment as Rule } from '../../gql/graphql';
import {
  askedOf,
  emptyOf,
  textOfJson,
  fieldsOf,
  isSame,
  presentOf,
  useShownValue,
  type FormField,
  type Values,
} from '../../record/form-field';
import { RecordPanel } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Facts } from '../../table/shown';
import { useLabel } from '../../text';
import { zonesWith } from '../../text/zone';
import { useNoMail } from '../../ui/words';
import { useText } from './words';

const RULE = fragment(`
  fragment AlertRuleRecord on AlertRule {
    id revision name repeatAfter webhookId recipientIds createdAt problems
    createdBy { name }
    on {
      silent { filter percent silentFor fromHour toHour timeZone }
      refused { count within }
      deliveriesFailed { count within }
      unknownTerminals { count within }
      rolloutStopped { count within }
      rolloutUnmoved { count within }
    }
  }
`);

const KINDS = [
  'silent',
  'refused',
  'deliveriesFailed',
  'unknownTerminals',
  'rolloutStopped',
  'rolloutUnmoved',
] as const;
const kindOf = ({ on }: Rule) => KINDS.find((kind) => on[kind] !== null) ?? 'silent';

/** When the alerts of a rule open: 20% · 1h of silence, or 5 · 1h of what is counted. */
function conditionOf(rule: Rule): string {
  const on = rule.on[kindOf(rule)] ?? { count: 0, within: '' };
  return 'count' in on ? `${on.count} · ${on.within}` : `${on.percent}% · ${on.silentFor}`;
}

/** When alerts open, and to whom they are sent. */
export default function AlertRulesPage(): ReactNode {
  const text = useText();
  const label = useLabel(text);
  const choices = useQuery(CHOICES, { admin: useMay('ADMIN') }).data;
  const fields = fieldsOf(useRuleFields(choices));
  const noMail = useNoMail();
  const problemsOf = ({ problems, on }: Rule): string => {
    const filter: unknown = on.silent?.filter ?? null;
    const saved = [null, ...(choices?.savedFilters ?? []).map((each) => each.filter)];
    const isUnsaved = choices && !saved.some((each) => isSame(each, filter));
    return [...problems, ...(isUnsaved ? ['UNSAVED'] : [])].map((each) => label(each)).join(' ');
  };
  const present = (rule: Rule): Rule => valuesOf(fields, rule);
  return (
    <ListPage
      id="alert-rules"
      text={text}
      source={listOf(RULE)}
      columns={[
        'name',
        { id: 'kind', width: 200, render: (rule) => label(kindOf(rule)) },
        { id: 'condition', width: 130, render: conditionOf },
        { id: 'problems', width: 220, render: problemsOf },
        'repeatAfter',
        'createdBy',
      ]}
      create={{ title: text.newRule, fields, document: mutations.alertRuleCreate, shape, help: noMail }}
      panel={
        <RecordPanel
          fragment={RULE}
          edit={{ fields, document: mutations.alertRuleUpdate, present, shape, note: noMail }}
          remove={mutations.alertRuleDelete}
          tabs={(rule) => ({ facts: <RuleFacts fields={fields} rule={present(rule)} /> })}
        >
          {(rule) => problemsOf(rule) !== '' && <p className="note note-warning">{problemsOf(rule)}</p>}
        </RecordPanel>
      }
    />
  );
}

/** The values of the fields of a rule, as its form has them. */
function RuleFacts({ fields, rule }: Readonly<{ fields: readonly FormField[]; rule: Rule }>): ReactNode {
  const shown = useShownValue();
  const { none } = useText();
  const values = presentOf(fields, rule);
  const own = askedOf(fields, values).map((each) => ({ id: each.name, value: shown(each, values) || none }));
  return <Facts record={rule} facts={[...own, 'createdAt', 'createdBy']} />;
}

const CHOICES = graphql(`
  query AlertChoices($admin: Boolean!) {
    savedFilters(kind: DEVICE) { name filter }
    webhooks(first: 100) @include(if: $admin) { nodes { id url } }
    users(first: 100) @include(if: $admin) { nodes { id name } }
  }
`);

const isSilent = ({ kind }: Values): boolean => kind === 'silent';
const isCounted = (values: Values): boolean => !isSilent(values);
const hasHours = (values: Values): boolean => isSilent(values) && values.fromHour !== '';
const TIME = /^\d{1,4}[smhd]$/;

const hoursFrom = (first: number) =>
  Array.from({ length: 24 }, (_, hour) => ({ value: `${first + hour}`, label: `${first + hour}:00` }));

/** Fields of a rule: each kind has its own. Administrators choose to whom alerts are sent. */
function useRuleFields(choices: AlertChoicesQuery | undefined): readonly FormField[] {
  const text = useText();
  const admin = useMay('ADMIN');
  const zones = zonesWith(useSession().viewer.company?.timeZone ?? 'UTC');
  const { savedFilters = [], webhooks, users } = choices ?? {};
  const filters = savedFilters.map(({ name, filter }) => ({ value: textOfJson(filter), label: name }));
  const hooks = webhooks?.nodes.map(({ id, url }) => ({ value: id, label: url })) ?? [];
  const people = users?.nodes.map(({ id, name }) => ({ value: id, label: text.mailTo(name) })) ?? [];
  const first = (label: string) => ({ value: '', label });
  const mayBeEmpty = { isJson: true, isOptional: true, isShown: isSilent };
  const targets: readonly FormField[] = [
    { name: 'webhookId', options: [first(text.none), ...hooks], isOptional: true },
    { name: 'recipientIds', options: people, isMany: true },
  ];
  return [
    { name: 'name', autoFocus: true },
    { name: 'kind', values: KINDS },
    { name: 'silentFor', initial: '1h', pattern: TIME, isShown: isSilent },
    { name: 'percent', initial: 20, isJson: true, pattern: /^(?:[1-9]\d?|100)$/, isShown: isSilent },
    { name: 'filter', options: [first(text.allDevices), ...filters], ...mayBeEmpty },
    { name: 'fromHour', options: [first(text.allDay), ...hoursFrom(0)], ...mayBeEmpty },
    { name: 'toHour', initial: 22, options: hoursFrom(1), isJson: true, isShown: hasHours },
    { name: 'timeZone', values: zones, isShown: hasHours },
    { name: 'count', initial: 1, isJson: true, pattern: /^[1-9]\d{0,5}$/, isShown: isCounted },
    { name: 'within', initial: '1h', pattern: TIME, isShown: isCounted },
    { name: 'repeatAfter', pattern: /^(?:\d{1,4}[smhd])?$/, isOptional: true },
    ...(admin ? targets : []),
  ];
}

/** The values of the fields of a rule; those of other kinds as in a new one. */
function valuesOf(fields: readonly FormField[], rule: Rule): Rule & Values {
  const kind = kindOf(rule);
  const own = Object.entries(rule.on[kind] ?? {}).filter(([, value]) => value !== null);
  return { ...emptyOf(fields), ...rule, kind, ...Object.fromEntries(own) };
}

/** The input that has these values: what only some kinds have is their condition. */
function shape({ name, kind, repeatAfter, webhookId, recipientIds, ...on }: Values): object {
  return { name, repeatAfter, webhookId, recipientIds, on: { [kind as string]: on } };
}
