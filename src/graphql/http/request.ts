/** Steps before an operation over HTTP: its method, protection against forgery, the caller, and the body. */
import type { Request, RequestHandler, Response } from 'express';

import { inviteBody, isMultipart, MAX_BODY_BYTES, problemOfLabels, readText } from '../../http/body/body.js';
import type { Upload, UploadReader } from '../../http/body/multipart.js';
import { HttpProblem } from '../../http/problem.js';
import * as requests from '../../http/request.js';
import { sendMethods } from '../../http/send.js';
import { enterCompany } from '../../http/server/admission.js';
import { isLoopbackRequest } from '../../http/server/http-app.js';
import { isFromOwnPage, sessionCookieOf, setSessionCookie } from '../../http/session-cookie.js';
import { DomainError } from '../../platform/errors.js';
import {
  anonymousCaller,
  requireScope,
  type Authenticator,
  type Caller,
  type Origin,
} from '../../platform/requests.js';
import { parsedJson } from '../../platform/validate.js';
import {
  GraphqlContext,
  NO_FACTS,
  type OperationServices,
  type PageFacts,
  type RequestFacts,
} from '../execution/context.js';
import { SharedFeeds } from '../execution/following/shared-feed.js';
import { operationRefused } from '../limits/limits.js';
import { numberIn } from '../schema/node.js';
import { isSignIn, operationWithFile, type Json } from './operation-text.js';

/** Characters of User-Agent that a session keeps. */
const MAX_USER_AGENT = 255;

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

const SINGLE_CONNECTION =
  'The single connection mode of graphql-sse is not supported. Use its distinct connections mode (singleConnection: false): one request to /graphql/stream per operation, with Accept: text/event-stream.';

/** Responds with 405 to other methods; graphql-sse reserves a connection with PUT. Must come after `headAsGet`. */
export function requireMethod(path: Path): RequestHandler {
  return ({ method }, _response, next) => {
    if (!METHODS.includes(method)) {
      const advice = method === 'PUT' ? ` ${SINGLE_CONNECTION}` : '';
      const headers = { Allow: ALLOWED[path].join(', ') };
      throw new HttpProblem(405, 'method_not_allowed', `Send ${METHODS.join(' or ')}.${advice}`, headers);
    }
    next();
  };
}

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
    requests.requestContextOf(response).template = path;
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
  if (requests.bearerToken(request) !== undefined) return false;
  const type = requests.mediaTypeOf(request);
  const isPreflighted = PREFLIGHT_HEADERS.some((name) => (requests.headerOf(request, name)?.length ?? 0) > 0);
  return !isPreflighted && (type === undefined || SIMPLE_TYPES.includes(type));
}

/** An access token, or the text of a session's cookie, which does not count beside a token. */
export interface Credentials {
  readonly token?: string | undefined;
  readonly cookie?: string | undefined;
  /** Global id of the company that the page of a session shows. */
  readonly company?: string | undefined;
  /** Finds the caller in place of both. */
  readonly findCaller?: () => Promise<Caller>;
}

export function readCredentials(request: Request): Credentials {
  const query = requests.readQuery(request.originalUrl);
  const token = requests.readToken(request, query);
  const mayHave = token === undefined && requests.headerOf(request, 'cookie') !== undefined;
  const company = requests.headerOf(request, 'x-company')?.toString() ?? query.get('company');
  return { token, cookie: mayHave ? sessionCookieOf(request) : undefined, company };
}

export const COMPANY_NEEDED =
  'Name the company that the page shows by its global id: in the header X-Company, in `company` of the connection_init of a socket, or in the parameter `company` of an export.';

/** The context of an operation for a caller, on any transport. Errors: `unauthenticated`. */
export interface Authenticate {
  (credentials: Credentials, request: Omit<Origin, 'channel'>, facts?: RequestFacts): Promise<GraphqlContext>;
  /** A context without a caller, to sign in. */
  readonly anonymous: (request: Omit<Origin, 'channel'>, facts: RequestFacts) => GraphqlContext;
}

export function createAuthenticate(
  authenticator: Authenticator,
  shared: Omit<OperationServices, 'feeds'>,
): Authenticate {
  const services = { ...shared, feeds: new SharedFeeds(shared.units) };
  const authenticate = async (
    { token, cookie, company, findCaller }: Credentials,
    { ip, requestId }: Omit<Origin, 'channel'>,
    facts = NO_FACTS,
  ) => {
    // Ids are of a company (decisions.md#sessions).
    const mayChange = cookie === undefined || company !== undefined;
    const companyId = company === undefined ? undefined : (numberIn('Company', company) ?? 0);
    const caller =
      (await findCaller?.()) ??
      (cookie === undefined
        ? await authenticator.authenticate(token, { channel: 'api', ip, requestId })
        : await shared.sessions.authenticate(cookie, { channel: 'interface', ip, requestId }, companyId));
    return new GraphqlContext(caller, services, { ...facts, mayChange });
  };
  const anonymous = (request: Omit<Origin, 'channel'>, facts: RequestFacts) =>
    new GraphqlContext(anonymousCaller(request), services, facts);
  return Object.assign(authenticate, { anonymous });
}

