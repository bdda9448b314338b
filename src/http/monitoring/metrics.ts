import type { RequestHandler } from 'express';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { ExaminingReads } from '../../database/database.js';
import type { CountedMetric } from '../../database/work.js';
import { SECOND, systemClock } from '../../platform/clock.js';
import type { RefusalCode } from '../../platform/terminal.js';
import { sendText } from '../pieces.js';
import { addOperationSources, type OperationSources } from './fleet-metrics.js';
import type { WaitingSince } from './followers.js';
import { addMqtt, type MqttState } from './mqtt-metrics.js';
import { addProcessMetrics } from './process-metrics.js';
import { statementMetrics } from './statement-metrics.js';
import { addStorageFigures, type StorageFigures } from './storage-metrics.js';

/** Counts subscriptions and their events, by transport: `websocket` or `sse`. */
export interface StreamCounters {
  streamOpened(transport: string): void;
  eventsSent(transport: string, count: number): void;
  streamClosed(transport: string): void;
  /** Measures the waiting time of a follower until the returned function is called. */
  readonly follow: (waitingSince: WaitingSince) => () => void;
}

/** The metrics of one server. */
export interface Metrics {
  /** Counts a request. `path` is the documented one, for example `/v1/apps/{app_id}`. */
  countRequest(request: { method: string; path: string; status: number }, milliseconds: number): void;
  /** Counts an operation. `name` must be one of a bounded number of values. */
  countOperation(operation: { type: string; name: string }, milliseconds: number): void;
  /** Call with the text of an SQL statement that starts; call the returned function when it has ended. */
  readonly statementStarted: (sql: string) => () => void;
  countRateLimited(): void;
  countTerminalRefused(code: RefusalCode): void;
  /** Counts a terminal that begins (1) or stops (-1) waiting for notifications. */
  countWaitingTerminals(change: 1 | -1): void;
  /** Adds `amount` to a metric that is counted within units of work. */
  readonly count: (metric: CountedMetric, amount: number) => void;
  readonly streams: StreamCounters;
  /** Responds in the text format of Prometheus. */
  readonly handler: RequestHandler;
}

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

