import type { Counter, Gauge, Registry } from 'prom-client';

/** A number, or numbers by the value of the metric's label. Null is not shown. */
export type Value = number | null | ReadonlyMap<string, number> | Readonly<Record<string, number | null>>;

/** Adds a metric that is read when the metrics are requested; `label` is the name of its label. */
export type Add = (name: string, help: string, read: () => Value | Promise<Value>, label?: string) => void;

export function metricsOf(register: Registry, Metric: typeof Gauge | typeof Counter): Add {
  return (name, help, read, label) => {
    new Metric({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [register],
      async collect() {
        const value = await read();
        this.reset();
        // Without a label, `reset` sets 0.
        if (label === undefined && value === null) this.remove();
        for (const [labels, number] of seriesOf(value, label)) if (number !== null) this.inc(labels, number);
      },
    });
  };
}

function seriesOf(value: Value, label = ''): readonly (readonly [Record<string, string>, number | null])[] {
  if (value === null || typeof value === 'number') return [[{}, value]];
  const numbers = value instanceof Map ? (Object.fromEntries(value) as Record<string, number>) : value;
  return Object.entries(numbers).map(([name, number]) => [{ [label]: name }, number]);
}
