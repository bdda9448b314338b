import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';

import type { OverviewQuery } from '../../gql/graphql';
import type { Filter } from '../../table/filter';
import { tagOf, useLocale } from '../../text';
import { useFormat } from '../../text/format';
import { Chart } from '../../ui/chart';
import { Section } from '../../ui/facts';
import { useText } from './words';

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
  const text = useText();
  const format = useFormat();
  const { hours } = data;
  const { language, timeZone } = useLocale();
  const chart = useMemo(() => {
    const clock = new Intl.DateTimeFormat(tagOf(language), { hour: '2-digit', minute: '2-digit', timeZone });
    return {
      labels: hours.map(({ bucketStart }) =>
        bucketStart === null ? '' : clock.format(new Date(bucketStart)),
      ),
      series: KINDS.map((kind) => ({
        name: text[kind],
        tone: TONES[kind],
        values: hours.map((hour) => hour[`${kind}Amount`]),
      })),
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
  const text = useText();
  const format = useFormat();
  const { rows } = props;
  const sum = (kind: Kind): number => rows.reduce((total, row) => total + row[`${kind}Amount`], 0);
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
        {KINDS.map((kind) => (
          <tr key={kind}>
            <th scope="row">{text[kind]}</th>
            <td className="end">{kind !== 'cancelled' && format.number(count(kind.toUpperCase()))}</td>
            <td className="end">{format.amount(sum(kind))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
