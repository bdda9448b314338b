import { Counter, Gauge, type Registry } from 'prom-client';
import eventLoopLag from 'prom-client/lib/metrics/eventLoopLag.js';
import heapSizeAndUsed from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import heapSpaces from 'prom-client/lib/metrics/heapSpacesSizeAndUsed.js';
import memory from 'prom-client/lib/metrics/osMemoryHeap.js';
import cpu from 'prom-client/lib/metrics/processCpuTotal.js';
import handles from 'prom-client/lib/metrics/processHandles.js';
import maxFileDescriptors from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import openFileDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import requests from 'prom-client/lib/metrics/processRequests.js';
import resources from 'prom-client/lib/metrics/processResources.js';
import startTime from 'prom-client/lib/metrics/processStartTime.js';
import version from 'prom-client/lib/metrics/version.js';

import { LONG_LOG_BYTES, type Database, type Vitals } from '../../database/database.js';
import { SECOND } from '../../platform/clock.js';
import type { MqttStats } from '../../platform/terminal.js';
import type { ServerLimits } from '../server/connections.js';
import { type Add, metricsOf, type Value } from './metric.js';
import { addVitals } from './vitals.js';

/** Numbers over all companies; `records` by kind, for example `devices`. */
export interface FleetStats {
  readonly records: Readonly<Record<string, number>>;
  readonly queuedDeliveries: number;
}

/** Sizes by table, and retention statistics by kind of row. Null while not known. */
export interface StorageStats {
  readonly sizes: {
    readonly tables: Readonly<Record<string, { readonly bytes: number; readonly rows: number }>>;
    readonly freeBytes: number | null;
  } | null;
  readonly rows: {
    /** Time of the oldest row, in milliseconds since 1970; null if there is none. */
    readonly oldest: Readonly<Record<string, number | null>>;
    readonly deleted: Readonly<Record<string, number>>;
  } | null;
}

/** Values that are read when the metrics are requested; null where they are not known. */
export interface MetricSources {
  readonly clients: ServerLimits['figures'];
  readonly fleet: () => Promise<FleetStats | null>;
  readonly storage: () => StorageStats;
  readonly vitals: () => Promise<Partial<Vitals> | null>;
  /** Null if notifications are not sent over MQTT. */
  readonly mqtt: (() => MqttStats) | null;
  readonly database: Pick<
    Database,
    'bytes' | 'connections' | 'examining' | 'waitingTurns' | 'windowFailures'
  >;
  readonly backupAgeSeconds: () => number | null;
  readonly ledgerDelaySeconds: () => number;
  readonly lostLogLines: () => number;
  readonly droppedTraces: () => number;
}

/** Help text for metrics read from the database, for which all its nodes report the same value. */
export const SAME_ON_EACH_NODE = 'Each node gives the same number: take the maximum, not the sum.';

/** Adds the metrics whose values are read when they are requested. */
export function addSources(sources: MetricSources, register: Registry): void {
  const gauge = metricsOf(register, Gauge);
  const total = metricsOf(register, Counter);
  addClients(sources, gauge, total);
  const shared: Add = (name, help, read, label) => gauge(name, `${help} ${SAME_ON_EACH_NODE}`, read, label);
  addStored(sources, shared);
  addVitals(sources.vitals, gauge, shared);
  addDatabase(sources, gauge, total);
  if (sources.mqtt !== null) addMqtt(sources.mqtt, gauge, total);
}

function addClients({ clients, lostLogLines, droppedTraces }: MetricSources, gauge: Add, total: Add): void {
  const waiting = 'Bytes of responses that clients have not taken yet.';
  const cut = 'Connections that were cut because their clients did not read.';
  gauge('http_waiting_bytes', waiting, () => clients().waitingBytes);
  gauge('http_connections_open', 'Open TCP connections.', () => clients().connections);
  total('http_connections_cut_total', cut, () => clients().cut);
  total('http_refused_total', 'Refusals, by the limit that was used up.', () => clients().refused, 'limit');
  total('log_lines_lost_total', 'Log lines that could not be written.', lostLogLines);
  total('traces_dropped_total', 'Spans that could not be sent to the collector.', droppedTraces);
}

function addStored({ fleet, storage }: MetricSources, shared: Add): void {
  const records = 'Records of all companies, at most 15 seconds old.';
  const queued = 'Deliveries of notifications that wait, at most 15 seconds old.';
  shared('records', records, async () => (await fleet())?.records ?? {}, 'kind');
  shared('deliveries_queued', queued, async () => (await fleet())?.queuedDeliveries ?? null);
  const bytes = 'Size of a table with its indexes. Measured in the background, at most once an hour.';
  const rows =
    'Rows of a table; on PostgreSQL an estimate. Measured in the background, at most once an hour.';
  const free =
    'Room inside of a SQLite file, for new rows. Measured in the background, at most once an hour.';
  const tables = () => storage().sizes?.tables ?? {};
  shared('database_table_bytes', bytes, () => mapValues(tables(), (size) => size.bytes), 'table');
  shared('database_table_rows', rows, () => mapValues(tables(), (size) => size.rows), 'table');
  shared('database_free_bytes', free, () => storage().sizes?.freeBytes ?? null);
  const oldest = 'Time of the oldest row of a kind that retention deletes; at most a minute old.';
  const seconds = () => mapValues(storage().rows?.oldest ?? {}, (at) => (at === null ? null : at / SECOND));
  const deleted = 'Rows that retention has deleted so far; at most a minute old.';
  shared('retention_oldest_timestamp_seconds', oldest, seconds, 'kind');
  shared('retention_deleted_rows', deleted, () => storage().rows?.deleted ?? {}, 'kind');
}

