import { Counter, Gauge, type Registry } from 'prom-client';

import type { ExaminingReads } from '../../database/database.js';
import { SECOND } from '../../platform/clock.js';

/** Open connections, unread bytes and refusals of the server's clients. */
export interface ClientFigures {
  /** Bytes of responses that clients have not read yet. */
  readonly waitingBytes: number;
  /** Open TCP connections. */
  readonly connections: number;
  /** Number of connections cut because their clients did not read. */
  readonly cut: number;
  /** Number of refusals by the limit that was exceeded. */
  readonly refused: ReadonlyMap<string, number>;
}

/** Numbers of the whole fleet, over all companies. */
export interface FleetFigures {
  /** Records by kind, for example `devices`. */
  readonly records: Readonly<Record<string, number>>;
  readonly queuedDeliveries: number;
}

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

/** State of the MQTT connection, and counts of notifications since the start of the process. */
export interface MqttState {
  readonly isConnected: boolean;
  /** How often a connection to the broker was opened. */
  readonly connections: number;
  readonly published: number;
  readonly acknowledged: number;
  readonly returned: number;
  /** Messages that the broker has yet to acknowledge. */
  readonly inFlight: number;
  /** Number of confirmations by outcome, for example `confirmed` or `unknown`. */
  readonly confirmations: ReadonlyMap<string, number>;
}

/** Values that are read when the metrics are requested. */
export interface MetricSources {
  readonly clients: () => ClientFigures;
  /** Null where they could not be read. */
  readonly fleet: () => Promise<FleetFigures | null>;
  readonly storage: () => StorageFigures;
  /** Null if notifications are not sent over MQTT. */
  readonly mqtt: (() => MqttState) | null;
  readonly examining: () => ExaminingReads;
  /** Bytes of the database file and of its write-ahead log. */
  readonly databaseBytes: () => { readonly file: number; readonly log: number };
  /** Whether the write-ahead log has 256 MiB or more: an operator should look for the reason. */
  readonly isLogLong: () => boolean;
  /** Connections of a pool by state: `used`, `idle`, `waiting`; empty where there is no pool. */
  readonly connections: () => Readonly<Record<string, number>>;
  /** Null where there was no backup. */
  readonly backupAgeSeconds: () => number | null;
  /** How far live subscriptions are behind. */
  readonly ledgerDelaySeconds: () => number;
  /** Number of times that limits could not be shared with other nodes. */
  readonly limitStoreFailures: () => number;
  /** Number of log lines that could not be written. */
  readonly lostLogLines: () => number;
  readonly droppedTraces: () => number;
}

/** A number, or numbers by the value of the metric's label. Null is not shown. */
type Value = number | null | ReadonlyMap<string, number> | Readonly<Record<string, number | null>>;

/** Adds a metric that is read when the metrics are requested; `label` is the name of its label. */
type Add = (name: string, help: string, read: () => Value | Promise<Value>, label?: string) => void;

/** Adds gauges, or counters, to a register. */
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

/** Help text for metrics read from the database, for which all its nodes report the same value. */
export const SAME_ON_EACH_NODE = 'Each node gives the same number: take the maximum, not the sum.';

/** Adds the metrics whose values are read when they are requested. */
export function addSources(sources: MetricSources, register: Registry): void {
  const gauge = metricsOf(register, Gauge);
  const total = metricsOf(register, Counter);
  const shared: Add = (name, help, read, label) => gauge(name, `${help} ${SAME_ON_EACH_NODE}`, read, label);
  addClients(sources.clients, gauge, total);
  addFleet(sources.fleet, shared);
  addStorage(sources.storage, shared);
  addDatabase(sources, gauge, total);
  if (sources.mqtt !== null) addMqtt(sources.mqtt, gauge, total);
  const { limitStoreFailures, lostLogLines, droppedTraces } = sources;
  const unshared = 'Times that limits could not be shared with other nodes.';
  total('rate_limit_store_failures_total', unshared, limitStoreFailures);
  total('log_lines_lost_total', 'Log lines that could not be written.', lostLogLines);
  total('traces_dropped_total', 'Spans that could not be sent to the collector.', droppedTraces);
}

function addClients(clients: MetricSources['clients'], gauge: Add, total: Add): void {
  const waiting = 'Bytes of responses that clients have not taken yet.';
  const cut = 'Connections that were cut because their clients did not read.';
  gauge('http_waiting_bytes', waiting, () => clients().waitingBytes);
  gauge('http_connections_open', 'Open TCP connections.', () => clients().connections);
  total('http_connections_cut_total', cut, () => clients().cut);
  total('http_refused_total', 'Refusals, by the limit that was used up.', () => clients().refused, 'limit');
}

