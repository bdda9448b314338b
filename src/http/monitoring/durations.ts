import type { Metric, MetricValueWithName, Registry } from 'prom-client';

interface Description {
  readonly name: string;
  readonly help: string;
  /** Upper bounds in seconds, ascending. */
  readonly buckets: readonly number[];
}

type Labels<L extends string> = Readonly<Record<L, string>>;

/** Durations with the same labels. */
export class Series {
  /** How many lie in each bucket alone; the last one has no upper bound. */
  readonly counts: number[];
  sum = 0;

  constructor(private readonly bounds: readonly number[]) {
    this.counts = [...bounds, Infinity].map(() => 0);
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (seconds > (this.bounds[bucket] ?? Infinity)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }
}

/**
 * A histogram of Prometheus. That of prom-client makes a text of the labels for each duration, which takes longer than
 * some of the statements that it measures; here the caller keeps the series.
 */
export class Durations<L extends string> {
  readonly #all: { readonly labels: Labels<L>; readonly series: Series }[] = [];

  constructor(
    register: Registry,
    private readonly description: Description,
  ) {
    const { name, help } = description;
    const described = { name, help, type: 'histogram', aggregator: 'sum' };
    const get = () => Promise.resolve({ ...described, values: this.#values() });
    register.registerMetric({ ...described, get } as unknown as Metric);
  }

  /** A new series; to be called once for the same labels. */
  series(labels: Labels<L>): Series {
    const series = new Series(this.description.buckets);
    this.#all.push({ labels, series });
    return series;
  }

  #values(): MetricValueWithName<string>[] {
    return this.#all
      .filter(({ series }) => series.counts.some((count) => count > 0))
      .flatMap(({ labels, series }) => this.#valuesOf(labels, series));
  }

  #valuesOf(labels: Labels<L>, { counts, sum }: Series): MetricValueWithName<string>[] {
    const { name, buckets } = this.description;
    let count = 0;
    const cumulated = counts.map((own, bucket) => {
      count += own;
      return {
        ...{ metricName: `${name}_bucket`, value: count },
        labels: { le: buckets[bucket] ?? '+Inf', ...labels },
      };
    });
    return [
      ...cumulated,
      { metricName: `${name}_sum`, value: sum, labels },
      { metricName: `${name}_count`, value: count, labels },
    ];
  }
}
