/** Steps before an operation over HTTP: its method, protection against forgery, the token, and the body. */
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';

import { inviteBody, isMultipart, MAX_BODY_BYTES, problemOfLabels, readText } from '../../http/body/body.js';
import type { Upload, UploadReader } from '../../http/body/multipart.js';
import { HttpProblem, problemResponse } from '../../http/problem.js';
import {
  bearerToken,
  headerOf,
  malformed,
  readQuery,
  readToken,
  requestContextOf,
} from '../../http/request.js';
import { sendMethods, sendProblem } from '../../http/send.js';
import { enterCompany } from '../../http/server/admission.js';
import { demandScope, type Authenticator, type Origin, isIdempotencyKey } from '../../platform/caller.js';
import { companyOwner, workFor } from '../../platform/clock.js';
import { DomainError } from '../../platform/errors.js';
import { parsedJson } from '../../platform/validate.js';
import { GraphqlContext, NO_FACTS, type OperationServices, type RequestFacts } from '../execution/context.js';
import { SharedFeeds } from '../execution/following/shared-feed.js';
import { maskErrors } from '../execution/mask.js';
import { operationRefused, OperationRefused } from '../limits/limits.js';
import { topLevelError } from '../schema/errors.js';
import { operationWithFile } from './operation-text.js';

export const METHODS: readonly string[] = ['GET', 'POST'];
/** `Allow` header of OPTIONS and of 405. /graphql/stream has no HEAD: a stream always has a body. */
const ALLOWED = {
  '/graphql': ['GET', 'HEAD', 'POST', 'OPTIONS'],
  '/graphql/stream': ['GET', 'POST', 'OPTIONS'],
} as const;
type Path = keyof typeof ALLOWED;

export function listMethods(path: Path): RequestHandler {
  return (_request, response) => {
    sendMethods(response, ALLOWED[path]);
  };
}

/** Responds with 405 to other methods. Must come after `headAsGet`. */
export function demandMethod(path: Path): RequestHandler {
  return ({ method }, _response, next) => {
    if (!METHODS.includes(method)) throw methodNotAllowed(path);
    next();
  };
}

function methodNotAllowed(path: Path, advice = ''): HttpProblem {
  const headers = { Allow: ALLOWED[path].join(', ') };
  return new HttpProblem(405, 'method_not_allowed', `Send ${METHODS.join(' or ')}.${advice}`, headers);
}

const ADVICE =
  'The single connection mode of graphql-sse is not supported. Use its distinct connections mode (singleConnection: false): one request to /graphql/stream per operation, with Accept: text/event-stream.';

/** The header of a client that has reserved a connection. */
const RESERVATION = 'x-graphql-event-stream-token';

/** Refuses graphql-sse's single connection mode: PUT reserves a connection, other requests name it. */
export const refuseSingleConnection: RequestHandler = (request, _response, next) => {
  const { method, originalUrl, path } = request;
  const isStream = path.startsWith('/stream');
  if (method === 'PUT') throw methodNotAllowed(isStream ? '/graphql/stream' : '/graphql', ` ${ADVICE}`);
  const isReserved = isStream && readQuery(originalUrl).has('token');
  if (isReserved || headerOf(request, RESERVATION) !== undefined)
    throw operationRefused('BAD_REQUEST', ADVICE);
  next();
};

/** Handles HEAD as GET; Node sends no body. The method is restored on close, so that the log shows HEAD. */
export const headAsGet: RequestHandler = (request, response, next) => {
  if (request.method === 'HEAD') {
    request.method = 'GET';
    response.prependOnceListener('close', () => {
      request.method = 'HEAD';
    });
  }
  next();
};

/** Content types that other sites can send without a CORS preflight. Uploads have one of them. */
const SIMPLE_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];
/** Headers that make a browser send a CORS preflight first. */
const PREFLIGHT_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'] as const;

/**
 * Refuses requests that a page of another site could send without a CORS preflight. A browser never adds a
 * bearer token by itself, so a request with a token is allowed. Must come before the authentication.
 */
export function refuseForgery(path: Path, methods: readonly string[]): RequestHandler {
  return (request, response, next) => {
    requestContextOf(response).template = path;
    if (methods.includes(request.method) && couldBeForged(request)) {
      throw operationRefused(
        'CSRF_PREVENTED',
        `Send the token in Authorization: Bearer, or Content-Type: application/json, or one of the headers ${PREFLIGHT_HEADERS.join(' and ')}.`,
      );
    }
    next();
  };
}

