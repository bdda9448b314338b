/** Responses to operations that are refused before their execution. */
import type { ErrorRequestHandler } from 'express';

import { problemResponse } from '../../http/problem.js';
import { requestContextOf } from '../../http/request.js';
import { sendProblem } from '../../http/send.js';
import { DomainError } from '../../platform/errors.js';
import { maskErrors } from '../execution/mask.js';
import { OperationRefused } from '../limits/limits.js';
import { topLevelError } from '../schema/errors.js';

/** `extensions` of a response without an execution. */
const NO_COST = { cost: { requested: 0, actual: 0 } };

/** Renders errors before the execution as a GraphQL response. */
export function refuseOperation(onError: (error: unknown, requestId: string) => void): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, request, response, _next) => {
    const { requestId } = requestContextOf(response);
    if (error instanceof OperationRefused) {
      const masking = { development: false, onError: () => undefined };
      const body = { errors: maskErrors(masking, requestId, error.errors), extensions: NO_COST };
      sendProblem(request, response, { status: 400, headers: {}, body });
      return;
    }
    const problem = problemResponse(error, requestId);
    if (problem.status === 500) onError(error, requestId);
    const { message, code } = problem.body;
    const errors = [{ message, extensions: { code: codeOf(error, code), requestId } }];
    sendProblem(request, response, { ...problem, body: { errors, extensions: NO_COST } });
  };
}

function codeOf(error: unknown, code: string): unknown {
  if (error instanceof DomainError) return topLevelError(error).extensions.code;
  if (code === 'busy') return 'UNAVAILABLE';
  return code === 'internal' ? 'INTERNAL_SERVER_ERROR' : code.toUpperCase();
}
