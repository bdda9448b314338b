import type { RequestHandler } from 'express';

import type { Tracing } from '../../platform/tracing/types.js';
import { headerOf } from '../headers.js';
import { onClosed, requestContextOf, UNKNOWN_PATH } from '../request-context.js';
import { hasResponse } from './request-log.js';

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
