import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';

import { graphql, noteOthersChange, useQuery, useSubscription } from '../../api';
import type { OverviewQuery } from '../../gql/graphql';
import { RecordLink } from '../../record/link';
import type { Filter } from '../../table/filter';
import { useLocale } from '../../text';
import { useFormat } from '../../text/format';
import { startsOf } from '../../text/zone';
import { Ago, Section } from '../../ui/facts';
import { Loading, PageFailure } from '../../ui/states';
import { messageOf } from '../notifications/words';
import { Fleet } from './fleet';
import { Payments } from './payments';
import { useText } from './words';

const OVERVIEW = graphql(`
  query Overview($day: DateTime!, $month: DateTime!, $timeZone: String!) {
    deviceSummary {
      total
      disabled
      byPresence { presence count }
      byFrameworkVersion { value count }
      byGroup {
        count
        group { id name }
      }
    }
    refused: devices(
      first: 0
      filter: { refused: { eq: true }, presence: { in: [STALE, OFFLINE, NEVER_SEEN] } }
    ) {
      totalCount
    }
    withoutNumber: devices(first: 0, filter: { hasLogicalNumber: { eq: false } }) { totalCount }
    unknownTerminals(first: 0) { totalCount }
    notifications(first: 20, orderBy: { field: CREATED_AT, direction: DESC }) {
      nodes {
        id
        content
        createdAt
        summary { delivered failed expired queued sent }
      }
    }
    hours: transactionSummary(
      bucket: HOUR
      timeZone: $timeZone
      filter: { startedAt: { gte: $day }, transactionType: { eq: SWITCH } }
    ) { bucketStart approvedAmount deniedAmount cancelledAmount }
    today: transactionSummary(
      by: [PAYMENT_STATUS]
      filter: { startedAt: { gte: $day }, transactionType: { eq: SWITCH } }
    ) { paymentStatus count approvedAmount deniedAmount cancelledAmount }
    month: transactionSummary(
      by: [PAYMENT_STATUS]
      filter: { startedAt: { gte: $month }, transactionType: { eq: SWITCH } }
    ) { paymentStatus count approvedAmount deniedAmount cancelledAmount }
  }
`);

const RECORDED = graphql(`
  subscription OverviewTransactions {
    transactionRecorded { sequence }
  }
`);

const FOLLOWS = ['DEVICE', 'PRESENCE', 'LOGICAL_NUMBER', 'NOTIFICATION', 'TRANSACTION'] as const;

/** The fleet, the payments of the day and what needs attention, each with a link to the records behind it. */
export default function OverviewPage(): ReactNode {
  const text = useText();
  const { timeZone } = useLocale();
  const variables = useMemo(() => ({ ...startsOf(timeZone), timeZone }), [timeZone]);
  const { data, error, reload } = useQuery(OVERVIEW, variables, FOLLOWS);
  useSubscription(RECORDED, {}, () => noteOthersChange('TRANSACTION'));
  return (
    <div className="page">
      <header className="page-header">
        <h1>{text.overview}</h1>
      </header>
      {error && <PageFailure error={error} onRetry={reload} />}
      {!data && !error && <Loading />}
      {data && (
        <>
          <Attention data={data} />
          <Payments data={data} starts={variables} />
          <Fleet summary={data.deviceSummary} />
          <Deliveries data={data} />
        </>
      )}
    </div>
  );
}

interface Problem {
  readonly name: string;
  readonly count: number;
  readonly to: string;
  readonly filter?: Filter;
}

function Attention({ data }: { readonly data: OverviewQuery }): ReactNode {
  const text = useText();
  const format = useFormat();
  const presence = (name: string): number =>
    data.deviceSummary.byPresence.find((row) => row.presence === name)?.count ?? 0;
  const failed = data.notifications.nodes.filter(({ summary }) => summary.failed + summary.expired > 0);
  const devices = (name: string, count: number, filter: Filter): Problem => ({
    name,
    count,
    to: '/devices',
    filter,
  });
  const all: readonly Problem[] = [
    devices(text.offline, presence('OFFLINE'), { presence: { eq: 'OFFLINE' } }),
    devices(text.silent, presence('STALE'), { presence: { eq: 'STALE' } }),
    devices(text.refused, data.refused.totalCount, {
      refused: { eq: true },
      presence: { in: ['STALE', 'OFFLINE', 'NEVER_SEEN'] },
    }),
    devices(text.withoutNumber, data.withoutNumber.totalCount, { hasLogicalNumber: { eq: false } }),
    { name: text.unknown, count: data.unknownTerminals.totalCount, to: '/unknown-terminals' },
    {
      name: text.failedDeliveries,
      count: failed.length,
      to: '/notifications',
      filter: { id: { in: failed.map(({ id }) => id) } },
    },
  ];
  const problems = all.filter(({ count }) => count > 0);
  return (
    <Section title={text.attention}>
      {problems.length === 0 && <p>{text.nothing}</p>}
      <ul className="tiles">
        {problems.map(({ name, count, to, filter }) => (
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

/** Notifications that are shown; more are looked at for failed deliveries. */
const RECENT = 5;

function Deliveries({ data }: { readonly data: OverviewQuery }): ReactNode {
  const text = useText();
  const format = useFormat();
  return (
    <div className="card">
      <Section title={text.deliveries}>
        {data.notifications.nodes.length === 0 && <p>{text.noNotifications}</p>}
        <ul className="stack">
          {data.notifications.nodes.slice(0, RECENT).map(({ id, content, createdAt, summary }) => (
            <li key={id}>
              <RecordLink page="/notifications" record={{ id, name: messageOf(content) }} />{' '}
              <small>
                <Ago at={createdAt} />
                {` · ${text.delivered}: ${format.number(summary.delivered)}`}
                {` · ${text.waiting}: ${format.number(summary.queued + summary.sent)}`}
              </small>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}
