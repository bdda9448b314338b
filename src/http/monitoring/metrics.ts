import type { RequestHandler } from 'express';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { CountedMetric } from '../../database/work.js';
import { SECOND, systemClock, type Clock } from '../../platform/clock.js';
import type { RefusalCode } from '../../platform/terminal.js';
import { sendText } from '../send.js';
import { addProcessMetrics } from './process-metrics.js';
import { addSources, metricsOf, type MetricSources } from './sources.js';

/** Counts subscriptions and their events, by transport: `websocket` or `sse`. */
export interface StreamCounters {
  streamOpened(transport: string): void;
  eventsSent(transport: string, count: number): void;
  streamClosed(transport: string): void;
}

/** The metrics of one server. */
export interface Metrics {
  /** Counts a request. `path` is the documented one, for example `/v1/apps/{app_id}`. */
  countRequest(request: { method: string; path: string; status: number }, milliseconds: number): void;
  /** Counts an operation. `name` must be one of a bounded number of values. */
  countOperation(operation: { type: string; name: string }, milliseconds: number): void;
  /** Call with the text of an SQL statement that starts; call the returned function when it has ended. */
  readonly statementStarted: (sql: string) => () => void;
  readonly countRateLimited: () => void;
  countTerminalRefused(code: RefusalCode): void;
  /** Counts a terminal that begins (1) or stops (-1) waiting for notifications. */
  countWaitingTerminals(change: 1 | -1): void;
  /** Adds `amount` to a metric that is counted within units of work. */
  readonly count: (metric: CountedMetric, amount: number) => void;
  readonly streams: StreamCounters;
  /** Responds in the text format of Prometheus. */
  readonly handler: RequestHandler;
}

/** Seconds of a request or an operation, and of a statement. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const STATEMENT_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
];

/** Creates the metrics in `register`. */
export function createMetrics(sources: MetricSources, register = new Registry()): Metrics {
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> =>
    new Counter({ name, help, labelNames, registers: [register] });
  addProcessMetrics(register);
  addSources(sources, register);
  const limited = counter('http_rate_limited_total', 'Requests refused by the rate limit.');
  const refused = counter('terminal_refusals_total', 'Refused requests of terminals, by reason.', 'code');
  const waiting = new Gauge({
    name: 'terminals_waiting',
    registers: [register],
    help: 'Requests and streams of terminals that wait for notifications.',
  });
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
    streams: streamCounters(register),
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

function histograms(register: Registry) {
  const common = { buckets: BUCKETS, registers: [register] };
  const durations = new Histogram({
    ...common,
    name: 'http_request_duration_seconds',
    labelNames: ['method', 'path'] as const,
    help: 'From the headers of a request to the end of its response.',
  });
  const operations = new Histogram({
    ...common,
    name: 'graphql_operation_duration_seconds',
    labelNames: ['type', 'name'] as const,
    help: 'Execution of GraphQL operations, and of events of subscriptions once for all subscribers with the same text. Has at most 200 names; later ones are other, and operations without a name are anonymous.',
  });
  return { durations, operations };
}

function streamCounters(register: Registry): StreamCounters {
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

const WRITES = /\b(?:insert\s+into|update\s+"?[a-z_]+"?\s+set|delete\s+from)\b/i;

type StatementKind = 'read' | 'write';

/** Returns a function to call with the text of each SQL statement; its result is called at the end of it. */
export function statementMetrics(
  register: Registry,
  clock: Pick<Clock, 'elapsed'>,
): (sql: string) => () => void {
  const totals: Record<StatementKind, number> = { read: 0, write: 0 };
  const help = 'SQL statements (read, write), without those that begin and end transactions.';
  metricsOf(register, Counter)('sql_statements_total', help, () => ({ ...totals }), 'kind');
  const durations = new Histogram({
    name: 'sql_statement_duration_seconds',
    help: 'From the call of a statement to its result.',
    labelNames: ['kind'],
    buckets: STATEMENT_BUCKETS,
    registers: [register],
  });
  return (sql) => {
    const kind = kindOf(sql);
    const started = clock.elapsed();
    return () => {
      totals[kind] += 1;
      durations.observe({ kind }, (clock.elapsed() - started) / SECOND);
    };
  };
}

/** By the first word; that of a statement with `with` comes later. */
export function kindOf(sql: string): StatementKind {
  const word = /[a-z]/i.exec(sql)?.[0]?.toLowerCase() ?? '';
  if (word === 'w') return WRITES.test(sql) ? 'write' : 'read';
  return ['i', 'u', 'd', 'r'].includes(word) ? 'write' : 'read';
}
