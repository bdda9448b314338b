import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import type { AlertRecordFragment as Alert } from '../../gql/graphql';
import { shownFilter, type Filter } from '../../table/filter';
import { useFigure } from './figure';
import { useText } from './words';

/** Links of an alert: to the list of all that it counts, and to the record that an example names. */
interface Links {
  readonly page: string;
  readonly condition: Filter;
  readonly pageOfExamples: string;
  readonly field: string;
}

const of = (page: string, condition: Filter, pageOfExamples = page, field = 'serialNumber'): Links => {
  return { page, condition, pageOfExamples, field };
};
const ENABLED = { enabled: { eq: true } };
const LISTS: Readonly<Record<string, Links>> = {
  silent: of('/devices', ENABLED),
  noPayments: of('/devices', ENABLED),
  lowBattery: of('/devices', ENABLED),
  weakSignal: of('/devices', ENABLED),
  refused: of('/devices', { refused: { eq: true } }),
  deliveriesFailed: of('/notifications', { deliveryState: { eq: 'FAILED' } }, '/logical-numbers', 'number'),
  commandsFailed: of('/commands', {}, '/devices'),
  unknownTerminals: of('/unknown-terminals', {}),
  rolloutUnmoved: of('/rollouts', { state: { eq: 'RUNNING' } }, ''),
  rolloutStopped: of('/rollouts', { state: { eq: 'STOPPED_BY_FAILURES' } }, ''),
  lowApproval: of('/transactions', {}),
  largePayments: of('/transactions', {}),
  highSales: of('/transactions', {}),
};

/** Fields that both the filter of a rule and the list of its records may have. */
const FIELDS = [
  ...(['group', 'serialNumber', 'model', 'frameworkVersion', 'version', 'not.version'] as const),
  ...(['groupId', 'logicalNumber', 'brand', 'acquirer', 'appName', 'paymentMethod'] as const),
].map((id) => ({ id, title: id }));

interface Condition {
  readonly filter?: unknown;
  readonly silentSince?: string;
  readonly below?: number;
  readonly above?: number;
}

/** Condition for the records that a rule finds; null where the list cannot show its filter. */
function foundBy({ kind, rule, figures }: Alert): Filter | null {
  const all = (rule?.on ?? {}) as Readonly<Record<string, Condition | null>>;
  const { filter, silentSince, below, above } = all[kind] ?? {};
  const shown = shownFilter(FIELDS, Object(filter ?? {}) as object);
  const { from = null, to = null } = figures[0] ?? {};
  const isOfPayments = LISTS[kind]?.page === '/transactions' && from !== null && to !== null;
  return (
    shown && {
      ...shown,
      ...(silentSince !== undefined && { lastSeenAt: { lt: silentSince } }),
      ...(kind === 'lowBattery' && below !== undefined && { batteryLevel: { lt: below } }),
      ...(kind === 'weakSignal' && below !== undefined && { signal: { lt: below } }),
      ...(isOfPayments && { startedAt: { gte: from, lt: to } }),
      ...(kind === 'largePayments' && above !== undefined && { amount: { gte: above } }),
    }
  );
}

/** Links to records that an alert names, each with what was found, and to the list of all that it counts. */
export function Examples(alert: Alert): ReactNode {
  const text = useText();
  const say = useFigure(alert.kind);
  const { page, condition, pageOfExamples, field } = LISTS[alert.kind] ?? of('', {});
  const own = foundBy(alert);
  const links = alert.examples.map((name): readonly [string, string, Filter] => {
    if (name.startsWith('webhook ')) return [name, '/webhooks', {}];
    // The payments of a terminal are those of the rule alone; of other kinds, the record is shown whatever it is now.
    const more = page === '/transactions' ? own : {};
    return [name, pageOfExamples, { ...more, [field]: { eq: name } }];
  });
  if (own !== null && page !== '') links.push([text.all, page, { ...condition, ...own }]);
  return (
    <ul className="buttons">
      {links.map(([name, to, filter]) => {
        const figure = alert.figures.find((each) => each.name === name);
        return (
          <li key={name}>
            {to === '' ? name : <Link {...{ to, search: { filter } }}>{name}</Link>}
            {figure && `: ${say(figure)}`}
          </li>
        );
      })}
    </ul>
  );
}
