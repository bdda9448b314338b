import type { Request, RequestHandler, Response } from 'express';

import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { requestContextOf } from '../request-context.js';
import type { Metrics } from './metrics.js';
import { SWITCHING_PROTOCOLS } from '../server/upgrade.js';

/** The client went away before there was an answer. */
const NEVER_ANSWERED = 499;

/** Counts and logs each request once, when its answer is out or its client gone. */
export function observeRequests(logger: Logger, metrics: Metrics, clock: Clock): RequestHandler {
  return (request, response, next) => {
    const started = clock.elapsed();
    response.once('close', () => {
      const milliseconds = clock.elapsed() - started;
      const { method } = request;
      const status = isAnswered(response) ? response.statusCode : NEVER_ANSWERED;
      metrics.countRequest({ method, path: requestContextOf(response).template, status }, milliseconds);
      const line = describeRequest(request, response, status, milliseconds);
      if (status >= 500) logger.error(line, 'request');
      else logger.info(line, 'request');
    });
    next();
  };
}

function isAnswered(response: Response): boolean {
  return response.headersSent || response.statusCode === SWITCHING_PROTOCOLS;
}

/** Nothing that a client chose, save its harmless request id: no query, no name, no header. */
function describeRequest(request: Request, response: Response, status: number, milliseconds: number): object {
  const { requestId, ip, template, caller } = requestContextOf(response);
  return {
    request_id: requestId,
    method: request.method,
    path: template,
    status,
    duration_ms: Math.round(milliseconds * 10) / 10,
    ip,
    ...(caller === null ? {} : { company_id: caller.companyId, user_id: caller.userId }),
    // The client went away before it had the whole answer.
    ...(response.writableFinished || status === SWITCHING_PROTOCOLS ? {} : { aborted: true }),
  };
}
