import type { ReactNode } from 'react';

import { graphql, mutations, useQuery } from '../../api';
import { useMay, useSession } from '../../app/session';
import type { AlertRuleRecordFragment } from '../../gql/graphql';
import {
  askedOf,
  fieldsOf,
  presentOf,
  useShownValue,
  type FormField,
  type Values,
} from '../../record/form-field';
import { RecordPanel } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Facts } from '../../table/shown';
import { useFormat, useLabel } from '../../text';
import { zonesWith } from '../../text/zone';
import { useText } from './words';

const RULE = graphql(`
  fragment AlertRuleRecord on AlertRule {
    id revision name repeatAfter webhookId recipientIds createdAt
    createdBy { name }
    on {
      silent { filter percent silentFor fromHour toHour timeZone }
      refused { count within }
      deliveriesFailed { count within }
      unknownTerminals { count within }
      rolloutStopped { count within }
    }
  }
`);

type Rule = AlertRuleRecordFragment;

const KINDS = ['silent', 'refused', 'deliveriesFailed', 'unknownTerminals', 'rolloutStopped'] as const;
const kindOf = ({ on }: Rule) => KINDS.find((kind) => on[kind] !== null) ?? 'silent';

/** When the alerts of a rule open: 20% · 1h of silence, or 5 · 1h of what is counted. */
function Condition({ on }: Rule): ReactNode {
  const format = useFormat();
  const counted = on.refused ?? on.deliveriesFailed ?? on.unknownTerminals ?? on.rolloutStopped;
  if (counted) return `${format.number(counted.count)} · ${counted.within}`;
  return on.silent && `${format.share(on.silent.percent / 100)} · ${on.silent.silentFor}`;
}

/** When alerts open, and to whom they are sent. */
export default function AlertRulesPage(): ReactNode {
  const text = useText();
  const label = useLabel(text);
  const zone = useSession().viewer.company?.timeZone ?? 'UTC';
  const fields = fieldsOf(useRuleFields(zone));
  const present = (rule: Rule): object => valuesOf(rule, zone);
  return (
    <ListPage
      id="alert-rules"
      text={text}
      source={listOf(RULE)}
      columns={[
        'name',
        { id: 'kind', width: 200, render: (rule) => label(kindOf(rule)) },
        { id: 'condition', width: 130, render: (rule) => <Condition {...rule} /> },
        'repeatAfter',
        'createdBy',
      ]}
      create={{ title: text.newRule, fields, document: mutations.alertRuleCreate, shape: inputOf }}
      panel={
        <RecordPanel
          fragment={RULE}
          edit={{ fields, document: mutations.alertRuleUpdate, present, shape: inputOf }}
          remove={mutations.alertRuleDelete}
          tabs={(rule) => ({ facts: <RuleFacts fields={fields} rule={present(rule)} /> })}
        />
      }
    />
  );
}

/** The values of the fields of a rule, as its form has them. */
function RuleFacts({
  fields,
  rule,
}: {
  readonly fields: readonly FormField[];
  readonly rule: object;
}): ReactNode {
  const shown = useShownValue();
  const text = useText();
  const values = presentOf(fields, rule);
  const facts = askedOf(fields, values).map((field) => ({
    id: field.name,
    value: shown(field, values) || text.none,
  }));
  return <Facts record={rule} facts={[...facts, 'createdAt', 'createdBy']} />;
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
/** Values of the fields of all kinds before others are entered. */
const FIRST = {
  percent: '20',
  silentFor: '1h',
  filter: '',
  fromHour: '',
  toHour: '22',
  count: '1',
  within: '1h',
};

const hoursFrom = (first: number) =>
  Array.from({ length: 24 }, (_, hour) => ({ value: `${first + hour}`, label: `${first + hour}:00` }));

/** Fields of a rule: each kind has its own. Administrators choose to whom alerts are sent. */
function useRuleFields(zone: string): readonly FormField[] {
  const text = useText();
  const admin = useMay('ADMIN');
  const { savedFilters, webhooks, users } = useQuery(CHOICES, { admin }).data ?? {};
  const filters =
    savedFilters?.map(({ name, filter }) => ({ value: JSON.stringify(filter), label: name })) ?? [];
  const hooks = webhooks?.nodes.map(({ id, url }) => ({ value: id, label: url })) ?? [];
  const people = users?.nodes.map(({ id, name }) => ({ value: id, label: text.mailTo(name) })) ?? [];
  const ofKinds: readonly FormField[] = [
    { name: 'silentFor', pattern: TIME, isShown: isSilent },
    { name: 'percent', pattern: /^(?:[1-9]\d?|100)$/, isShown: isSilent },
    { name: 'filter', options: [{ value: '', label: text.allDevices }, ...filters], isShown: isSilent },
    { name: 'fromHour', options: [{ value: '', label: text.allDay }, ...hoursFrom(0)], isShown: isSilent },
    { name: 'toHour', options: hoursFrom(1), isShown: hasHours },
    { name: 'timeZone', values: zonesWith(zone), isShown: hasHours },
    { name: 'count', pattern: /^[1-9]\d{0,5}$/, isShown: isCounted },
    { name: 'within', pattern: TIME, isShown: isCounted },
  ];
  const targets: readonly FormField[] = [
    { name: 'webhookId', options: [{ value: '', label: text.none }, ...hooks], isOptional: true },
    { name: 'recipientIds', options: people, isMany: true },
  ];
  const first: Values = FIRST;
  return [
    { name: 'name', autoFocus: true },
    { name: 'kind', values: KINDS },
    ...ofKinds.map((field) => ({ initial: first[field.name], ...field })),
    { name: 'repeatAfter', pattern: /^(?:\d{1,4}[smhd])?$/, isOptional: true },
    ...(admin ? targets : []),
  ];
}

/** The values of the fields of a rule. */
function valuesOf(rule: Rule, timeZone: string): object {
  const kind = kindOf(rule);
  const given = Object.entries(rule.on[kind] ?? {}).filter(([, value]) => value !== null);
  const texts = given.map(([name, value]) => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : `${value}`,
  ]);
  return { ...rule, kind, timeZone, ...FIRST, ...Object.fromEntries(texts) };
}

/** The input that has these values. */
function inputOf(values: Values): object {
  const { kind, percent, silentFor, filter, fromHour, toHour, timeZone, count, within, ...input } = values;
  const on = isSilent(values)
    ? {
        percent: Number(percent),
        silentFor,
        filter: filter === '' ? null : (JSON.parse(filter as string) as unknown),
        ...(fromHour !== '' && { fromHour: Number(fromHour), toHour: Number(toHour), timeZone }),
      }
    : { count: Number(count), within };
  return { ...input, on: { [kind as string]: on } };
}