function addFleet(fleet: MetricSources['fleet'], shared: Add): void {
  const records = 'Records of all companies, at most 15 seconds old.';
  const queued = 'Deliveries of notifications that wait, at most 15 seconds old.';
  shared('records', records, async () => (await fleet())?.records ?? {}, 'kind');
  shared('deliveries_queued', queued, async () => (await fleet())?.queuedDeliveries ?? null);
}

function addStorage(storage: MetricSources['storage'], shared: Add): void {
  const measured = 'Measured in the background, at most once an hour.';
  const ofTables = (field: 'bytes' | 'rows') => (): Value =>
    mapValues(storage().sizes?.tables ?? {}, (size) => size[field]);
  const oldest = (): Value =>
    mapValues(storage().rows?.oldest ?? {}, (at) => (at === null ? null : at / SECOND));
  shared('database_table_bytes', `Size of a table with its indexes. ${measured}`, ofTables('bytes'), 'table');
  shared(
    'database_table_rows',
    `Rows of a table; on PostgreSQL an estimate. ${measured}`,
    ofTables('rows'),
    'table',
  );
  shared(
    'database_free_bytes',
    `Room inside of a SQLite file, for new rows. ${measured}`,
    () => storage().sizes?.freeBytes ?? null,
  );
  shared(
    'retention_oldest_timestamp_seconds',
    'Time of the oldest row of a kind that retention deletes; at most a minute old.',
    oldest,
    'kind',
  );
  shared(
    'retention_deleted_rows',
    'Rows that retention has deleted so far; at most a minute old.',
    () => storage().rows?.deleted ?? {},
    'kind',
  );
}

function mapValues<T>(
  record: Readonly<Record<string, T>>,
  valueOf: (value: T) => number | null,
): Readonly<Record<string, number | null>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, valueOf(value)]));
}

function addDatabase(sources: MetricSources, gauge: Add, total: Add): void {
  const { examining, databaseBytes, isLogLong, connections, backupAgeSeconds, ledgerDelaySeconds } = sources;
  const size = 'Size of the database (file) and of its write-ahead log (log).';
  const reads = (): Value => ({ running: examining().running, waiting: examining().waiting });
  gauge('database_size_bytes', size, () => ({ ...databaseBytes() }), 'part');
  gauge('database_log_long', '1 while the write-ahead log has 256 MiB or more.', () => Number(isLogLong()));
  gauge('database_connections', 'Connections to PostgreSQL: used, idle, waiting.', connections, 'state');
  gauge('database_backup_age_seconds', 'Time since the last backup.', backupAgeSeconds);
  gauge('database_examining_reads', 'Large reads: running or waiting.', reads, 'state');
  gauge('database_reader_threads', 'Threads for large reads.', () => examining().threads);
  total(
    'database_deadlines_exceeded_total',
    'Large reads that exceeded their deadline.',
    () => examining().exceeded,
  );
  total(
    'database_reader_threads_lost_total',
    'Threads for large reads that were lost.',
    () => examining().lostThreads,
  );
  gauge(
    'ledger_event_delay_seconds',
    'Age of the oldest change that a live subscription has not been given yet.',
    ledgerDelaySeconds,
  );
}

function addMqtt(state: () => MqttState, gauge: Add, total: Add): void {
  const connected = '1 while there is a connection to the MQTT broker.';
  const inFlight = 'Notifications that the MQTT broker has yet to acknowledge.';
  const opened = 'Connections to the MQTT broker that were opened.';
  const acknowledged = 'Notifications that the MQTT broker acknowledged.';
  gauge('mqtt_connected', connected, () => Number(state().isConnected));
  gauge('mqtt_in_flight', inFlight, () => state().inFlight);
  total('mqtt_connections_total', opened, () => state().connections);
  total('mqtt_published_total', 'Notifications published to the MQTT broker.', () => state().published);
  total('mqtt_acknowledged_total', acknowledged, () => state().acknowledged);
  total(
    'mqtt_returned_total',
    'Notifications that the MQTT broker did not acknowledge, to be published again.',
    () => state().returned,
  );
  total(
    'mqtt_confirmations_total',
    'Confirmations over MQTT, by outcome: confirmed, hello, repeated, unknown, ignored (malformed), dropped (too many waited), failed (could not be stored).',
    () => state().confirmations,
    'outcome',
  );
}
