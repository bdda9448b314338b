import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState, type ReactNode } from 'react';

import { graphql, useQuery, useSubscription } from '../../api';
import type { DevicePresence, NotificationDeliveryState, OverviewQuery } from '../../gql/graphql';
import type { Filter } from '../../table/filter';
import { State } from '../../table/shown';
import { useLocale, useFormat } from '../../text';
import { startsOf } from '../../text/zone';
import { Bars, Section, type Bar } from '../../ui/facts';
import { Card, Page, ZoneNote } from '../../ui/page';
import { Loading, PageFailure } from '../../ui/states';
import { Progress } from '../rollouts/waves';
import { Deliveries, Payments } from './charts';
import { DeniedMost } from './denied';
import { FirstSteps } from './first-steps';
import { useText } from './words';

const OVERVIEW = graphql(`
  query Overview(
    $day: DateTime!, $tomorrow: DateTime!, $weekBefore: DateTime!, $weekBeforeEnd: DateTime!, $month: DateTime!, $hours: DateTime!, $nextHour: DateTime!, $week: DateTime!, $timeZone: String!
    $weekBeforeNow: DateTime!, $refused: DeviceFilter!, $undelivered: NotificationFilter!
  ) {
    deviceSummary {
      total countedAt
      byPresence { presence count }
      byFrameworkVersion { value count }
      byGroup { count group { id name } }
    }
    refused: devices(first: 0, filter: $refused) { totalCount }
    withoutNumber: devices(first: 0, filter: { hasLogicalNumber: { eq: false } }) { totalCount }
    unknownTerminals(first: 0) { totalCount }
    alerts(first: 0, filter: { open: { eq: true } }) { totalCount }
    undelivered: notifications(first: 0, filter: $undelivered) { totalCount }
    hours: transactionSummary(
      bucket: HOUR, emptyBuckets: true, timeZone: $timeZone
      filter: { startedAt: { gte: $day, lt: $tomorrow }, transactionType: { eq: SWITCH } }
    ) { ...PaymentsOfBucket }
    hoursBefore: transactionSummary(
      bucket: HOUR, timeZone: $timeZone
      filter: { startedAt: { gte: $weekBefore, lt: $weekBeforeEnd }, transactionType: { eq: SWITCH } }
    ) { bucketStart approvedAmount }
    today: transactionSummary(
      by: [PAYMENT_STATUS], filter: { startedAt: { gte: $day }, transactionType: { eq: SWITCH } }
    ) { ...PaymentsOfBucket }
    todayBefore: transactionSummary(
      by: [PAYMENT_STATUS]
      filter: { startedAt: { gte: $weekBefore, lt: $weekBeforeNow }, transactionType: { eq: SWITCH } }
    ) { ...PaymentsOfBucket }
    month: transactionSummary(
      by: [PAYMENT_STATUS], filter: { startedAt: { gte: $month }, transactionType: { eq: SWITCH } }
    ) { ...PaymentsOfBucket }
    rollouts(first: 5, filter: { state: { in: [RUNNING, PAUSED, STOPPED_BY_FAILURES] } }) {
      nodes { id name state waves { state waiting excluded granted downloaded installed proven failed } }
    }
    deliveryHours: notificationSummary(
      bucket: HOUR, emptyBuckets: true, timeZone: $timeZone, filter: { createdAt: { gte: $hours, lt: $nextHour } }
    ) { ...DeliveriesOfBucket }
    deliveryDays: notificationSummary(
      bucket: DAY, emptyBuckets: true, timeZone: $timeZone, filter: { createdAt: { gte: $week, lt: $tomorrow } }
    ) { ...DeliveriesOfBucket }
  }

  fragment PaymentsOfBucket on TransactionSummaryRow {
    bucketStart paymentStatus count approvedCount deniedCount approvedAmount deniedAmount cancelledAmount
  }

  fragment DeliveriesOfBucket on NotificationSummaryRow {
    bucketStart bucketEnd queued sent delivered failed expired cancelled
  }
`);

const RECORDED = graphql(`subscription OverviewTransactions { transactionRecorded { sequence } }`);

const FOLLOWS = [
  'ALERT',
  'DEVICE',
  'PRESENCE',
  'LOGICAL_NUMBER',
  'NOTIFICATION',
  'ROLLOUT',
  'TRANSACTION',
] as const;

/** Devices that were refused and do not work since. */
const NOT_WORKING: DevicePresence[] = ['STALE', 'OFFLINE', 'NEVER_SEEN'];
const REFUSED = { refused: { eq: true }, presence: { in: NOT_WORKING } };
const ENDED_WITHOUT: NotificationDeliveryState[] = ['FAILED', 'EXPIRED'];
const UNDELIVERED = { deliveryState: { in: ENDED_WITHOUT } };
/** Rows of a list of the fleet; the others are behind the link of the page. */
const SHOWN = 8;
const NONE = { isNull: true };

