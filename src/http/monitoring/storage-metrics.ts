import { Gauge, type Registry } from 'prom-client';

/** Sizes by table, and retention statistics by kind of row. Null while not known. */
export interface StorageFigures {
  readonly sizes: {
    readonly tables: Readonly<Record<string, { readonly bytes: number; readonly rows: number }>>;
    readonly freeBytes: number | null;
  } | null;
  readonly rows: {
    /** Time of the oldest row by kind, in milliseconds since 1970; null if there is none. */
    readonly oldest: Readonly<Record<string, number | null>>;
    /** Rows deleted so far by kind. */
    readonly deleted: Readonly<Record<string, number>>;
  } | null;
}

/** Help text for metrics read from the database, for which all its nodes report the same value. */
export const SAME_ON_EACH_NODE = 'Each node gives the same number: take the maximum, not the sum.';

const MS_PER_SECOND = 1_000;
const MEASURED = 'Measured in the background, at most once an hour.';

export function addStorageFigures(figures: () => StorageFigures, register: Registry): void {
  const gauge = gaugesIn(figures, register);
  gauge('database_table_bytes', `Size of a table with its indexes. ${MEASURED}`, ['table'], ({ sizes }) =>
    each(sizes, 'bytes'),
  );
  gauge(
    'database_table_rows',
    `Rows of a table; on PostgreSQL an estimate. ${MEASURED}`,
    ['table'],
    ({ sizes }) => each(sizes, 'rows'),
  );
  gauge(
    'database_free_bytes',
    `Room inside of a SQLite file, for new rows. ${MEASURED}`,
    [],
    ({ sizes }) => ({
      file: sizes?.freeBytes ?? null,
    }),
  );
  const oldest = 'Time of the oldest row of a kind that retention deletes; at most a minute old.';
  gauge('retention_oldest_timestamp_seconds', oldest, ['kind'], ({ rows }) => inSeconds(rows?.oldest ?? {}));
  const deleted = 'Rows that retention has deleted so far; at most a minute old.';
  gauge('retention_deleted_rows', deleted, ['kind'], ({ rows }) => rows?.deleted ?? {});
}

type AddGauge = (
  name: string,
  help: string,
  labelNames: readonly string[],
  valuesOf: (figures: StorageFigures) => Values,
) => void;

function gaugesIn(figures: () => StorageFigures, register: Registry): AddGauge {
  return (name, help, labelNames, valuesOf) => {
    new Gauge({
      ...{ name, help: `${help} ${SAME_ON_EACH_NODE}`, labelNames: [...labelNames], registers: [register] },
      collect() {
        this.reset();
        // A gauge without a label would be 0 where nothing is known.
        if (labelNames.length === 0) this.remove();
        for (const [value, number] of Object.entries(valuesOf(figures()))) {
          const labels = Object.fromEntries(labelNames.map((label) => [label, value]));
          if (number !== null) this.set(labels, number);
        }
      },
    });
  };
}

function inSeconds(times: Values): Values {
  const seconds = Object.entries(times).map(([kind, at]) => [kind, at === null ? null : at / MS_PER_SECOND]);
  return Object.fromEntries(seconds) as Values;
}

type Values = Readonly<Record<string, number | null>>;

function each(sizes: StorageFigures['sizes'], field: 'bytes' | 'rows'): Values {
  return Object.fromEntries(Object.entries(sizes?.tables ?? {}).map(([name, size]) => [name, size[field]]));
}
