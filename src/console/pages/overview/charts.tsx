import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import type { OverviewQuery } from '../../gql/graphql';
import type { Filter } from '../../table/filter';
import { tagOf, useLocale, useFormat } from '../../text';
import { Chart, type ChartSeries } from '../../ui/chart';
import { Card } from '../../ui/page';
import { useText } from './words';

const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
const DATE = { day: '2-digit', month: '2-digit' } as const;

/** Names of buckets by their beginnings: 14:00, or 11/26. */
function useLabels(
  rows: readonly { readonly bucketStart: string | null }[],
  time: Intl.DateTimeFormatOptions,
): readonly string[] {
  const { language, timeZone } = useLocale();
  const clock = new Intl.DateTimeFormat(tagOf(language), { ...time, timeZone });
  return rows.map(({ bucketStart }) => clock.format(new Date(bucketStart ?? 0)));
}

const TONES = { approved: 'good', denied: 'bad', cancelled: 'warning' } as const;
const KINDS = ['approved', 'denied', 'cancelled'] as const;
type Kind = (typeof KINDS)[number];

interface PaymentsProps {
  readonly data: OverviewQuery;
  /** First instants of the day and of the month. */
  readonly starts: { readonly day: string; readonly month: string };
}

/** Payments of the day and of the month, and those of the day by hour. */
export function Payments({ data, starts }: PaymentsProps): ReactNode {
  const { hours, hoursBefore, today, todayBefore, month } = data;
  const text = useText();
  const format = useFormat();
  const labels = useLabels(hours, CLOCK);
  const labelsBefore = useLabels(hoursBefore, CLOCK);
  const before = new Map(
    labelsBefore.map((label, index) => [label, hoursBefore[index]?.approvedAmount ?? 0]),
  );
  const hasBegun = ({ bucketStart }: (typeof hours)[number]): boolean =>
    new Date(bucketStart ?? 0).getTime() <= Date.now();
  const series = KINDS.map((kind) => ({
    name: text[kind],
    tone: TONES[kind],
    values: hours.map((hour) => (hasBegun(hour) ? hour[`${kind}Amount`] : null)),
  }));
  const shares = hours.map(({ approvedCount, deniedCount }) =>
    approvedCount + deniedCount === 0 ? null : approvedCount / (approvedCount + deniedCount),
  );
  return (
    <Card title={text.payments}>
      <div className="columns">
        <Totals title={text.today} rows={today} before={todayBefore} from={starts.day} />
        <Totals title={text.month} rows={month} from={starts.month} />
      </div>
      {hours.length > 0 && (
        <Chart
          title={text.byHour}
          labels={labels}
          series={series}
          marks={{ name: text.weekBefore, values: labels.map((label) => before.get(label) ?? 0) }}
          shares={{ name: text.shareApproved, values: shares }}
          format={format.amount}
        />
      )}
    </Card>
  );
}

function Totals(props: {
  readonly title: string;
  readonly rows: OverviewQuery['today'];
  /** A week before, until the same time of day. */
  readonly before?: OverviewQuery['today'];
  /** First instant of the interval. */
  readonly from: string;
}): ReactNode {
  const text = useText();
  const format = useFormat();
  const { rows, before } = props;
  const sum = (kind: Kind, of = rows): number => of.reduce((total, row) => total + row[`${kind}Amount`], 0);
  const count = (status: string): number =>
    rows.find(({ paymentStatus }) => paymentStatus === status)?.count ?? 0;
  const filter: Filter = { startedAt: { gte: props.from }, transactionType: { eq: 'SWITCH' } };
  return (
    <table className="plain-table totals">
      <caption>
        <Link to="/transactions" search={{ filter }}>
          {props.title}
        </Link>
      </caption>
      {before && (
        <thead>
          <tr>
            <td colSpan={3} />
            <th scope="col" className="end before">
              {text.weekAgo}
            </th>
          </tr>
        </thead>
      )}
      <tbody>
        {KINDS.map((kind) => (
          <tr key={kind}>
            <th scope="row">{text[kind]}</th>
            <td className="end">{kind !== 'cancelled' && format.number(count(kind.toUpperCase()))}</td>
            <td className="end">{format.amount(sum(kind))}</td>
            {before && <td className="end faint before">{format.amount(sum(kind, before))}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Series of the deliveries: those in one of these states. */
const SERIES = [
  { name: 'delivered', tone: 'good', states: ['delivered'] },
  { name: 'waiting', tone: 'accent', states: ['queued', 'sent'] },
  { name: 'failed', tone: 'bad', states: ['failed', 'expired'] },
  { name: 'cancelled', tone: 'warning', states: ['cancelled'] },
] as const;

type Rows = OverviewQuery['deliveryHours'];

/** True if there was a delivery: an interval without one has rows of zeros. */
const hasSome = (rows: Rows): boolean =>
  rows.some((row) => SERIES.some(({ states }) => states.some((state) => row[state] > 0)));

/** Deliveries of the last day by hour and of the last week by day; nothing if there are none. */
export function Deliveries({ hours, days }: { readonly hours: Rows; readonly days: Rows }): ReactNode {
  const text = useText();
  if (!hasSome(days)) return null;
  return (
    <Card title={text.deliveries}>
      <div className="columns">
        {hasSome(hours) && <Over title={text.deliveriesByHour} rows={hours} time={CLOCK} />}
        <Over title={text.deliveriesByDay} rows={days} time={DATE} />
      </div>
    </Card>
  );
}

interface OverProps {
  readonly title: string;
  readonly rows: Rows;
  /** How the beginning of a bucket is shown. */
  readonly time: Intl.DateTimeFormatOptions;
}

function Over({ title, rows, time }: OverProps): ReactNode {
  const text = useText();
  const format = useFormat();
  const labels = useLabels(rows, time);
  const series = SERIES.map(({ name, tone, states }): ChartSeries => ({
    name: text[name],
    tone,
    values: rows.map((row) => states.reduce((sum, state) => sum + row[state], 0)),
    filters: rows.map(({ bucketStart, bucketEnd }): Filter => ({
      createdAt: { gte: bucketStart ?? '', lt: bucketEnd ?? '' },
      deliveryState: { in: states.map((state) => state.toUpperCase()) },
    })),
  }));
  return <Chart title={title} labels={labels} series={series} page="/notifications" format={format.number} />;
}
