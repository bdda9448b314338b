import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { fragment, mutate, mutations } from '../../api';
import type { AlertRecordFragment as Alert } from '../../gql/graphql';
import { RowMenu } from '../../record/actions';
import type { RecordActions } from '../../record/bulk';
import { RecordLink } from '../../record/link';
import { RecordPanel } from '../../record/panel';
import { shownFilter, type Filter } from '../../table/filter';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Facts, State, type Fact } from '../../table/shown';
import { useFormat, useLabel } from '../../text';
import { useText } from './words';

const ALERT = fragment(`
  fragment AlertRecord on Alert {
    id name kind affected total examples openedAt closedAt acknowledgedAt
    acknowledgedBy { name }
    rule { id name on { silent { filter silentFor } } }
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
      empty={text.noAlerts}
    />
  );
}

/** A sentence on what is wrong, "Silent terminals: 12 / 40"; without figures once the alert is closed. */
function Sentence({ kind, affected, total, closedAt }: Alert): ReactNode {
  const text = useText();
  const { number } = useFormat();
  const figures = [affected, total ?? []].flat().map(number).join(' / ');
  return `${useLabel(text)(kind)}${closedAt === null ? `: ${figures}` : ''}`;
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

/** The list of what an alert counts, with a condition, then page and field of the records that its examples name. */
const LISTS: Readonly<Record<string, readonly [string, Filter, string, string]>> = {
  silent: ['/devices', { enabled: { eq: true } }, '/devices', 'serialNumber'],
  refused: ['/devices', { refused: { eq: true } }, '/devices', 'serialNumber'],
  deliveriesFailed: ['/notifications', { deliveryState: { eq: 'FAILED' } }, '/logical-numbers', 'number'],
  unknownTerminals: ['/unknown-terminals', {}, '/unknown-terminals', 'serialNumber'],
  rolloutUnmoved: ['/rollouts', { state: { eq: 'RUNNING' } }, '', ''],
  rolloutStopped: ['/rollouts', { state: { eq: 'STOPPED_BY_FAILURES' } }, '', ''],
};
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Fields that both the filter of a rule and the list of devices may have. */
const FIELDS = ['group', 'serialNumber', 'model', 'frameworkVersion', 'version', 'not.version'];

/** Condition for the devices that a rule finds silent; null where the list cannot show its filter. */
function silentOf({ rule }: Alert): Filter | null {
  const { filter = {}, silentFor = '' } = rule?.on.silent ?? {};
  const shown = shownFilter(
    FIELDS.map((id) => ({ id, title: id })),
    Object(filter) as object,
  );
  const begin = Date.now() - Number.parseInt(silentFor, 10) * (UNIT_MS[silentFor.slice(-1)] ?? 0);
  return shown && { ...shown, lastSeenAt: { lt: new Date(begin).toISOString() } };
}

/** Links to records that an alert names, and to the list of all that it counts. */
function Examples(alert: Alert): ReactNode {
  const text = useText();
  const [page, condition, pageOfExamples, field] = LISTS[alert.kind] ?? ['', {}, '', ''];
  const own = alert.rule?.on.silent ? silentOf(alert) : {};
  const links = alert.examples.map((name): readonly [string, string, Filter] =>
    name.startsWith('webhook ') ? [name, '/webhooks', {}] : [name, pageOfExamples, { [field]: { eq: name } }],
  );
  if (own !== null) links.push([text.all, page, { ...condition, ...own }]);
  return (
    <ul className="buttons">
      {links.map(([name, to, filter]) => (
        <li key={name}>{to === '' ? name : <Link {...{ to, search: { filter } }}>{name}</Link>}</li>
      ))}
    </ul>
  );
}
