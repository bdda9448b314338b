import { Router, type Request, type RequestHandler } from 'express';

import type { Units } from '../database/work.js';
import { formBody, inviteBody, readBody, type Body } from '../http/body.js';
import { readToken } from '../http/credential.js';
import { isMultipart, type HeldUpload, type UploadReader } from '../http/multipart.js';
import { methodNotAllowed } from '../http/problem.js';
import { sendMethods } from '../http/send.js';
import { readQuery } from '../http/query.js';
import { requestContextOf, type RequestContext } from '../http/request-context.js';
import type { StoredResponses } from '../http/stored-responses.js';
import { demandScope, type Authenticator, type Caller } from '../platform/caller.js';
import { createCall, expressPath, type ReceivedRequest } from './call.js';
import { respondOnce } from './idempotency.js';
import { renderResponse, sendResponse, type RenderedResponse } from './response.js';
import { pathPattern, type Route } from './route.js';

export interface RestOptions {
  readonly units: Units;
  readonly authenticator: Authenticator;
  readonly storedResponses: StoredResponses;
  /** The bytes of a stored content, in chunks whose base64 texts can be joined. */
  readonly readContent: (companyId: number, contentId: number) => AsyncIterable<Uint8Array>;
  readonly readUpload: UploadReader;
  /** How long a client may take to send a body that is not multipart. */
  readonly bodyMs: number;
}

/**
 * The handler of all routes below /v1. HEAD is GET without a body, OPTIONS lists the methods of a path in `Allow`, any
 * other method that a path does not have is 405 (contract 4).
 */
export function createRestRouter(routes: readonly Route[], options: RestOptions): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, methods] of byPath(routes)) router.all(expressPath(path), serve(path, methods, options));
  return router;
}

function byPath(routes: readonly Route[]): [string, Map<string, Route>][] {
  const paths = new Map<string, { path: string; methods: Map<string, Route> }>();
  for (const route of routes) {
    const pattern = pathPattern(route.path);
    const entry = paths.get(pattern) ?? { path: route.path, methods: new Map<string, Route>() };
    if (entry.methods.has(route.method)) {
      throw new Error(`Two routes for ${route.method} ${route.path}`);
    }
    entry.methods.set(route.method, route);
    paths.set(pattern, entry);
  }
  // Fixed segments before placeholders: `/users/token` is not a user's id.
  return [...paths.entries()]
    .sort(([a], [b]) => a.split('{}').length - b.split('{}').length)
    .map(([, { path, methods }]) => [path, methods]);
}

function serve(path: string, methods: ReadonlyMap<string, Route>, options: RestOptions): RequestHandler {
  const allowed = [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  allowed.push('OPTIONS');
  return async (request, response) => {
    const context = requestContextOf(response);
    const route = methods.get(request.method === 'HEAD' ? 'GET' : request.method);
    context.template = `/v1${route?.path ?? path}`;
    if (request.method === 'OPTIONS') {
      sendMethods(response, allowed);
      return;
    }
    if (route === undefined) throw methodNotAllowed(allowed);
    const query = readQuery(request.originalUrl);
    const { ip, requestId } = context;
    const caller = await authorize(request, query, route, options, context);
    inviteBody(request, response);
    const { body, upload } = await receive(request, route, options);
    let rendered;
    try {
      rendered = await perform({ request, route, query, body, upload, ip, requestId }, caller, options);
    } finally {
      // Before the response is sent: a slow client must not keep the bytes in memory.
      upload?.release();
    }
    await sendResponse(request, response, rendered, (contentId) => {
      if (caller === null) throw new Error(`The route ${route.path} has no content without a caller`);
      return options.readContent(caller.companyId, contentId);
    });
  };
}

async function authorize(
  request: Request,
  query: ReadonlyMap<string, string>,
  route: Route,
  { authenticator }: RestOptions,
  context: RequestContext,
): Promise<Caller | null> {
  if (route.scope === null) return null;
  const { ip, requestId } = context;
  const caller = await authenticator.authenticate(readToken(request, query), {
    channel: 'api',
    ip,
    requestId,
  });
  context.caller = caller;
  demandScope(caller, route.scope);
  return caller;
}

async function receive(
  request: Request,
  route: Route,
  { readUpload, bodyMs }: RestOptions,
): Promise<{ body: Body; upload: HeldUpload | null }> {
  if (route.multipart !== true || !isMultipart(request)) {
    return { body: await readBody(request, bodyMs), upload: null };
  }
  const upload = await readUpload(request);
  // Stands for the body in the fingerprint of an idempotent request: two bodies have different boundaries.
  const content = JSON.stringify([[...upload.fields].sort(), upload.file?.fileName, upload.file?.sha256]);
  return { upload, body: { ...formBody(upload.fields), bytes: Buffer.from(content) } };
}

async function perform(
  received: ReceivedRequest,
  caller: Caller | null,
  { units, storedResponses }: RestOptions,
): Promise<RenderedResponse> {
  const { route } = received;
  const call = createCall(received);
  if ('perform' in route) return renderResponse(await route.perform(call));
  if (caller === null) throw new Error(`The route ${route.path} needs a caller`);
  if ('write' in route) {
    return await units.write(caller, (work) =>
      respondOnce(work, received, storedResponses, () => route.write(work, call)),
    );
  }
  return renderResponse(await units.read(caller, (work) => route.read(work, call)));
}