function couldBeForged(request: Request): boolean {
  if (bearerToken(request) !== undefined) return false;
  const type = essenceOf(request);
  const isPreflighted = PREFLIGHT_HEADERS.some((name) => (headerOf(request, name)?.length ?? 0) > 0);
  return !isPreflighted && (type === undefined || SIMPLE_TYPES.includes(type));
}

function essenceOf(request: Request): string | undefined {
  return headerOf(request, 'content-type')?.split(';')[0]?.trim().toLowerCase();
}

/** The context of an operation for the caller of a token, on any transport. Errors: `unauthenticated`. */
export type Authenticate = (
  token: string | undefined,
  request: Omit<Origin, 'channel'>,
  facts?: RequestFacts,
) => Promise<GraphqlContext>;

export function createAuthenticate(
  authenticator: Authenticator,
  shared: Omit<OperationServices, 'feeds'>,
): Authenticate {
  const services = { ...shared, feeds: new SharedFeeds(shared.units) };
  return async (token, { ip, requestId }, facts) => {
    const caller = await authenticator.authenticate(token, { channel: 'api', ip, requestId });
    return new GraphqlContext(caller, services, facts);
  };
}

export function authenticateRequest(authenticate: Authenticate): RequestHandler {
  return async (request, response, next) => {
    const requestContext = requestContextOf(response);
    const token = readToken(request, readQuery(request.originalUrl));
    const { budget } = requestContext;
    const facts = { ...NO_FACTS, budget, idempotencyKey: idempotencyKeyOf(request) };
    const context = await authenticate(token, requestContext, facts);
    enterCompany(response, context.caller);
    response.locals.graphql = context;
    workFor(companyOwner(context.caller), next);
  };
}

export function graphqlContextOf(response: Response): GraphqlContext {
  return response.locals.graphql as GraphqlContext;
}

function idempotencyKeyOf(request: Request): string | null {
  const key = headerOf(request, 'idempotency-key');
  if (key === undefined || request.method !== 'POST') return null;
  if (typeof key !== 'string' || !isIdempotencyKey(key)) {
    throw malformed('An Idempotency-Key has 1 to 255 printable ASCII characters and no spaces.');
  }
  return key;
}

export interface BodyOptions {
  readonly readUpload: UploadReader;
  readonly bodyMs: number;
}

export function readOperation({ readUpload, bodyMs }: BodyOptions): RequestHandler {
  return async (request, response, next) => {
    request.body = undefined;
    if (request.method === 'POST') {
      request.body = isMultipart(request)
        ? await readMultipart(request, response, readUpload)
        : await readJson(request, response, bodyMs);
    }
    next();
  };
}

/** Files are for mutations: without the scope, none is received. */
async function readMultipart(request: Request, response: Response, read: UploadReader): Promise<object> {
  const { caller } = graphqlContextOf(response);
  demandScope(caller, 'write');
  inviteBody(request, response);
  const upload = await read(request, caller);
  try {
    const operation = operationWithFile(upload);
    response.locals.upload = upload;
    return operation;
  } catch (error) {
    upload.release();
    throw error;
  }
}

/** Drops the operation and its upload after the execution, even if the client reads the response slowly. */
export function releaseBody(request: Request, response: Response): void {
  request.body = undefined;
  (response.locals.upload as Upload | undefined)?.release();
  delete response.locals.upload;
}

async function readJson(request: Request, response: Response, bodyMs: number): Promise<object> {
  if (essenceOf(request) !== 'application/json') {
    throw (
      problemOfLabels(request) ?? operationRefused('BAD_REQUEST', 'Send the operation as application/json.')
    );
  }
  inviteBody(request, response);
  const { text } = await readText(request, { bodyMs, maxBytes: MAX_BODY_BYTES });
  const body = parsedJson(text);
  if (Array.isArray(body))
    throw operationRefused('BAD_REQUEST', 'Operation batching is disabled: send one operation.');
  if (typeof body !== 'object' || body === null) {
    throw operationRefused('BAD_REQUEST', 'The body must be a JSON object.');
  }
  return body;
}

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
