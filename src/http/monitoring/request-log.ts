import type { Request, RequestHandler, Response } from 'express';

import { SECOND, type Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import type { Tracing } from '../../platform/tracing/types.js';
import { headerOf } from '../headers.js';
import { onClosed, requestContextOf, UNKNOWN_PATH } from '../request-context.js';
import { SWITCHING_PROTOCOLS } from '../server/upgrade.js';
import type { Metrics } from './metrics.js';

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

/** Fields of the log line. Apart from its request id, no value of the client: no query, name or header. */
function describeRequest(request: Request, response: Response, status: number, milliseconds: number): object {
  const { requestId, traceId, ip, template, caller } = requestContextOf(response);
  return {
    request_id: requestId,
    ...(traceId === null ? {} : { trace_id: traceId }),
    method: request.method,
    path: template,
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
      span.end({ route, status: hasResponse(response) ? response.statusCode : null, requestId });
    });
    span.run(next);
  };
}
