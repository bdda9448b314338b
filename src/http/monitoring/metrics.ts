import type { Request, RequestHandler, Response } from 'express';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { CountedMetric } from '../../database/work.js';
import { type Clock, SECOND, systemClock } from '../../platform/clock.js';
import type { RefusalCode } from '../../platform/errors.js';
import type { Logger } from '../../platform/logger.js';
import type { Tracing } from '../../platform/tracing.js';
import { headerOf, onClosed, requestContextOf, UNKNOWN_PATH } from '../request.js';
import { sendText } from '../send.js';
import { SWITCHING_PROTOCOLS } from '../server/connections.js';
import { metricsOf } from './metric.js';
import { addProcessMetrics, addSources, type MetricSources } from './sources.js';

export type Metrics = ReturnType<typeof createMetrics>;

/** Seconds of a request or an operation, and of a statement. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const STATEMENT_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
];

export function createMetrics(sources: MetricSources, register = new Registry()) {
  const add = adding(register);
  addProcessMetrics(register);
  addSources(sources, register);
  return {
    ...requestMetrics(add),
    ...terminalMetrics(add),
    /** Call with the text of an SQL statement that starts; call the returned function when it has ended. */
    statementStarted: statementMetrics(register, systemClock),
    /** Call in the same way with what a unit waits for. */
    waitStarted: waitMetrics(register, systemClock),
    streams: streamMetrics(add),
    /** Responds in the text format of Prometheus. */
    handler: async (_request: Request, response: Response): Promise<void> => {
      response.setHeader('Content-Type', register.contentType);
      await sendText(response, await register.metrics());
    },
  };
}

type Adding = ReturnType<typeof adding>;

function adding(register: Registry) {
  const registers = [register];
  return {
    counter: <L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <L extends string>(name: string, help: string, ...labelNames: L[]): Gauge<L> =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <L extends string>(name: string, help: string, ...labelNames: L[]): Histogram<L> =>
      new Histogram({ name, help, labelNames, registers, buckets: BUCKETS }),
  };
}

function requestMetrics({ counter, histogram }: Adding) {
  const limited = counter('http_rate_limited_total', 'Requests refused by the rate limit.');
  const requests = counter('http_requests_total', 'Requests with a response.', 'method', 'path', 'status');
  const queriesHelp =
    'GraphQL queries, by how they were read: planned, partly_planned, executed by resolvers, or failed plans.';
  const queries = counter('graphql_queries_total', queriesHelp, 'reading');
  const durationHelp = 'From the headers of a request to the end of its response.';
  const durations = histogram('http_request_duration_seconds', durationHelp, 'method', 'path');
  const operationHelp =
    'Execution of GraphQL operations, and of events of subscriptions once for all subscribers with the same text. Has at most 200 names; later ones are other, and operations without a name are anonymous.';
  const operations = histogram('graphql_operation_duration_seconds', operationHelp, 'type', 'name');
  return {
    /** Counts a request. `path` is the documented one, for example `/v1/apps/{app_id}`. */
    countRequest: (request: { method: string; path: string; status: number }, milliseconds: number): void => {
      const { method, path } = request;
      requests.inc({ ...request });
      durations.observe({ method, path }, milliseconds / SECOND);
    },
    countQuery: (reading: string) => queries.inc({ reading }),
    /** Counts an operation. `name` must be one of a bounded number of values. */
    countOperation: (operation: { type: string; name: string }, milliseconds: number): void =>
      operations.observe(operation, milliseconds / SECOND),
    countRateLimited: () => limited.inc(),
  };
}

/** States of `deliveries_total`, each of which is shown from the start. */
const DELIVERY_STATES = ['queued', 'sent', 'delivered', 'failed', 'expired', 'cancelled'];

function terminalMetrics({ counter, gauge }: Adding) {
  const refused = counter('terminal_refusals_total', 'Refused requests of terminals, by reason.', 'code');
  const waitingHelp = 'Requests and streams of terminals that wait for notifications.';
  const waiting = gauge('terminals_waiting', waitingHelp);
  const scrubs = counter('card_data_scrubs_total', 'Places where card data was masked before storage.');
  const deliveriesHelp = 'Deliveries of notifications that came into a state.';
  const deliveries = counter('deliveries_total', deliveriesHelp, 'state');
  for (const state of DELIVERY_STATES) deliveries.inc({ state }, 0);
  return {
    countTerminalRefused: (code: RefusalCode) => refused.inc({ code }),
    /** Counts a terminal that begins (1) or stops (-1) waiting for notifications. */
    countWaitingTerminals: (change: 1 | -1) => waiting.inc(change),
    /** Adds `amount` to a metric that is counted within units of work. */
    count: (metric: CountedMetric, amount: number): void => {
      if (metric === 'cardDataScrubs') scrubs.inc(amount);
      else deliveries.inc({ state: metric.slice(0, -'Deliveries'.length) }, amount);
    },
  };
}

