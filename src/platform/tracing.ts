import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { atMostEvery, MINUTE, SECOND, systemClock } from './clock.js';
import { codeOf } from './errors.js';
import type { Logger } from './logger.js';

const SERVICE = { 'service.name': 'terminal-gateway' };
const MAX_STATEMENT = 1_000;
/** Shorter waits get no span: each unit waits for a moment several times. */
const MIN_WAIT_MS = 1;
/** Methods that the conventions list; others count as `_OTHER`. */
const METHODS = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE'];

/** The current span, and the context in which its children are started. */
interface Running {
  readonly span: Span;
  readonly context: Context;
}

interface TracingOptions {
  /** URL that spans are sent to, for example `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** Share of traces that are recorded, 0 to 1. */
  readonly share: number;
  /** Name of the database system in the conventions, for example `sqlite`. */
  readonly databaseSystem: string;
  readonly logger: Pick<Logger, 'warn'>;
}

export type Tracing = ReturnType<typeof createTracing>;

/** Uses the names and attributes of the OpenTelemetry semantic conventions for HTTP, GraphQL and databases. */
export function createTracing({ url, share, databaseSystem, logger }: TracingOptions) {
  const queue = new SpanQueue(url, logger);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...SERVICE, 'service.instance.id': randomUUID() }),
    sampler: samplerOf(share),
    spanProcessors: [queue],
  });
  const tracer = provider.getTracer('terminal-gateway');
  const running = new AsyncLocalStorage<Running>();
  const start = (name: string, kind: SpanKind, parent: Context, attributes: Attributes): Running => {
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    return { span, context: trace.setSpan(parent, span) };
  };
  const runIn =
    (parent: Running) =>
    <T>(use: () => T): T =>
      running.run(parent, use);
  return {
    /** Starts the span of a request. The trace of the header `traceparent` is continued if it is well-formed. */
    request: (method: string, traceparent: string | undefined) => {
      const known = METHODS.includes(method) ? method : '_OTHER';
      const attributes = { 'http.request.method': known };
      const request = start(known, SpanKind.SERVER, contextOf(traceparent), attributes);
      return { ...requestSpan(request.span, known), run: runIn(request) };
    },
    /** Starts the span of an operation, within the current request, or in a new trace if `isAlone`. */
    operation: (isAlone: boolean) => {
      const parent = isAlone ? ROOT_CONTEXT : (running.getStore()?.context ?? ROOT_CONTEXT);
      const operation = start('GraphQL Operation', SpanKind.SERVER, parent, {});
      return { ...operationSpan(operation.span), run: runIn(operation) };
    },
    /**
     * Starts the span of a statement; null if no sampled request or operation runs. Returns the function that ends it.
     */
    statement: (sql: string) => {
      const parent = running.getStore();
      // A statement that runs after the end of its request does not belong to it.
      if (parent?.span.isRecording() !== true) return null;
      const { summary, attributes } = describeStatement(sql, databaseSystem);
      return endOf(start(summary, SpanKind.CLIENT, parent.context, attributes).span);
    },
    /** Starts the span of a unit that waits, for example for its commit; as `statement`. */
    wait: (what: string) => waitSpan(what, running.getStore(), start),
    /** Number of spans that were not sent since the start. */
    dropped: () => queue.dropped,
    /** Sends the remaining spans for up to 2 seconds. Never rejects. */
    stop: () => queue.stop(),
  };
}

/** Samples by trace id, also for clients' traces: a client can prevent that one is recorded, but not force it. */
function samplerOf(share: number): ParentBasedSampler {
  const byShare = new TraceIdRatioBasedSampler(share);
  return new ParentBasedSampler({
    root: byShare,
    remoteParentSampled: byShare,
    remoteParentNotSampled: new AlwaysOffSampler(),
  });
}

/** The parent that `traceparent` names. `tracestate` is ignored: the text of a client would be sent on. */
function contextOf(traceparent: string | undefined): Context {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}

/** `traceId` has 32 hexadecimal digits. `end` records no value that a client chose, except the request id. */
function requestSpan(span: Span, method: string) {
  const name = method === '_OTHER' ? 'HTTP' : method;
  return {
    traceId: span.spanContext().traceId,
    /** `route` is null where the path is unknown, `status` if the client disconnected before a response. */
    end: (route: string | null, status: number | null, requestId: string): void => {
      if (!span.isRecording()) return;
      span.updateName(route === null ? name : `${name} ${route}`);
      if (route !== null) span.setAttribute('http.route', route);
      if (status !== null) span.setAttribute('http.response.status_code', status);
      span.setAttribute('terminal_gateway.request.id', requestId);
      if (status === null) span.setAttribute('error.type', 'client_closed');
      else if (status >= 500) fail(span, String(status));
      span.end();
    },
  };
}

const endOf =
  (span: Span) =>
  (error?: unknown): void => {
    if (error !== undefined) fail(span, codeOf(error) ?? (error instanceof Error ? error.name : '_OTHER'));
    span.end();
  };

