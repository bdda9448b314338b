import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import type { Filter } from '../table/filter';
import { SmallTable } from '../table/shown';
import { texts, useFormat, useTexts } from '../text';

const words = texts({
  table: ['Show as a table', 'Mostrar como tabela'],
});

export interface ChartSeries {
  readonly name: string;
  readonly tone: 'good' | 'bad' | 'warning' | 'accent';
  /** One value for each label; null where there is none yet. */
  readonly values: readonly (number | null)[];
  /** Filter of the records behind each value. */
  readonly filters?: readonly Filter[];
}

/** Values to compare the bars with: a mark across each, of the same unit, or a line of shares from 0 to 1. */
export interface ChartComparison {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  /** Name of each bar, such as an hour. */
  readonly labels: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly marks?: ChartComparison;
  readonly shares?: ChartComparison;
  readonly format: (value: number) => string;
  /** Page of the records behind the values, for example `/notifications`. */
  readonly page?: string;
}

/** Bars whose names have room beside each other; in narrow charts half as many have, or a quarter. */
const NAMED = 8;

/** Share of the names that are shown beside this one, where there is room for few: 1, 2 or 4. */
function rankOf(index: number, step: number): number {
  if (index % (4 * step) === 0) return 4;
  return index % (2 * step) === 0 ? 2 : 1;
}

/** Bars on top of each other, with the same figures as a table, which lead to the records behind them. */
export function Chart(props: ChartProps): ReactNode {
  const { labels, series, marks, shares, format } = props;
  const valueAt = ({ values }: ChartSeries, index: number): number => values[index] ?? 0;
  const sums = labels.map((_label, index) => series.reduce((sum, each) => sum + valueAt(each, index), 0));
  const top = roundedUp(Math.max(1, ...sums, ...(marks?.values ?? []).map((value) => value ?? 0)));
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
              {(marks?.values[index] ?? 0) > 0 && (
                <hr
                  className="chart-mark"
                  style={{ bottom: `${(100 * (marks?.values[index] ?? 0)) / top}%` }}
                />
              )}
              <small data-rank={rankOf(index, step)}>{index % step === 0 && label}</small>
            </li>
          ))}
        </ol>
        {shares && <ShareLine values={shares.values} />}
      </div>
      <ul className="chart-legend" aria-hidden="true">
        {series.map(({ name, tone }) => (
          <li key={name} className={`chart-${tone}`}>
            {name}
          </li>
        ))}
        {marks && <li className="chart-mark">{marks.name}</li>}
        {shares && <li className="chart-accent">{shares.name}</li>}
      </ul>
      <Figures {...props} />
    </figure>
  );
}

/** Shares between the bottom and the top of a chart, with gaps where there is none. */
function ShareLine({ values }: Pick<ChartComparison, 'values'>): ReactNode {
  let path = '';
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const command = (values[index - 1] ?? null) === null ? 'M' : 'L';
    // A share without neighbours is a point: a short line with round ends.
    path += `${command}${index + 0.5} ${1 - value}${command === 'M' ? 'h0.01' : ''}`;
  }
  return (
    <svg className="chart-shares" viewBox={`0 0 ${values.length} 1`} preserveAspectRatio="none">
      <path d={path} />
    </svg>
  );
}

const NONE_YET = '–';

/** The figures of a chart as a table. */
function Figures({ title, labels, series, marks, shares, format, page }: ChartProps): ReactNode {
  const text = useTexts(words);
  const { share } = useFormat();
  const compared = [
    { ...marks, show: format },
    { ...shares, show: share },
  ].flatMap(({ name, values, show }) => (name === undefined || !values ? [] : [{ name, values, show }]));
  return (
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
              const [value = null, filter] = [values[index], filters?.[index]];
              if (value === null) return NONE_YET;
              if (value === 0 || !page || !filter) return format(value);
              return (
                <Link to={page} search={{ filter }}>
                  {format(value)}
                </Link>
              );
            },
          })),
          ...compared.map(({ name, values, show }) => ({
            id: name,
            title: name,
            align: 'end' as const,
            render: ({ index }: { readonly index: number }) => {
              const value = values[index] ?? null;
              return value === null ? NONE_YET : show(value);
            },
          })),
        ]}
      />
    </details>
  );
}

/** The next half of a power of ten: 650 for 612, 15 for 11. */
function roundedUp(value: number): number {
  const unit = Math.max(1, 10 ** Math.floor(Math.log10(value)) / 2);
  return Math.ceil(value / unit) * unit;
}
