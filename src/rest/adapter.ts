import { Router, type Request, type RequestHandler, type Response } from 'express';

import type { Units } from '../database/work.js';
import { demandScope, type Caller } from '../platform/caller.js';
import type { Authenticator } from '../resources/access-token/authentication.service.js';
import { readContent } from '../resources/content/content.service.js';
import { requestContextOf, type RequestContext } from '../http/request-context.js';
import { inviteBody, readBody, type Body } from '../http/body.js';
import { createCall, expressPath } from './call.js';
import { readToken } from '../http/credential.js';
import { answerOnce } from './idempotency.js';
import { createUploadReader, isMultipart, type HeldUpload, type UploadReader } from '../http/multipart.js';
import { HttpProblem } from '../http/problem.js';
import { readQuery } from '../http/query.js';
import type { Call, Method, Route } from './route.js';
import { renderAnswer, sendRendered, type Rendered } from '../http/send.js';

export interface AdapterOptions {
  readonly units: Units;
  readonly authenticator: Authenticator;
  readonly maxFileBytes: number;
  /** How long a client may take to send a body that is no upload. */
  readonly bodyMs: number;
}

interface AdapterParts extends AdapterOptions {
  readonly readUpload: UploadReader;
}

/** A request that may be answered, its body not read yet. */
interface Accepted {
  readonly request: Request;
  readonly response: Response;
  readonly route: Route;
  readonly query: ReadonlyMap<string, string>;
  readonly caller: Caller | null;
  readonly ip: string;
  readonly requestId: string;
}

/** All routes below /v1. What is no route is refused: 405 where the path has other methods. */
export function createAdapter(routes: readonly Route[], options: AdapterOptions): Router {
  const router = Router({ caseSensitive: true });
  const parts = { ...options, readUpload: createUploadReader({ maxFileBytes: options.maxFileBytes }) };
  for (const [path, methods] of byPath(routes)) router.all(expressPath(path), serve(path, methods, parts));
  return router;
}

function byPath(routes: readonly Route[]): [string, Map<string, Route>][] {
  const paths = new Map<string, { path: string; methods: Map<string, Route> }>();
  for (const route of routes) {
    const shape = route.path.replace(/\{[^}]+\}/g, '{}');
    const entry = paths.get(shape) ?? { path: route.path, methods: new Map<string, Route>() };
    if (entry.methods.has(route.method)) throw new Error(`${route.method} ${route.path} is there twice`);
    entry.methods.set(route.method, route);
    paths.set(shape, entry);
  }
  // Fixed segments before placeholders: /users/token is no user.
  return [...paths.entries()]
    .sort(([a], [b]) => a.split('{}').length - b.split('{}').length)
    .map(([, { path, methods }]) => [path, methods]);
}

function serve(path: string, methods: ReadonlyMap<string, Route>, options: AdapterParts): RequestHandler {
  return async (request, response) => {
    const context = requestContextOf(response);
    const route = methods.get(request.method);
    context.template = `/v1${route?.path ?? path}`;
    if (route === undefined) throw methodNotAllowed([...methods.keys()] as Method[]);
    const query = readQuery(request.originalUrl);
    const { ip, requestId } = context;
    const caller = await callerOf(request, query, route, options, context);
    const rendered = await answer({ request, response, route, query, caller, ip, requestId }, options);
    const content =
      rendered.contentId === null || caller === null
        ? null
        : readContent(options.units, caller.companyId, rendered.contentId);
    if (rendered.replayed === true) response.setHeader('Idempotent-Replayed', 'true');
    await sendRendered(response, rendered, content);
  };
}

async function callerOf(
  request: Request,
  query: ReadonlyMap<string, string>,
  route: Route,
  { authenticator }: AdapterOptions,
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

/** When it answers, nothing of the body is held any more: taking the answer is up to the client's pace. */
async function answer(
  accepted: Accepted,
  parts: AdapterParts,
): Promise<Rendered & { readonly replayed?: boolean }> {
  const { body, upload } = await receive(accepted, parts);
  try {
    return await perform(accepted, createCall({ ...accepted, body, upload }), body, parts);
  } finally {
    upload?.release();
  }
}

async function receive(
  { request, response, route }: Accepted,
  { readUpload, bodyMs }: AdapterParts,
): Promise<{ body: Body; upload: HeldUpload | null }> {
  inviteBody(request, response);
  if (route.multipart !== true || !isMultipart(request)) {
    return { body: await readBody(request, bodyMs), upload: null };
  }
  const upload = await readUpload(request);
  const fields = Object.fromEntries(upload.fields);
  const told = JSON.stringify([Object.entries(fields).sort(), upload.file?.fileName, upload.file?.sha256]);
  return { upload, body: { fields, isForm: true, bytes: Buffer.from(told) } };
}

async function perform(
  { request, route, caller, query }: Accepted,
  call: Call,
  body: Body,
  { units }: AdapterOptions,
): Promise<Rendered & { readonly replayed?: boolean }> {
  if ('perform' in route) {
    return renderAnswer(await route.perform(call));
  }
  if (caller === null) throw new Error(`${route.path} was reached without a caller`);
  if ('write' in route) {
    return await units.write(caller, (work) =>
      answerOnce(work, { request, route, query, bytes: body.bytes }, () => route.write(work, call)),
    );
  }
  return renderAnswer(await units.read(caller, (work) => route.read(work, call)));
}

function methodNotAllowed(methods: readonly Method[]): HttpProblem {
  const allow = methods.join(', ');
  return new HttpProblem(405, 'method_not_allowed', `This path takes ${allow}.`, { Allow: allow });
}