/** Counts subscriptions and their events, by transport: `websocket` or `sse`. */
function streamMetrics({ counter, gauge }: Adding) {
  const openHelp = 'Open subscriptions, by transport: websocket or sse.';
  const open = gauge('graphql_streams_open', openHelp, 'transport');
  const events = counter('graphql_stream_events_total', 'Events sent to subscribers.', 'transport');
  return {
    streamOpened: (transport: string) => open.inc({ transport }),
    streamClosed: (transport: string) => open.dec({ transport }),
    eventsSent: (transport: string, count: number) => events.inc({ transport }, count),
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

function waitMetrics(register: Registry, clock: Pick<Clock, 'elapsed'>): (what: string) => () => void {
  const durations = new Histogram({
    name: 'database_wait_seconds',
    help: 'Waiting of units of work: for their queue on this node, a connection, a company that another node changes, the commit.',
    labelNames: ['for'],
    buckets: STATEMENT_BUCKETS,
    registers: [register],
  });
  return (what) => {
    const started = clock.elapsed();
    return () => durations.observe({ for: what }, (clock.elapsed() - started) / SECOND);
  };
}

/** Kind of a statement by its first word; after `with`, by what follows. */
export function kindOf(sql: string): StatementKind {
  const word = /[a-z]/i.exec(sql)?.[0]?.toLowerCase() ?? '';
  if (word === 'w') return WRITES.test(sql) ? 'write' : 'read';
  return ['i', 'u', 'd', 'r'].includes(word) ? 'write' : 'read';
}

/** Status that is logged if the client disconnected before it got a response. */
const CLIENT_CLOSED = 499;
/** Status of requests refused because the server is overloaded or not ready. */
const UNAVAILABLE = 503;
/** Interval of the warning that sums up requests answered with 503. */
const WARN_EVERY_MS = 10 * SECOND;

/** Counts and logs each request once, when its response is sent or its client has disconnected. */
export function observeRequests(logger: Logger, metrics: Metrics, clock: Clock): RequestHandler {
  const countUnavailable = warningOfMany(logger);
  return (request, response, next) => {
    const started = clock.elapsed();
    onClosed(response, () => {
      const milliseconds = clock.elapsed() - started;
      const { method } = request;
      const status = hasResponse(response) ? response.statusCode : CLIENT_CLOSED;
      metrics.countRequest({ method, path: requestContextOf(response).template, status }, milliseconds);
      if (status === UNAVAILABLE) countUnavailable();
      // 503 is logged as info: an overloaded server refuses thousands, for which `countUnavailable` warns.
      const level = status >= 500 && status !== UNAVAILABLE ? 'error' : 'info';
      if (!logger.isLevelEnabled(level)) return;
      logger[level](describeRequest(request, response, status, milliseconds), 'request');
    });
    next();
  };
}

/** Returns a function to call for each 503 response. It logs their number once every 10 seconds. */
export function warningOfMany(logger: Pick<Logger, 'warn'>): () => void {
  let requests = 0;
  return () => {
    requests += 1;
    if (requests > 1) return;
    setTimeout(() => {
      const counted = { requests, seconds: WARN_EVERY_MS / SECOND };
      logger.warn(counted, 'requests were answered with 503: the server is overloaded or not ready');
      requests = 0;
    }, WARN_EVERY_MS).unref();
  };
}

function hasResponse(response: Response): boolean {
  return response.headersSent || response.statusCode === SWITCHING_PROTOCOLS;
}

/** Fields of the log line. Of the client, only its request id and the bounded name of an operation. */
function describeRequest(request: Request, response: Response, status: number, milliseconds: number): object {
  const { requestId, traceId, ip, template, caller, operation } = requestContextOf(response);
  return {
    request_id: requestId,
    ...(traceId === null ? {} : { trace_id: traceId }),
    method: request.method,
    path: template,
    ...(operation === null ? {} : { operation: operation.type, operation_name: operation.name }),
    status,
    duration_ms: Math.round(milliseconds * 10) / 10,
    ip,
    ...(caller === null ? {} : { company_id: caller.companyId, user_id: caller.userId }),
    // The client disconnected before it had the whole response.
    ...(response.writableFinished || status === SWITCHING_PROTOCOLS ? {} : { aborted: true }),
  };
}

/** One span for each request, until its response is sent or its client has disconnected. */
export function traceRequests(tracing: Tracing): RequestHandler {
  return (request, response, next) => {
    const context = requestContextOf(response);
    const traceparent = headerOf(request, 'traceparent');
    const span = tracing.request(request.method, typeof traceparent === 'string' ? traceparent : undefined);
    context.traceId = span.traceId;
    onClosed(response, () => {
      const { template, requestId } = context;
      const route = template === UNKNOWN_PATH ? null : template;
      span.end(route, hasResponse(response) ? response.statusCode : null, requestId);
    });
    span.run(next);
  };
}
