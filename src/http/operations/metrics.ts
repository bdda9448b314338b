import type { RequestHandler } from 'express';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { SECOND } from '../../platform/clock.js';

export interface MeasuredRequest {
  readonly method: string;
  /** The path's template, which has no value in it. */
  readonly path: string;
  readonly status: number;
}

/** What the server tells of itself; each server has its own. */
export interface Metrics {
  countRequest(request: MeasuredRequest, milliseconds: number): void;
  countRateLimited(): void;
  /** Places where card data was hidden before it was kept. */
  countScrubs(scrubs: number): void;
  /** Subscriptions that open and close, and what they send, by transport. */
  readonly streams: {
    readonly opened: (transport: string) => void;
    readonly closed: (transport: string) => void;
    readonly event: (transport: string) => void;
  };
  /** In the text form of Prometheus. */
  readonly handler: RequestHandler;
}

/** What is read only when somebody asks. */
export interface MetricSources {
  /** Lines of the log that could not be written. */
  readonly lostLogLines: () => number;
  /** Bytes of the database's files, by part. */
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
    help: 'Places where card data was hidden before it was kept.',
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
    help: 'Subscriptions that are open.',
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
    help: 'Requests answered.',
    labelNames: ['method', 'path', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the head of a request to the end of its answer.',
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
  let told = 0;
  new Counter({
    name: 'log_lines_lost_total',
    help: 'Lines of the log that could not be written.',
    registers,
    collect() {
      const lost = lostLogLines();
      this.inc(lost - told);
      told = lost;
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