/** Values that are read when the metrics are requested. */
export interface MetricSources extends OperationSources {
  readonly storage: () => StorageFigures;
  /** Number of log lines that could not be written. */
  readonly lostLogLines: () => number;
  /** Bytes of the database file and of its write-ahead log. */
  readonly databaseBytes: () => { readonly file: number; readonly log: number };
  readonly clients: () => ClientFigures;
  /** Whether the write-ahead log has 256 MiB or more: an operator should look for the reason. */
  readonly isLogLong: () => boolean;
  readonly examining: () => ExaminingReads;
  readonly follow: StreamCounters['follow'];
  /** Number of times that limits could not be shared with other nodes. */
  readonly limitStoreFailures: () => number;
  /** Null if notifications are not sent over MQTT. */
  readonly mqtt: (() => MqttState) | null;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Creates the metrics in `register`. */
export function createMetrics(sources: MetricSources, register = new Registry()): Metrics {
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> =>
    new Counter({ name, help, labelNames, registers: [register] });
  addProcessMetrics(register);
  addSources(sources, register);
  addExamining(sources, register);
  addClients(sources.clients, register);
  addOperationSources(sources, register);
  addStorageFigures(sources.storage, register);
  addLimitFailures(sources.limitStoreFailures, register);
  if (sources.mqtt !== null) addMqtt(sources.mqtt, register);
  const limited = counter('http_rate_limited_total', 'Requests refused by the rate limit.');
  const refused = counter('terminal_refusals_total', 'Refused requests of terminals, by reason.', 'code');
  const waiting = terminalsWaiting(register);
  const counted = countedMetrics(counter);
  const requests = counter('http_requests_total', 'Requests with a response.', 'method', 'path', 'status');
  const { durations, operations } = histograms(register);
  return {
    countRequest: ({ method, path, status }, milliseconds) => {
      requests.inc({ method, path, status });
      durations.observe({ method, path }, milliseconds / SECOND);
    },
    countOperation: (labels, milliseconds) => operations.observe(labels, milliseconds / SECOND),
    statementStarted: statementMetrics(register, systemClock),
    countRateLimited: () => limited.inc(),
    countTerminalRefused: (code) => refused.inc({ code }),
    countWaitingTerminals: (change) => waiting.inc(change),
    count: (metric, amount) => counted[metric].inc(amount),
    streams: { ...streamCounters(register), follow: sources.follow },
    handler: async (_request, response) => {
      response.setHeader('Content-Type', register.contentType);
      await sendText(response, await register.metrics());
    },
  };
}

function countedMetrics(
  counter: <L extends string>(name: string, help: string, ...labelNames: L[]) => Counter<L>,
): Readonly<Record<CountedMetric, { inc(amount: number): void }>> {
  const deliveries = counter(
    'deliveries_total',
    'Deliveries of notifications that came into a state.',
    'state',
  );
  return {
    cardDataScrubs: counter('card_data_scrubs_total', 'Places where card data was masked before storage.'),
    queuedDeliveries: deliveries.labels('queued'),
    sentDeliveries: deliveries.labels('sent'),
    deliveredDeliveries: deliveries.labels('delivered'),
    failedDeliveries: deliveries.labels('failed'),
    expiredDeliveries: deliveries.labels('expired'),
    cancelledDeliveries: deliveries.labels('cancelled'),
  };
}

function terminalsWaiting(register: Registry): Gauge {
  const help = 'Requests and streams of terminals that wait for notifications.';
  return new Gauge({ name: 'terminals_waiting', help, registers: [register] });
}

function histograms(register: Registry) {
  const common = { buckets: BUCKETS, registers: [register] };
  const durations = new Histogram({
    ...{ ...common, name: 'http_request_duration_seconds', labelNames: ['method', 'path'] as const },
    help: 'From the headers of a request to the end of its response.',
  });
  const operations = new Histogram({
    ...{ ...common, name: 'graphql_operation_duration_seconds', labelNames: ['type', 'name'] as const },
    help: 'Execution of GraphQL operations, and of events of subscriptions once for all subscribers with the same text. Has at most 200 names; later ones are other, and operations without a name are anonymous.',
  });
  return { durations, operations };
}

function streamCounters(register: Registry): Omit<StreamCounters, 'follow'> {
  const common = { labelNames: ['transport'], registers: [register] };
  const open = new Gauge({
    ...common,
    name: 'graphql_streams_open',
    help: 'Open subscriptions, by transport: websocket or sse.',
  });
  const help = 'Events sent to subscribers.';
  const events = new Counter({ ...common, name: 'graphql_stream_events_total', help });
  return {
    streamOpened: (transport) => open.inc({ transport }),
    streamClosed: (transport) => open.dec({ transport }),
    eventsSent: (transport, count) => events.inc({ transport }, count),
  };
}

function addClients(clients: MetricSources['clients'], register: Registry): void {
  const registers = [register];
  new Gauge({
    ...{ name: 'http_waiting_bytes', help: 'Bytes of responses that clients have not taken yet.', registers },
    collect() {
      this.set(clients().waitingBytes);
    },
  });
  new Gauge({
    ...{ name: 'http_connections_open', help: 'Open TCP connections.', registers },
    collect() {
      this.set(clients().connections);
    },
  });
  new Counter({
    ...{
      name: 'http_connections_cut_total',
      help: 'Connections that were cut because their clients did not read.',
      registers,
    },
    collect() {
      this.reset();
      this.inc(clients().cut);
    },
  });
  new Counter({
    ...{ name: 'http_refused_total', help: 'Refusals, by the limit that was used up.', registers },
    labelNames: ['limit'],
    collect() {
      this.reset();
      for (const [limit, times] of clients().refused) this.inc({ limit }, times);
    },
  });
}

function addLimitFailures(failures: () => number, register: Registry): void {
  const help = 'Times that limits could not be shared with other nodes.';
  new Counter({
    ...{ name: 'rate_limit_store_failures_total', help, registers: [register] },
    collect() {
      this.reset();
      this.inc(failures());
    },
  });
}

function addSources({ lostLogLines, databaseBytes, isLogLong }: MetricSources, register: Registry): void {
  new Counter({
    name: 'log_lines_lost_total',
    help: 'Log lines that could not be written.',
    registers: [register],
    collect() {
      this.reset();
      this.inc(lostLogLines());
    },
  });
  new Gauge({
    name: 'database_size_bytes',
    help: 'Size of the database (file) and of its write-ahead log (log).',
    labelNames: ['part'],
    registers: [register],
    collect() {
      for (const [part, bytes] of Object.entries(databaseBytes())) this.set({ part }, bytes);
    },
  });
  new Gauge({
    name: 'database_log_long',
    help: '1 while the write-ahead log has 256 MiB or more.',
    registers: [register],
    collect() {
      this.set(isLogLong() ? 1 : 0);
    },
  });
}

/** Reads that examine many rows. */
function addExamining({ examining }: MetricSources, register: Registry): void {
  new Gauge({
    name: 'database_examining_reads',
    help: 'Large reads: running or waiting.',
    labelNames: ['state'],
    registers: [register],
    collect() {
      const { running, waiting } = examining();
      this.set({ state: 'running' }, running);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  new Gauge({
    name: 'database_reader_threads',
    help: 'Threads for large reads.',
    registers: [register],
    collect() {
      this.set(examining().threads);
    },
  });
  const counters = [
    ['database_deadlines_exceeded_total', 'Large reads that exceeded their deadline.', 'exceeded'],
    ['database_reader_threads_lost_total', 'Threads for large reads that were lost.', 'lostThreads'],
  ] as const;
  for (const [name, help, value] of counters) {
    new Counter({
      ...{ name, help, registers: [register] },
      collect() {
        this.reset();
        this.inc(examining()[value]);
      },
    });
  }
}