/** The fleet, the payments of the day and what needs attention, each with a link to the records behind it. */
export default function OverviewPage(): ReactNode {
  const text = useText();
  const { timeZone } = useLocale();
  const hour = useHour();
  const variables = useMemo(
    () => ({ ...startsOf(timeZone, hour), timeZone, refused: REFUSED, undelivered: UNDELIVERED }),
    [timeZone, hour],
  );
  const { data, error, reload } = useQuery(OVERVIEW, variables, FOLLOWS);
  useSubscription(RECORDED, {}, 'TRANSACTION');
  return (
    <Page name="overview" text={text} note={<ZoneNote />}>
      {error && <PageFailure error={error} onRetry={reload} />}
      {!data && !error && <Loading />}
      {data && (
        <>
          <FirstSteps devices={data.deviceSummary.total} />
          <Attention data={data} />
          <Payments data={data} starts={variables} />
          <DeniedMost from={variables.day} />
          <Rollouts rows={data.rollouts.nodes} />
          <Fleet summary={data.deviceSummary} />
          <Deliveries hours={data.deliveryHours} days={data.deliveryDays} />
        </>
      )}
    </Page>
  );
}

const HOUR_MS = 3_600_000;

/** A time in the present hour, another one as soon as the hour has passed: pages on a wall stay open for days. */
function useHour(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setTimeout(() => setNow(Date.now()), HOUR_MS - (Date.now() % HOUR_MS));
    return () => clearTimeout(timer);
  }, [now]);
  return now;
}

/** Each problem with the number of records that have it, and a link to them. */
function Attention({ data }: { readonly data: OverviewQuery }): ReactNode {
  const text = useText();
  const format = useFormat();
  const having = (name: string): number =>
    data.deviceSummary.byPresence.find(({ presence }) => presence === name)?.count ?? 0;
  const all: readonly (readonly [name: string, count: number, to: string, filter?: Filter])[] = [
    [text.alerts, data.alerts.totalCount, '/alerts'],
    [text.offline, having('OFFLINE'), '/devices', { presence: { eq: 'OFFLINE' } }],
    [text.silent, having('STALE'), '/devices', { presence: { eq: 'STALE' } }],
    [text.refused, data.refused.totalCount, '/devices', REFUSED],
    [text.withoutNumber, data.withoutNumber.totalCount, '/devices', { hasLogicalNumber: { eq: false } }],
    [text.unknown, data.unknownTerminals.totalCount, '/unknown-terminals'],
    [text.failedDeliveries, data.undelivered.totalCount, '/notifications', UNDELIVERED],
  ];
  const problems = all.filter(([, count]) => count > 0);
  return (
    <Section title={text.attention}>
      <p className="faint">{text.countedAt(format.time(data.deviceSummary.countedAt))}</p>
      {problems.length === 0 && <p>{text.nothing}</p>}
      <ul className="tiles">
        {problems.map(([name, count, to, filter]) => (
          <li key={name}>
            <Link className="tile tile-warning" to={to} search={filter ? { filter } : {}}>
              <strong>{format.number(count)}</strong>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Rollouts that have begun and not ended; nothing if there are none. */
function Rollouts({ rows }: { readonly rows: OverviewQuery['rollouts']['nodes'] }): ReactNode {
  const text = useText();
  if (rows.length === 0) return null;
  return (
    <Card title={text.rollouts}>
      <table className="plain-table">
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">
                <Link to="/rollouts" search={{ open: row.id }}>
                  {row.name}
                </Link>
              </th>
              <td>
                <State of={row.state} />
              </td>
              <td>
                <Progress {...row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

/** The fleet by presence, framework version and group; each row leads to its devices. */
function Fleet({ summary }: { readonly summary: OverviewQuery['deviceSummary'] }): ReactNode {
  const text = useText();
  const { total, byPresence, byFrameworkVersion, byGroup } = summary;
  const row = (count: number, name: ReactNode, filter: Filter): Bar => ({
    key: JSON.stringify(filter),
    count,
    name: (
      <Link to="/devices" search={{ filter }}>
        {name}
      </Link>
    ),
  });
  const lists = {
    byPresence: byPresence.map(({ presence, count }) =>
      row(count, <State of={presence} />, { presence: { eq: presence } }),
    ),
    byVersion: byFrameworkVersion.map(({ value, count }) =>
      row(count, value ?? text.none, { frameworkVersion: value === null ? NONE : { eq: value } }),
    ),
    byGroup: byGroup.map(({ group, count }) =>
      row(count, group?.name ?? text.none, { group: group ? { eq: group.id } : NONE }),
    ),
  };
  return (
    <div className="cards">
      {(['byPresence', 'byVersion', 'byGroup'] as const).map((name) => (
        <Card key={name} title={text[name]}>
          <Bars rows={lists[name].slice(0, SHOWN)} max={total} />
        </Card>
      ))}
    </div>
  );
}
