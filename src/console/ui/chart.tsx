import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type uPlot from 'uplot';

import { usePreferences } from '../app/preferences';
import type { Filter } from '../table/filter';
import { SmallTable } from '../table/shown';
import { texts, useTexts } from '../text';
import 'uplot/dist/uPlot.min.css';

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

const HEIGHT_PX = 200;

/** Bars on top of each other, with the same figures as a table. Without its chart, the table is what is shown. */
export function Chart({ title, labels, series, format, page }: ChartProps): ReactNode {
  const text = useTexts(words);
  const holder = useRef<HTMLDivElement>(null);
  const [isBroken, setBroken] = useState(false);
  const { theme } = usePreferences();
  useEffect(() => {
    const element = holder.current;
    if (!element) return undefined;
    let chart: uPlot | undefined;
    let isOver = false;
    const draw = async (): Promise<void> => {
      const { default: Plot } = await import('uplot');
      if (isOver) return;
      chart = new Plot(optionsOf(Plot, element, labels, series, format), stacked(labels, series), element);
    };
    draw().catch(() => setBroken(true));
    const observer = new ResizeObserver(() =>
      chart?.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    );
    observer.observe(element);
    return () => {
      isOver = true;
      observer.disconnect();
      chart?.destroy();
    };
  }, [labels, series, format, theme]);
  return (
    <figure className="chart">
      {!isBroken && <div ref={holder} className="chart-plot" aria-hidden="true" />}
      <ul className="chart-legend" aria-hidden="true">
        {series.map(({ name, tone }) => (
          <li key={name} className={`chart-${tone}`}>
            {name}
          </li>
        ))}
      </ul>
      <details open={isBroken}>
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
              render: ({ index }: { readonly index: number }) => (
                <Figure value={values[index] ?? 0} filter={filters?.[index]} page={page} format={format} />
              ),
            })),
          ]}
        />
      </details>
    </figure>
  );
}

/** A value, which leads to the records behind it if there are any. */
function Figure({
  value,
  filter,
  page,
  format,
}: {
  readonly value: number;
  readonly filter: Filter | undefined;
  readonly page: string | undefined;
  readonly format: ChartProps['format'];
}): ReactNode {
  if (value === 0 || page === undefined || filter === undefined) return format(value);
  return (
    <Link to={page} search={{ filter }}>
      {format(value)}
    </Link>
  );
}

/** Each series holds the sum of itself and those before it; the last one is drawn first, behind the others. */
function stacked(labels: readonly string[], series: readonly ChartSeries[]): uPlot.AlignedData {
  const sums: number[][] = [];
  for (const { values } of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, index) => value + (below?.[index] ?? 0)));
  }
  return [labels.map((_label, index) => index), ...sums.reverse()];
}

function optionsOf(
  Plot: typeof uPlot,
  element: HTMLElement,
  labels: readonly string[],
  series: readonly ChartSeries[],
  format: (value: number) => string,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`);
  const bars = Plot.paths.bars?.({ size: [0.7, 40] });
  const axis = {
    stroke: colour('faint'),
    grid: { stroke: colour('line'), width: 0.5 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [-0.5, labels.length - 0.5] },
      y: { range: (_chart, _low, high) => [0, high || 1] },
    },
    axes: [
      {
        ...axis,
        values: (_chart, indexes) => indexes.map((index) => labels[index] ?? ''),
        grid: { show: false },
      },
      { ...axis, size: 70, values: (_chart, values) => values.map(format) },
    ],
    series: [
      {},
      ...[...series].reverse().map(({ tone }) => ({
        stroke: colour(tone),
        fill: colour(tone),
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      })),
    ],
  };
}
