import type { ReactNode } from 'react';

import { fragment, mutate, mutations } from '../../api';
import type { AlertRecordFragment as Alert } from '../../gql/graphql';
import { RowMenu } from '../../record/actions';
import type { RecordActions } from '../../record/bulk';
import { RecordLink } from '../../record/link';
import { RecordPanel } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Facts, State, type Fact } from '../../table/shown';
import { useFormat, useLabel } from '../../text';
import { Examples } from './examples';
import { useFigure } from './figure';
import { useText } from './words';

const ALERT = fragment(`
  fragment AlertRecord on Alert {
    id name kind affected total examples openedAt closedAt acknowledgedAt
    figures { name value payments from to }
    acknowledgedBy { name }
    rule {
      id
      name
      on {
        silent { filter silentSince }
        lowBattery { filter below }
        weakSignal { filter below }
        noPayments { filter }
        lowApproval { filter }
        largePayments { filter above }
        highSales { filter }
      }
    }
  }
`);

const stateOf = ({ closedAt, acknowledgedAt }: Alert) =>
  closedAt !== null ? 'CLOSED' : acknowledgedAt === null ? 'OPEN' : 'ACKNOWLEDGED';

const ACTIONS: RecordActions<Alert> = [
  {
    id: 'acknowledge',
    icon: 'check',
    isFor: (alert) => stateOf(alert) === 'OPEN',
    change: ({ id }) => mutate(mutations.alertAcknowledge, { id }),
  },
];

/** Alerts that are open, until people ask for all. */
export default function AlertsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="alerts"
      text={text}
      source={listOf(ALERT)}
      initialSort="-ID"
      initialFilter={{ open: { eq: true } }}
      columns={[
        { id: 'affected', width: 240, render: (alert) => <Sentence {...alert} /> },
        { id: 'state', width: 130, render: (alert) => <State of={stateOf(alert)} /> },
        'openedAt',
        'acknowledgedBy',
        { id: 'name', title: text.rule, width: 150 },
      ]}
      filters={[
        { id: 'open', kind: 'flag' },
        { id: 'acknowledged', kind: 'flag' },
      ]}
      rowActions={ACTIONS}
      panel={
        <RecordPanel
          fragment={ALERT}
          actions={(alert) => <RowMenu actions={ACTIONS} row={alert} />}
          tabs={(alert) => ({ facts: <Facts record={alert} facts={factsOf(alert)} /> })}
        />
      }
    />
  );
}

/** Says what is wrong: "Silent terminals: 12 / 40", or the figures of all payments together. Closed alerts have no count. */
function Sentence({ kind, affected, total, closedAt, figures }: Alert): ReactNode {
  const text = useText();
  const { number } = useFormat();
  const say = useFigure(kind);
  const found = figures.find(({ name }) => name === null);
  const title = useLabel(text)(kind);
  if (found) return say(found);
  const counts = [affected, total ?? []].flat().map(number).join(' / ');
  return closedAt === null ? `${title}: ${counts}` : title;
}

const factsOf = (alert: Alert): readonly Fact<keyof Alert>[] => [
  { id: 'affected', value: <Sentence {...alert} /> },
  { id: 'state', value: <State of={stateOf(alert)} /> },
  'openedAt',
  'closedAt',
  'acknowledgedAt',
  'acknowledgedBy',
  { id: 'rule', value: <RecordLink page="/alert-rules" record={alert.rule} /> },
  { id: 'examples', value: <Examples {...alert} /> },
];