function mapValues<T>(record: Readonly<Record<string, T>>, valueOf: (value: T) => number | null) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, valueOf(value)]));
}

const secondsOf = (ms: number | undefined): number | null => (ms === undefined ? null : ms / SECOND);

function addDatabase(
  { database, backupAgeSeconds, ledgerDelaySeconds }: MetricSources,
  gauge: Add,
  total: Add,
): void {
  const size = 'Size of the database (file) and of its write-ahead log (log).';
  const long = '1 while the write-ahead log has 256 MiB or more.';
  const connections = 'Connections to PostgreSQL: used, idle, waiting.';
  gauge('database_size_bytes', size, () => ({ ...database.bytes() }), 'part');
  gauge('database_log_long', long, () => Number(database.bytes().log >= LONG_LOG_BYTES));
  gauge('database_connections', connections, () => database.connections(), 'state');
  const turns = 'Companies whose changes have waited a second or more for another node.';
  gauge('database_waiting_companies', turns, () => database.waitingTurns()?.companies ?? null);
  const longest = 'Longest present wait for a company that another node changes; 0 below a second.';
  gauge('database_company_wait_seconds', longest, () => secondsOf(database.waitingTurns()?.longestMs));
  gauge('database_backup_age_seconds', 'Time since the last backup.', backupAgeSeconds);
  const reads = (): Value => {
    const { running, waiting } = database.examining();
    return { running, waiting };
  };
  const exceeded = 'Large reads that exceeded their deadline.';
  const lost = 'Threads for large reads that were lost.';
  gauge('database_examining_reads', 'Large reads: running or waiting.', reads, 'state');
  gauge('database_reader_threads', 'Threads for large reads.', () => database.examining().threads);
  total('database_deadlines_exceeded_total', exceeded, () => database.examining().exceeded);
  total('database_reader_threads_lost_total', lost, () => database.examining().lostThreads);
  const delay = 'Age of the oldest change that a live subscription has not been given yet.';
  const unshared = 'Times that limits could not be shared with other nodes.';
  gauge('ledger_event_delay_seconds', delay, ledgerDelaySeconds);
  total('rate_limit_store_failures_total', unshared, () => database.windowFailures());
}

function addMqtt(state: () => MqttStats, gauge: Add, total: Add): void {
  const connected = '1 while there is a connection to the MQTT broker.';
  const inFlight = 'Notifications that the MQTT broker has yet to acknowledge.';
  const opened = 'Connections to the MQTT broker that were opened.';
  const acknowledged = 'Notifications that the MQTT broker acknowledged.';
  const returned = 'Notifications that the MQTT broker did not acknowledge, to be published again.';
  const confirmations =
    'Confirmations over MQTT, by outcome: confirmed, hello, installed (a report of an installation), repeated, unknown, ignored (malformed), dropped (too many waited), failed (could not be stored).';
  gauge('mqtt_connected', connected, () => Number(state().isConnected));
  gauge('mqtt_in_flight', inFlight, () => state().inFlight);
  total('mqtt_connections_total', opened, () => state().connections);
  total('mqtt_published_total', 'Notifications published to the MQTT broker.', () => state().published);
  total('mqtt_acknowledged_total', acknowledged, () => state().acknowledged);
  total('mqtt_returned_total', returned, () => state().returned);
  total('mqtt_confirmations_total', confirmations, () => state().confirmations, 'outcome');
}

const METRICS = [
  cpu,
  startTime,
  memory,
  openFileDescriptors,
  maxFileDescriptors,
  eventLoopLag,
  resources,
  handles,
  requests,
  heapSizeAndUsed,
  heapSpaces,
  version,
];

/** Sums of gauges with almost the same names: promtool refuses gauges that end like counters. */
const SUMS = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];

/** Interval at which the event loop delay is sampled. */
const PRECISION_MS = 10;

/**
 * Adds the metrics of `collectDefaultMetrics` except `SUMS` and garbage collection durations. Observing those allocates objects at
 * each of about 100 collections a second; they made up 40 % of the objects that survive until a full collection.
 */
export function addProcessMetrics(register: Registry): void {
  for (const add of METRICS) add(register, { eventLoopMonitoringPrecision: PRECISION_MS });
  for (const name of SUMS) register.removeSingleMetric(name);
}
