import type { Request, RequestHandler, Response } from 'express';

import type { Units } from '../database/work.js';
import type { Base64BodyReader } from '../http/body/base64-body.js';
import {
  emptyBody,
  formBody,
  inviteBody,
  MAX_BODY_BYTES,
  MAX_OPEN_BODY_BYTES,
  readBody,
  type Body,
} from '../http/body/body.js';
import type { BodyRate } from '../http/body/least-rate.js';
import { isMislabelled, isMultipart, type Upload, type UploadReader } from '../http/body/multipart.js';
import { holdBytes } from '../http/pieces.js';
import { HttpProblem, methodNotAllowed } from '../http/problem.js';
import { readQuery } from '../http/query.js';
import { requestContextOf } from '../http/request-context.js';
import { sendMethods } from '../http/send.js';
import type { StoredResponses } from '../http/stored-responses.js';
import type { Authenticator, Caller } from '../platform/caller.js';
import {
  companyOwner,
  currentOwner,
  enterEventLoop,
  workFor,
  yieldToEventLoop,
} from '../platform/concurrency/event-loop.js';
import type { Semaphore } from '../platform/concurrency/semaphore.js';
import { PIECE_BYTES } from '../platform/encoding/long-text.js';
import { SentBytes } from '../platform/encoding/sent-bytes.js';
import { invalid } from '../platform/errors.js';
import type { HeldBytes, WaitingBytes } from '../platform/limits/waiting-bytes.js';
import { authorize } from './authorize.js';
import { createCall, type ReceivedRequest } from './call.js';
import { respondOnce } from './idempotency.js';
import { performList, sendList, type RenderedList } from './large-list.js';
import { renderResponse, sendResponse, type RenderedResponse } from './response.js';
import { RouteTable, type FoundPath } from './route-table.js';
import type { FilePart, Route } from './route.js';

export interface RestOptions {
  readonly units: Units;
  readonly authenticator: Authenticator;
  readonly storedResponses: StoredResponses;
  /** The bytes of a stored content, in chunks whose base64 texts can be joined. */
  readonly readContent: (companyId: number, contentId: number) => AsyncIterable<Uint8Array>;
  readonly readUpload: UploadReader;
  readonly readBase64Body: Base64BodyReader;
  readonly bodyRate: BodyRate;
  readonly waiting: WaitingBytes;
  /** Limits the lists of large records that are read at once. */
  readonly largeReads: Semaphore;
}

interface ServeOptions extends RestOptions {
  /** The routes that read multipart bodies, for messages: `POST /v1/files, …`. */
  readonly fileRoutes: string;
}

/**
 * Handler of all routes below /v1. HEAD is GET without a body; OPTIONS lists the methods of a path in
 * `Allow`; a method that the path does not have is 405 (contract 4). Other paths go to the next handler.
 */
export function createRestRouter(routes: readonly Route[], options: RestOptions): RequestHandler {
  const table = new RouteTable(routes, '/v1');
  const withFile = routes.filter(({ file }) => file !== undefined);
  const fileRoutes = withFile.map(({ method, path }) => `${method} /v1${path}`).join(', ');
  const all = { ...options, fileRoutes };
  return (request, response, next) => {
    const found = table.find(request.path.slice('/v1'.length));
    if (found !== undefined) return serve(found, request, response, all);
    next();
    return undefined;
  };
}

async function serve(
  { path: { methods, allowed, template }, values }: FoundPath<Route>,
  request: Request,
  response: Response,
  options: ServeOptions,
): Promise<void> {
  const context = requestContextOf(response);
  const known = methods.get(request.method === 'HEAD' ? 'GET' : request.method);
  context.template = known?.template ?? template;
  if (request.method === 'OPTIONS') {
    sendMethods(response, allowed);
    return;
  }
  if (known === undefined) throw methodNotAllowed(allowed);
  const { route, placeholders } = known;
  const query = readQuery(request.originalUrl);
  const { scope } = route;
  const caller =
    scope === null ? null : await authorize({ request, response, query, scope }, options.authenticator);
  const owner = caller === null ? currentOwner() : companyOwner(caller);
  await workFor(owner, () =>
    handle({ request, route, query, placeholders, values }, response, caller, options),
  );
}

async function handle(
  parts: Omit<ReceivedRequest, 'body' | 'upload' | 'ip' | 'requestId'>,
  response: Response,
  caller: Caller | null,
  options: ServeOptions,
): Promise<void> {
  const { request, route } = parts;
  const { ip, requestId } = requestContextOf(response);
  const held = holdPlace(response, route);
  inviteBody(request, response);
  const rendered = await respond({ ...parts, ip, requestId }, caller, { ...options, held });
  if ('buffers' in rendered) {
    await sendList(request, response, rendered);
    return;
  }
  const readContent = (contentId: number) => {
    if (caller === null) throw new Error(`The route ${route.path} has no content without a caller`);
    return options.readContent(caller.companyId, contentId);
  };
  await sendResponse(request, response, rendered, { readContent, changed: 'write' in route ? held : null });
}

