import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

import { SpanQueue } from './span-queue.js';
import type { OperationSpan, RequestSpan, Tracing, TracingOptions } from './types.js';

const SERVICE = { 'service.name': 'terminal-gateway' };
const MAX_STATEMENT = 1_000;
/** Methods that the conventions list; others count as `_OTHER`. */
const METHODS = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE'];

/** The current span, and the context in which its children are started. */
interface Running {
  readonly span: Span;
  readonly context: Context;
}

/**
 * Uses the names and attributes of the OpenTelemetry semantic conventions for HTTP, GraphQL and databases.
 */
export function createTracing({ url, share, databaseSystem, logger }: TracingOptions): Tracing {
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
  return {
    request: (method, traceparent) => {
      const known = METHODS.includes(method) ? method : '_OTHER';
      const attributes = { 'http.request.method': known };
      const request = start(known, SpanKind.SERVER, contextOf(traceparent), attributes);
      return requestSpan(request, known, (use) => running.run(request, use));
    },
    operation: (isAlone) => {
      const parent = isAlone ? ROOT_CONTEXT : (running.getStore()?.context ?? ROOT_CONTEXT);
      const operation = start('GraphQL Operation', SpanKind.SERVER, parent, {});
      return operationSpan(operation, (use) => running.run(operation, use));
    },
    statement: (sql) => {
      const parent = running.getStore();
      // A statement that runs after the end of its request does not belong to it.
      if (parent?.span.isRecording() !== true) return null;
      const { summary, attributes } = describeStatement(sql, databaseSystem);
      const { span } = start(summary, SpanKind.CLIENT, parent.context, attributes);
      return (error) => {
        if (error !== undefined) fail(span, codeOf(error));
        span.end();
      };
    },
    dropped: () => queue.dropped,
    stop: () => queue.stop(),
  };
}

/**
 * Samples by trace id, traces started by clients included: a client cannot force a trace to be recorded, but
 * it can prevent it.
 */
function samplerOf(share: number): ParentBasedSampler {
  const byShare = new TraceIdRatioBasedSampler(share);
  return new ParentBasedSampler({
    root: byShare,
    remoteParentSampled: byShare,
    remoteParentNotSampled: new AlwaysOffSampler(),
  });
}

/**
 * The parent that a `traceparent` header names. `tracestate` is ignored: it is text of the client, and would
 * be sent to the collector.
 */
function contextOf(traceparent: string | undefined): Context {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}

function requestSpan({ span }: Running, method: string, run: RequestSpan['run']): RequestSpan {
  const name = method === '_OTHER' ? 'HTTP' : method;
  return {
    traceId: span.spanContext().traceId,
    run,
    end: ({ route, status, requestId }) => {
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

function operationSpan({ span }: Running, run: OperationSpan['run']): OperationSpan {
  return {
    run,
    failed: (code) => fail(span, code),
    end: (type, name) => {
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

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : error.name;
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
