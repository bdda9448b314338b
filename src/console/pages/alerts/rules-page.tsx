import type { ReactNode } from 'react';

import { fragment, graphql, mutations, useQuery } from '../../api';
import { useMay } from '../../app/session';
import type { AlertRuleRecordFragment as Rule } from '../../gql/graphql';
import { askedOf, fieldsOf, isSame, presentOf, useShownValue, type FormField } from '../../record/form-field';
import { RecordPanel } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Facts } from '../../table/shown';
import { useLabel } from '../../text';
import { useNoMail } from '../../ui/words';
import { conditionIn, kindOf, useConditionOf, useRuleFields, useRuleValues } from './rule-form';
import { useText } from './words';

const RULE = fragment(`
  fragment AlertRuleRecord on AlertRule {
    id revision name repeatAfter webhookId recipientIds createdAt problems
    createdBy { name }
    on {
      silent { filter count percent silentFor fromHour toHour timeZone days }
      lowApproval { filter below minPayments within count percent }
      noPayments { filter lasting fromHour toHour timeZone days count percent }
      largePayments { filter above within count percent }
      highSales { filter above within count percent }
      lowBattery { filter below count percent }
      weakSignal { filter below count percent }
      refused { count within }
      deliveriesFailed { count within }
      commandsFailed { count within }
      unknownTerminals { count within }
      rolloutStopped { count within }
      rolloutUnmoved { count within }
    }
  }
`);

/** When alerts open, and to whom they are sent. */
export default function AlertRulesPage(): ReactNode {
  const text = useText();
  const label = useLabel(text);
  const choices = useQuery(CHOICES, { admin: useMay('ADMIN') }).data;
  const fields = fieldsOf(useRuleFields(choices));
  const noMail = useNoMail();
  const conditionOf = useConditionOf();
  const { valuesOf, shape } = useRuleValues();
  const problemsOf = (rule: Rule): string => {
    const { problems } = rule;
    const filter = conditionIn(rule).filter ?? null;
    const known = [choices?.savedFilters ?? [], choices?.ofPayments ?? []].flat();
    const saved = [null, ...known.map((each) => each.filter)];
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
      filters={['name']}
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
    ofPayments: savedFilters(kind: TRANSACTION) { name filter }
    webhooks(first: 100) @include(if: $admin) { nodes { id url } }
    users(first: 100) @include(if: $admin) { nodes { id name } }
  }
`);
