import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';

import type { OverviewQuery } from '../../gql/graphql';
import type { Filter } from '../../table/filter';
import { tagOf, useLocale, useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Chart } from '../../ui/chart';
import { Section } from '../../ui/facts';
import { words } from './words';

interface PaymentsProps {
  readonly data: OverviewQuery;
  /** First instants of the day and of the month. */
  readonly starts: { readonly day: string; readonly month: string };
}

/** Payments of the day and of the month, and those of the day by hour. */
export function Payments({ data, starts }: PaymentsProps): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  const { hours } = data;
  const { language, timeZone } = useLocale();
  const chart = useMemo(() => {
    const hour = new Intl.DateTimeFormat(tagOf(language), { hour: '2-digit', minute: '2-digit', timeZone });
    return {
      labels: hours.map(({ bucketStart }) =>
        bucketStart === null ? '' : hour.format(new Date(bucketStart)),
      ),
      series: [
        {
          name: text.approved,
          tone: 'good' as const,
          values: hours.map(({ approvedAmount }) => approvedAmount),
        },
        { name: text.denied, tone: 'bad' as const, values: hours.map(({ deniedAmount }) => deniedAmount) },
        {
          name: text.cancelled,
          tone: 'warning' as const,
          values: hours.map(({ cancelledAmount }) => cancelledAmount),
        },
      ],
    };
  }, [hours, language, text, timeZone]);
  return (
    <div className="card">
      <Section title={text.payments}>
        <div className="columns">
          <Totals title={text.today} rows={data.today} from={starts.day} />
          <Totals title={text.month} rows={data.month} from={starts.month} />
        </div>
        {hours.length > 0 && <Chart title={text.byHour} {...chart} format={format.amount} />}
      </Section>
    </div>
  );
}

function Totals(props: {
  readonly title: string;
  readonly rows: OverviewQuery['today'];
  /** First instant of the interval. */
  readonly from: string;
}): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  const { rows } = props;
  const sum = (field: 'approvedAmount' | 'deniedAmount' | 'cancelledAmount'): number =>
    rows.reduce((total, row) => total + row[field], 0);
  const count = (status: string): number =>
    rows.find(({ paymentStatus }) => paymentStatus === status)?.count ?? 0;
  const filter: Filter = { startedAt: { gte: props.from }, transactionType: { eq: 'SWITCH' } };
  return (
    <table className="plain-table">
      <caption>
        <Link to="/transactions" search={{ filter }}>
          {props.title}
        </Link>
      </caption>
      <tbody>
        <tr>
          <th scope="row">{text.approved}</th>
          <td className="end">{format.number(count('APPROVED'))}</td>
          <td className="end">{format.amount(sum('approvedAmount'))}</td>
        </tr>
        <tr>
          <th scope="row">{text.denied}</th>
          <td className="end">{format.number(count('DENIED'))}</td>
          <td className="end">{format.amount(sum('deniedAmount'))}</td>
        </tr>
        <tr>
          <th scope="row">{text.cancelled}</th>
          <td />
          <td className="end">{format.amount(sum('cancelledAmount'))}</td>
        </tr>
      </tbody>
    </table>
  );
}