type Start = (name: string, kind: SpanKind, parent: Context, attributes: Attributes) => Running;

function waitSpan(what: string, parent: Running | undefined, start: Start) {
  if (parent?.span.isRecording() !== true) return null;
  const started = systemClock.elapsed();
  const end = endOf(start(`wait for ${what}`, SpanKind.INTERNAL, parent.context, {}).span);
  // A span that has not ended is not sent.
  return (error?: unknown): void => {
    if (systemClock.elapsed() - started >= MIN_WAIT_MS) end(error);
  };
}

function operationSpan(span: Span) {
  return {
    /** Marks the operation as failed; `code` is that of its first error. */
    failed: (code: string) => fail(span, code),
    /** `type` is null if the document was refused, `name` if the operation has none. */
    end: (type: string | null, name: string | null): void => {
      if (type !== null) span.updateName(type).setAttribute('graphql.operation.type', type);
      if (name !== null) span.setAttribute('graphql.operation.name', name);
      span.end();
    },
  };
}

function describeStatement(sql: string, system: string) {
  const { operation, summary } = summaryOf(sql);
  const attributes: Attributes = {
    'db.system.name': system,
    'db.operation.name': operation,
    'db.query.summary': summary,
    'db.query.text': sql.length > MAX_STATEMENT ? sql.slice(0, MAX_STATEMENT) : sql,
  };
  return { summary, attributes };
}

/** Records the code only: messages may contain values. */
function fail(span: Span, code: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', code);
}

const SUMMARIZED = 500;
const VERB = /^\s*(?:with\b[^]*?\)\s*(?=select|insert|update|delete))?\s*([a-z]+)/i;
const TABLE = /\b(?:from|into|update)\s+(?:only\s+)?"?([a-z_][a-z0-9_]*)/i;

/** `operation` is `SELECT`, `INSERT` …; `summary` also has the first table: `SELECT devices`. */
export function summaryOf(sql: string): { readonly operation: string; readonly summary: string } {
  const beginning = sql.length > SUMMARIZED ? sql.slice(0, SUMMARIZED) : sql;
  const verb = VERB.exec(beginning);
  const operation = verb?.[1]?.toUpperCase() ?? 'OTHER';
  // An INSERT may begin with a CTE on another table that draws the id of the row.
  const isInsert = operation === 'INSERT' && verb !== null;
  const table = TABLE.exec(isInsert ? beginning.slice(verb[0].length) : beginning)?.[1];
  return { operation, summary: table === undefined ? operation : `${operation} ${table}` };
}

/** Maximum ended spans in memory, including those being sent; at most 3 KB each. */
const MAX_SPANS = 4_096;
const BATCH = 256;
const BATCH_MS = SECOND;
/** Timeout of one batch, including its retries. */
const EXPORT_MS = 5 * SECOND;
const MAX_EXPORTS = 4;
const STOP_MS = 2 * SECOND;

/**
 * Sends ended spans in batches. Spans that find the queue full, or the collector unavailable, are dropped and counted.
 */
class SpanQueue implements SpanProcessor {
  dropped = 0;
  #held = 0;
  readonly #isWarningDue = atMostEvery(MINUTE);
  #unwarned = 0;
  readonly #batches: BatchSpanProcessor;

  constructor(
    url: string,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {
    const exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS, concurrencyLimit: MAX_EXPORTS });
    this.#batches = new BatchSpanProcessor({
      exporter: this.#counting(exporter),
      maxQueueSize: MAX_SPANS,
      maxExportBatchSize: BATCH,
      scheduledDelayMillis: BATCH_MS,
      exportTimeoutMillis: 2 * EXPORT_MS,
    });
  }

  onStart(): void {
    // Spans are counted when they end.
  }

  onEnd(span: ReadableSpan): void {
    if (this.#held >= MAX_SPANS) {
      this.#drop(1, 'too many spans wait to be sent');
      return;
    }
    this.#held += 1;
    this.#batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#batches.shutdown();
  }

  async stop(): Promise<void> {
    const timeout = sleep(STOP_MS, undefined, { ref: false });
    await Promise.race([this.shutdown(), timeout]).catch(() => undefined);
  }

  #counting(exporter: OTLPTraceExporter): SpanExporter {
    return {
      export: (spans, onResult) => {
        exporter.export(spans, (result) => {
          this.#held -= spans.length;
          const { code, error } = result;
          // The collector may have made the message long.
          const reason = codeOf(error) ?? error?.message.slice(0, 200) ?? 'unknown';
          if (code !== ExportResultCode.SUCCESS) this.#drop(spans.length, reason);
          onResult(result);
        });
      },
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    };
  }

  #drop(spans: number, reason: string): void {
    this.dropped += spans;
    this.#unwarned += spans;
    if (!this.#isWarningDue()) return;
    this.logger.warn({ dropped: this.#unwarned, reason }, 'traces were dropped');
    this.#unwarned = 0;
  }
}
