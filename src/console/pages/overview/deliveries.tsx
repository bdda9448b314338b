import { useMemo, type ReactNode } from 'react';

import type { OverviewQuery } from '../../gql/graphql';
import type { Filter } from '../../table/filter';
import { tagOf, useLocale } from '../../text';
import { useFormat } from '../../text/format';
import { Chart } from '../../ui/chart';
import { Section } from '../../ui/facts';
import { useText } from './words';

/** Series of the charts: deliveries in one of these states. */
const SERIES = [
  { name: 'delivered', tone: 'good', states: ['delivered'] },
  { name: 'waiting', tone: 'accent', states: ['queued', 'sent'] },
  { name: 'failed', tone: 'bad', states: ['failed', 'expired'] },
  { name: 'cancelled', tone: 'warning', states: ['cancelled'] },
] as const;

const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
const DATE = { day: '2-digit', month: '2-digit' } as const;

type Rows = OverviewQuery['deliveryHours'];

/** Deliveries of the last day by hour and of the last week by day; nothing if there are none. */
export function Deliveries({ hours, days }: { readonly hours: Rows; readonly days: Rows }): ReactNode {
  const text = useText();
  if (days.length === 0) return null;
  return (
    <div className="card">
      <Section title={text.deliveries}>
        <div className="columns">
          {hours.length > 0 && <Over title={text.deliveriesByHour} rows={hours} time={CLOCK} />}
          <Over title={text.deliveriesByDay} rows={days} time={DATE} />
        </div>
      </Section>
    </div>
  );
}

function Over(props: {
  readonly title: string;
  readonly rows: Rows;
  /** How the beginning of a bucket is shown. */
  readonly time: Intl.DateTimeFormatOptions;
}): ReactNode {
  const { title, rows, time } = props;
  const text = useText();
  const format = useFormat();
  const { language, timeZone } = useLocale();
  const chart = useMemo(() => {
    const clock = new Intl.DateTimeFormat(tagOf(language), { ...time, timeZone });
    return {
      labels: rows.map(({ bucketStart }) => clock.format(new Date(bucketStart ?? 0))),
      series: SERIES.map(({ name, tone, states }) => ({
        name: text[name],
        tone,
        values: rows.map((row) => states.reduce((sum, state) => sum + row[state], 0)),
        filters: rows.map(({ bucketStart, bucketEnd }): Filter => ({
          createdAt: { gte: bucketStart ?? '', lt: bucketEnd ?? '' },
          deliveryState: { in: states.map((state) => state.toUpperCase()) },
        })),
      })),
    };
  }, [language, rows, text, time, timeZone]);
  return <Chart title={title} {...chart} page="/notifications" format={format.number} />;
}