/**
 * Refuses a request before any work if the unread responses of the company leave no room for its own. Counts
 * the response: for a change from now on, for a list while it is rendered. Errors: `busy`.
 */
function holdPlace(response: Response, route: Route): HeldBytes {
  const { limits, caller } = requestContextOf(response);
  limits.waiting.demandRoom(caller?.companyId ?? null);
  return holdBytes(response, 'write' in route ? PIECE_BYTES : 0);
}

/** Drops the body before the response is sent: a slow client must not keep its bytes in memory. */
async function respond(
  parts: Omit<ReceivedRequest, 'body' | 'upload'>,
  caller: Caller | null,
  options: ServeOptions & { readonly held: HeldBytes },
): Promise<RenderedResponse | RenderedList> {
  const { body, upload, release } = await receive(parts.request, parts.route, caller, options);
  try {
    return await perform({ ...parts, body, upload }, caller, options);
  } finally {
    release();
  }
}

interface Received {
  readonly body: Body;
  readonly upload: Upload | null;
  /** Drops the bytes of an upload that no record has got. */
  readonly release: () => void;
}

async function receive(
  request: Request,
  { file, path }: Route,
  caller: Caller | null,
  options: ServeOptions,
): Promise<Received> {
  const empty = emptyBody(request);
  if (empty !== undefined) return { body: empty, upload: null, release: () => undefined };
  const { bodyRate: rate } = options;
  const isForm = isMultipart(request) && !(await isMislabelled(request, rate.windowMs));
  if (isForm && file === undefined) throw multipartElsewhere(options.fileRoutes);
  if (file !== undefined && (isForm || file.asText === true)) {
    if (caller === null) throw new Error(`The route ${path} reads a file without a caller`);
    if (isForm) return await receiveMultipart(file, () => options.readUpload(request, caller));
    const body = await options.readBase64Body(request, file.name, caller);
    return { body, upload: null, release: body.release };
  }
  const maxBytes = caller === null ? MAX_OPEN_BODY_BYTES : MAX_BODY_BYTES;
  return { body: await readBody(request, { rate, maxBytes }), upload: null, release: () => undefined };
}

async function receiveMultipart(
  { name, asText }: FilePart,
  readUpload: () => ReturnType<UploadReader>,
): Promise<Received> {
  const upload = await readUpload();
  const { file, release } = upload;
  try {
    // Stands for the body in the fingerprint of an idempotent request: two bodies have different boundaries.
    const content = JSON.stringify([[...upload.fields].sort(), file?.fileName, file?.sha256]);
    const body = { ...formBody(upload.fields), bytes: Buffer.from(content) };
    if (asText !== true || file === null) return { body, upload, release };
    if (upload.fields.has(name)) throw invalid(name, 'must be sent once: as a file, or as base64 text');
    return { body: { ...body, fields: { ...body.fields, [name]: new SentBytes(file) } }, upload, release };
  } catch (error) {
    release();
    throw error;
  }
}

function multipartElsewhere(fileRoutes: string): HttpProblem {
  const message = `Send a JSON object or a form: multipart/form-data is read by ${fileRoutes} only.`;
  return new HttpProblem(400, 'malformed_json', message);
}

/**
 * Body size, in bytes, above which the event loop is yielded to around parsing: it takes some milliseconds.
 */
const LONG_BODY = 64 * 1024;

async function perform(
  received: ReceivedRequest,
  caller: Caller | null,
  options: RestOptions & { readonly held: HeldBytes },
): Promise<RenderedResponse | RenderedList> {
  const { units, storedResponses } = options;
  const { route } = received;
  const isLong = received.body.bytes.length > LONG_BODY;
  if (isLong) await yieldToEventLoop();
  else await enterEventLoop();
  const call = createCall(received);
  if (isLong) await yieldToEventLoop();
  if ('perform' in route) return renderResponse(await route.perform(call));
  if (caller === null) throw new Error(`The route ${route.path} needs a caller`);
  if ('write' in route) {
    return await units.write(caller, (work) =>
      respondOnce(work, received, storedResponses, () => route.write(work, call)),
    );
  }
  if (route.isLarge !== true) {
    return renderResponse(
      await units.read(caller, (work) => route.read(work, call), { examines: 'when_needed' }),
    );
  }
  return await performList(
    (work) => route.read(work, call),
    caller,
    () => `${received.request.originalUrl} ${received.body.bytes.toString()}`,
    options,
  );
}
