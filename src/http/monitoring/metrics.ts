import type { RequestHandler } from 'express';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { SECOND } from '../../platform/clock.js';

export interface MeasuredRequest {
  readonly method: string;
  /** The documented path, for example `/v1/apps/{app_id}`. */
  readonly path: string;
  readonly status: number;
}

/** The metrics of one server. */
export interface Metrics {
  countRequest(request: MeasuredRequest, milliseconds: number): void;
  countRateLimited(): void;
  /** Counts places where card data was masked before storage. */
  countScrubs(scrubs: number): void;
  /** Subscriptions and their events, by transport: `websocket` or `sse`. */
  readonly streams: {
    readonly opened: (transport: string) => void;
    readonly closed: (transport: string) => void;
    readonly event: (transport: string) => void;
  };
  /** Responds in the text format of Prometheus. */
  readonly handler: RequestHandler;
}

/** Values that are read when the metrics are requested. */
export interface MetricSources {
  /** Number of log lines that could not be written. */
  readonly lostLogLines: () => number;
  /** Bytes of the database by part: `file`, and `log`, its write-ahead log. */
  readonly databaseBytes: () => Readonly<Record<string, number>>;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(sources: MetricSources): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  addSources(sources, registers);
  const limited = new Counter({
    name: 'http_rate_limited_total',
    help: 'Requests refused by the rate limit.',
    registers,
  });
  const scrubs = new Counter({
    name: 'card_data_scrubs_total',
    help: 'Places where card data was masked before storage.',
    registers,
  });
  return {
    countRequest: requestCounter(registers),
    countRateLimited: () => limited.inc(),
    countScrubs: (count) => scrubs.inc(count),
    streams: streamMetrics(registers),
    handler: async (_request, response) => {
      const text = await register.metrics();
      response.setHeader('Content-Type', register.contentType);
      response.end(text);
    },
  };
}

function streamMetrics(registers: Registry[]): Metrics['streams'] {
  const open = new Gauge({
    name: 'graphql_streams_open',
    help: 'Open subscriptions.',
    labelNames: ['transport'],
    registers,
  });
  const events = new Counter({
    name: 'graphql_stream_events_total',
    help: 'Events sent to subscribers.',
    labelNames: ['transport'],
    registers,
  });
  return {
    opened: (transport) => open.inc({ transport }),
    closed: (transport) => open.dec({ transport }),
    event: (transport) => events.inc({ transport }),
  };
}

function requestCounter(registers: Registry[]): Metrics['countRequest'] {
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests with a response.',
    labelNames: ['method', 'path', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the headers of a request to the end of its response.',
    labelNames: ['method', 'path'],
    buckets: BUCKETS,
    registers,
  });
  return ({ method, path, status }, milliseconds) => {
    requests.inc({ method, path, status });
    durations.observe({ method, path }, milliseconds / SECOND);
  };
}

function addSources({ lostLogLines, databaseBytes }: MetricSources, registers: Registry[]): void {
  let reported = 0;
  new Counter({
    name: 'log_lines_lost_total',
    help: 'Log lines that could not be written.',
    registers,
    collect() {
      const lost = lostLogLines();
      this.inc(lost - reported);
      reported = lost;
    },
  });
  new Gauge({
    name: 'database_size_bytes',
    help: 'Size of the database file and of its write-ahead log.',
    labelNames: ['part'],
    registers,
    collect() {
      for (const [part, bytes] of Object.entries(databaseBytes())) this.set({ part }, bytes);
    },
  });
}
