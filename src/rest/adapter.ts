import { Router, type Request, type RequestHandler, type Response } from 'express';

import type { Units } from '../database/work.js';
import { demandScope, type Caller } from '../platform/caller.js';
import type { Authenticator } from '../resources/access-token/authentication.service.js';
import { readContent } from '../resources/content/content.service.js';
import { contextOf } from '../http/context.js';
import { readBody, type Body } from './body.js';
import { createCall, expressPath } from './call.js';
import { readToken } from './credential.js';
import { answerOnce } from './idempotency.js';
import { inviteBody, readUpload } from './multipart.js';
import { HttpProblem } from './problem.js';
import { readQuery } from './query.js';
import type { Call, Method, Route } from './route.js';
import { renderAnswer, sendRendered, type Rendered } from './send.js';
import type { Upload } from './upload.js';

export interface AdapterOptions {
  readonly units: Units;
  readonly authenticator: Authenticator;
  readonly maxFileBytes: number;
}

/** All routes below /v1. What is no route is refused: 405 where the path has other methods. */
export function createAdapter(routes: readonly Route[], options: AdapterOptions): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, methods] of byPath(routes)) router.all(expressPath(path), serve(path, methods, options));
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

function serve(path: string, methods: ReadonlyMap<string, Route>, options: AdapterOptions): RequestHandler {
  return async (request, response) => {
    const context = contextOf(response);
    const route = methods.get(request.method);
    context.template = `/v1${route?.path ?? path}`;
    if (route === undefined) throw methodNotAllowed([...methods.keys()] as Method[]);
    const query = readQuery(request.originalUrl);
    const { ip, requestId } = context;
    const caller = await callerOf(request, query, route, options, { ip, requestId });
    const { body, upload } = await receive(request, response, route, options.maxFileBytes);
    const call = createCall({ request, route, query, body, upload, ip, requestId });
    const rendered = await perform(request, route, call, caller, body, options);
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
  origin: { readonly ip: string; readonly requestId: string },
): Promise<Caller | null> {
  if (route.right === null) return null;
  const caller = await authenticator.authenticate(readToken(request, query), { channel: 'api', ...origin });
  demandScope(caller, route.right);
  return caller;
}

async function receive(
  request: Request,
  response: Response,
  route: Route,
  maxFileBytes: number,
): Promise<{ body: Body; upload: Upload | null }> {
  inviteBody(request, response);
  if (route.multipart !== true) return { body: await readBody(request, response), upload: null };
  const upload = await readUpload(request, maxFileBytes);
  const fields = Object.fromEntries(upload.fields);
  const told = JSON.stringify([Object.entries(fields).sort(), upload.file?.fileName, upload.file?.sha256]);
  return { upload, body: { fields, isForm: true, bytes: Buffer.from(told) } };
}

async function perform(
  request: Request,
  route: Route,
  call: Call,
  caller: Caller | null,
  body: Body,
  { units }: AdapterOptions,
): Promise<Rendered & { readonly replayed?: boolean }> {
  if ('perform' in route) {
    return renderAnswer(await route.perform(call));
  }
  if (caller === null) throw new Error(`${route.path} was reached without a caller`);
  if ('write' in route) {
    const path = request.originalUrl.split('?')[0] ?? '';
    return await units.write(caller, (work) =>
      answerOnce(work, request, `${route.method} ${path}`, body.bytes, () => route.write(work, call)),
    );
  }
  return renderAnswer(await units.read(caller, (work) => route.read(work, call)));
}

function methodNotAllowed(methods: readonly Method[]): HttpProblem {
  const allow = methods.join(', ');
  return new HttpProblem(405, 'method_not_allowed', `This path takes ${allow}.`, { Allow: allow });
}
