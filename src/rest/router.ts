import { Router, type RequestHandler, type Response } from 'express';
import { randomBytes } from 'node:crypto';

import type { ReadWork, Units } from '../database/work.js';
import { methodNotAllowed } from '../http/problem.js';
import { leavingSignal, isUnchanged, readQuery, readToken, requestContextOf } from '../http/request.js';
import * as sending from '../http/send.js';
import { enterCompany } from '../http/server/admission.js';
import type { HeldBytes, Places } from '../platform/client-limits.js';
import { yieldToEventLoop } from '../platform/concurrency/event-loop.js';
import { type Caller, requireScope, type Authenticator, type Scope } from '../platform/requests.js';
import * as routing from './route.js';

/** Handler of the routes below a prefix, with HEAD and OPTIONS; other methods of a path are 405 (contract 4). */
export function createRouter<R extends routing.RouteBase>(
  prefix: string,
  routes: readonly R[],
  serve: (received: routing.Received<R>) => Promise<void>,
): RequestHandler {
  const router = Router({ caseSensitive: true });
  const byPath = [...Map.groupBy(routes, ({ path }) => routing.pathPattern(path))];
  // Fixed segments come before placeholders: `/users/token` is not a user's id.
  byPath.sort(([one], [other]) => one.split('{}').length - other.split('{}').length);
  for (const [pattern, ofPath] of byPath) {
    const methods = new Map<string, R>(ofPath.map((route) => [route.method, route]));
    const namesOf = new Map(ofPath.map((route) => [route, routing.placeholders(route.path)]));
    if (methods.size < ofPath.length) throw new Error(`Two routes with one method for ${pattern}`);
    const allowed = [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    allowed.push('OPTIONS');
    let count = 0;
    const path = `${prefix}${pattern.replaceAll('{}', () => `:p${count++}`)}`;
    router.all(path, async (request, response) => {
      const route = methods.get(request.method === 'HEAD' ? 'GET' : request.method);
      requestContextOf(response).template = `${prefix}${(route ?? ofPath[0])?.path ?? ''}`;
      if (request.method === 'OPTIONS') {
        sending.sendMethods(response, allowed);
        return;
      }
      if (route === undefined) throw methodNotAllowed(allowed);
      const query = readQuery(request.originalUrl);
      const names = namesOf.get(route) ?? [];
      const values = new Map(names.map((name, n) => [name, String(request.params[`p${n}`])]));
      await serve({ route, request, response, query, values });
    });
  }
  return router;
}

/** Authenticates a user's request and counts it for the caller's company. Errors: `busy`, those of `callerOf`. */
export async function authorize(received: routing.Received, scope: Scope, authenticator: Authenticator) {
  const caller = await callerOf(received, authenticator);
  enterCompany(received.response, caller);
  requireScope(caller, scope);
  return caller;
}

/** The user that the token of a request stands for. Errors: `malformed`, `unauthenticated`. */
export async function callerOf({ request, response, query }: routing.Received, authenticator: Authenticator) {
  const { ip, requestId } = requestContextOf(response);
  return await authenticator.authenticate(readToken(request, query), { channel: 'api', ip, requestId });
}

/** Prefix of placeholders for contents. Random and never sent, so that no client text can contain it. */
const CONTENT_MARK = `content:${randomBytes(24).toString('hex')}:`;

/** A stored content of `size` bytes as a base64 field, at most one per response. Its bytes are read as it is sent. */
export const base64Of = (contentId: number, size: number): string => `${CONTENT_MARK}${contentId}/${size}`;

export interface RenderedResponse {
  readonly status: number;
  readonly etag: string | undefined;
  /** JSON text in one part; or two parts, with the base64 of `content` to be sent between them. */
  readonly parts: readonly string[];
  /** Content to send between the parts, and its bytes; null if there is one part. */
  readonly content: { readonly id: number; readonly size: number } | null;
  /** Warnings about the change that the caller should check. */
  readonly warnings?: readonly string[];
  /** True if the response was stored by an earlier request with the same Idempotency-Key. */
  readonly replayed?: true;
}

/** JSON text of a list of more than one piece; `held` counts its bytes. */
export interface RenderedList {
  readonly buffers: Buffer[];
  readonly held: HeldBytes;
}

export function renderResponse(
  route: routing.Route,
  { etag, body }: routing.RouteResponse,
): RenderedResponse {
  const status = 201 in (route.statuses ?? {}) ? 201 : 200;
  const text = JSON.stringify(body);
  const mark = text.indexOf(CONTENT_MARK);
  if (mark === -1) return { status, etag, parts: [text], content: null };
  const end = text.indexOf('"', mark);
  const [id = 0, size = 0] = text
    .slice(mark + CONTENT_MARK.length, end)
    .split('/')
    .map(Number);
  return { status, etag, parts: [text.slice(0, mark), text.slice(end)], content: { id, size } };
}

export interface ListOptions {
  readonly units: Units;
  readonly places: Places;
}

type Read = (work: ReadWork) => Promise<routing.RouteResponse | null>;

/** Reads in the event loop or, if that is a search, in a unit that may make one (decisions.md#many-rows). */
export async function readOrExamine(read: Read, caller: Caller, units: Units, beforeSearch?: () => void) {
  const response = await units.read(caller, read);
  if (response !== null) return response;
  beforeSearch?.();
  const found = await units.read(caller, read, { examines: true });
  if (found === null) throw new Error('A read that may make a search has found nothing to show.');
  return found;
}

/** Reads and renders a list of large records for `response`. Errors: those of `HeldBytes.add`, and of `leavingSignal`. */
export async function performList(
  read: Read,
  caller: Caller,
  response: Response,
  { units, places }: ListOptions,
): Promise<RenderedList | RenderedResponse> {
  const release = await places.acquire(caller.companyId, leavingSignal(response));
  try {
    const held = sending.holdBytes(response);
    held.requireRoom();
    // Searches have limits of their own.
    return await renderList(await readOrExamine(read, caller, units, release), held);
  } finally {
    release();
  }
}

/** Renders record by record; requests are served in between. Errors: those of `HeldBytes.add`. */
async function renderList({ body }: routing.RouteResponse, held: HeldBytes) {
  const buffers: Buffer[] = [];
  let text = '';
  const append = (): void => {
    const buffer = Buffer.from(text);
    buffers.push(buffer);
    held.add(buffer.length);
    text = '';
  };
  for (const part of jsonParts(body)) {
    text += part;
    if (text.length < sending.PIECE_BYTES) continue;
    append();
    await yieldToEventLoop();
  }
  if (buffers.length === 0) return { status: 200, etag: undefined, parts: [text], content: null };
  append();
  return { buffers, held };
}

/** JSON text of an object in pieces: one for each element of its arrays. Empties the arrays. */
function* jsonParts(body: object): Generator<string> {
  let mark = '{';
  for (const [name, value] of Object.entries(body)) {
    yield `${mark}${JSON.stringify(name)}:`;
    mark = ',';
    if (!Array.isArray(value)) {
      yield JSON.stringify(value);
      continue;
    }
    const elements = value as unknown[];
    yield elements.length === 0 ? '[' : `[${JSON.stringify(elements.shift())}`;
    // Removing the record lets it be freed as soon as its text exists.
    while (elements.length > 0) yield `,${JSON.stringify(elements.shift())}`;
    yield ']';
  }
  yield '}';
}

/** Sends the response, to HEAD without a body; 304 if the request has the ETag. Chunks of a content are read one by one. */
export async function sendResponse(
  { request, response, route }: routing.Received,
  rendered: RenderedResponse | RenderedList,
  readContent: (contentId: number) => AsyncIterable<Uint8Array>,
): Promise<void> {
  if ('buffers' in rendered) {
    response.status(200).setHeader('Content-Type', sending.JSON_TYPE);
    response.setHeader('Content-Length', rendered.held.bytes);
    const pieces = request.method === 'HEAD' ? [] : sending.removed(rendered.buffers);
    await sending.sendInPieces(response, pieces, rendered.held);
    return;
  }
  const { status, etag, parts, content, warnings = [], replayed } = rendered;
  if (etag !== undefined) response.setHeader('ETag', etag);
  if (isUnchanged(request, etag)) {
    response.status(304).end();
    return;
  }
  response.status(status).setHeader('Content-Type', sending.JSON_TYPE);
  if (warnings.length > 0) response.setHeader('X-Warning', warnings.join('; '));
  if (replayed === true) response.setHeader('Idempotent-Replayed', 'true');
  const isChange = 'write' in route;
  const [head = '', tail = ''] = parts;
  if (content === null) {
    await sending.sendText(response, head, isChange);
    return;
  }
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  response.setHeader('Content-Length', bytes + 4 * Math.ceil(content.size / 3));
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  sending.holdBytes(response, sending.STREAM_BYTES, isChange);
  await sending.sendInPieces(response, withContent(head, readContent(content.id), tail));
}

async function* withContent(head: string, content: AsyncIterable<Uint8Array>, tail: string) {
  yield head;
  for await (const bytes of content) yield* sending.base64Pieces(bytes);
  yield tail;
}