/** `signsIn`: lets a request of a page of this server pass without a caller, if `readOperation` finds a sign-in. */
export function authenticateRequest(authenticate: Authenticate, signsIn = false): RequestHandler {
  return async (request, response, next) => {
    const requestContext = requests.requestContextOf(response);
    const { budget } = requestContext;
    const page = pageOf(request, response);
    const leavingSignal = () => requests.leavingSignal(response);
    const idempotencyKey = requests.idempotencyKeyOf(request);
    const facts = { ...NO_FACTS, budget, idempotencyKey, page, leavingSignal };
    const credentials = readCredentials(request);
    try {
      const context = await authenticate(credentials, requestContext, facts);
      enterCompany(response, context.caller);
      response.locals.graphql = context;
    } catch (error) {
      const isUnknown = error instanceof DomainError && error.code === 'unauthenticated';
      if (!signsIn || !isUnknown || credentials.token !== undefined || page === null) throw error;
      response.locals.graphql = authenticate.anonymous(requestContext, facts);
      response.locals.refusal = error;
    }
    next();
  };
}

/** Null for a request of a program, and of a page of another site. */
function pageOf(request: Request, response: Response): PageFacts | null {
  const isBrowser =
    (requests.headerOf(request, 'sec-fetch-site') ?? requests.headerOf(request, 'origin')) !== undefined;
  if (!isBrowser || !isFromOwnPage(request)) return null;
  const { ip, requestId } = requests.requestContextOf(response);
  const userAgent = requests.headerOf(request, 'user-agent')?.slice(0, MAX_USER_AGENT) ?? null;
  const origin = requests.headerOf(request, 'origin') ?? `${request.protocol}://${request.host}`;
  return {
    browser: { ip, requestId, userAgent, origin, isLocal: isLoopbackRequest(request) },
    setCookie: (text) => setSessionCookie(request, response, text),
  };
}

/** Errors: `unauthenticated` if a session has moved to another company than that of the connection. */
export function requireCompany({ caller }: GraphqlContext, companyId: number | null): void {
  if (companyId === null || caller.companyId === companyId) return;
  throw new DomainError('unauthenticated', 'The session went on in another company: connect again.');
}

export function graphqlContextOf(response: Response): GraphqlContext {
  return response.locals.graphql as GraphqlContext;
}

export interface BodyOptions {
  readonly readUpload: UploadReader;
  readonly bodyMs: number;
}

/** Bytes of a request without a caller: e-mail address, password, and what to read after signing in. */
const MAX_SIGN_IN_BYTES = 16 * 1024;

export function readOperation({ readUpload, bodyMs }: BodyOptions): RequestHandler {
  return async (request, response, next) => {
    request.body = undefined;
    if (response.locals.refusal !== undefined) {
      const read = isMultipart(request) ? null : readJson(request, response, bodyMs, MAX_SIGN_IN_BYTES);
      const body = await read?.catch(() => null);
      if (body == null || !isSignIn(body as Json)) throw response.locals.refusal;
      request.body = body;
    } else if (request.method === 'POST') {
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
  requireScope(caller, 'write');
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

async function readJson(
  request: Request,
  response: Response,
  bodyMs: number,
  maxBytes = MAX_BODY_BYTES,
): Promise<object> {
  if (requests.mediaTypeOf(request) !== 'application/json') {
    throw (
      problemOfLabels(request) ?? operationRefused('BAD_REQUEST', 'Send the operation as application/json.')
    );
  }
  inviteBody(request, response);
  const tooLarge = (): HttpProblem => operationTooLarge(maxBytes);
  const { text } = await readText(request, { bodyMs, maxBytes, tooLarge });
  const body = parsedJson(text);
  if (Array.isArray(body))
    throw operationRefused('BAD_REQUEST', 'Operation batching is disabled: send one operation.');
  if (typeof body !== 'object' || body === null) {
    throw operationRefused('BAD_REQUEST', 'The body must be a JSON object.');
  }
  return body;
}

function operationTooLarge(maxBytes: number): HttpProblem {
  const instead = 'Send files and bytecode as parts of multipart/form-data.';
  return new HttpProblem(413, 'too_large', `The operation is larger than ${maxBytes} bytes. ${instead}`);
}
