import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import type { Filter } from '../table/filter';
import { SmallTable } from '../table/shown';
import { texts, useTexts } from '../text';

const words = texts({
  table: ['Show as a table', 'Mostrar como tabela'],
});

export interface ChartSeries {
  readonly name: string;
  readonly tone: 'good' | 'bad' | 'warning' | 'accent';
  /** One value for each label. */
  readonly values: readonly number[];
  /** Filter of the records behind each value. */
  readonly filters?: readonly Filter[];
}

interface ChartProps {
  readonly title: string;
  /** Name of each bar, such as an hour. */
  readonly labels: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  /** Page of the records behind the values, for example `/notifications`. */
  readonly page?: string;
}

/** Bars whose names have room beside each other. */
const NAMED = 8;

/** Bars on top of each other, with the same figures as a table, which lead to the records behind them. */
export function Chart({ title, labels, series, format, page }: ChartProps): ReactNode {
  const text = useTexts(words);
  const valueAt = ({ values }: ChartSeries, index: number): number => values[index] ?? 0;
  const sums = labels.map((_label, index) => series.reduce((sum, each) => sum + valueAt(each, index), 0));
  const top = roundedUp(Math.max(1, ...sums));
  const lines = [top, top / 2, 0].filter(Number.isInteger);
  const step = Math.ceil(labels.length / NAMED);
  return (
    <figure className="chart">
      <div className="chart-plot" aria-hidden="true">
        <ol className="chart-lines">
          {lines.map((value) => (
            <li key={value}>{format(value)}</li>
          ))}
        </ol>
        <ol className="chart-bars">
          {labels.map((label, index) => (
            <li key={`${index} ${label}`}>
              {series.map((each) => (
                <div
                  key={each.name}
                  className={`chart-${each.tone}`}
                  style={{ height: `${(100 * valueAt(each, index)) / top}%` }}
                />
              ))}
              <small>{index % step === 0 && label}</small>
            </li>
          ))}
        </ol>
      </div>
      <ul className="chart-legend" aria-hidden="true">
        {series.map(({ name, tone }) => (
          <li key={name} className={`chart-${tone}`}>
            {name}
          </li>
        ))}
      </ul>
      <details>
        <summary>{text.table}</summary>
        <SmallTable
          caption={title}
          rows={labels.map((label, index) => ({ label, index }))}
          rowKey={({ label, index }) => `${index} ${label}`}
          columns={[
            { id: 'label', title: '' },
            ...series.map(({ name, values, filters }) => ({
              id: name,
              title: name,
              align: 'end' as const,
              render: ({ index }: { readonly index: number }) => {
                const [value = 0, filter] = [values[index], filters?.[index]];
                if (value === 0 || !page || !filter) return format(value);
                return (
                  <Link to={page} search={{ filter }}>
                    {format(value)}
                  </Link>
                );
              },
            })),
          ]}
        />
      </details>
    </figure>
  );
}

/** The next half of a power of ten: 650 for 612, 15 for 11. */
function roundedUp(value: number): number {
  const unit = Math.max(1, 10 ** Math.floor(Math.log10(value)) / 2);
  return Math.ceil(value / unit) * unit;
}
