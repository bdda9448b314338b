import type { RequestHandler } from 'express';
import { createHash } from 'node:crypto';

import type { ReadWork, WriteWork } from '../database/work.js';
import * as bodies from '../http/body/body.js';
import type { FileBodyReader, ReceivedBody } from '../http/body/file-body.js';
import type { Upload } from '../http/body/multipart.js';
import { HttpProblem } from '../http/problem.js';
import { headerOf, idempotencyKeyOf, readPage, requestContextOf } from '../http/request.js';
import type { StoredResponses } from '../http/send.js';
import { gather, yieldToEventLoop } from '../platform/concurrency/event-loop.js';
import { notFound } from '../platform/errors.js';
import type { Authenticator, Caller, IdempotencyKey } from '../platform/requests.js';
import { isNameLike, normalized, requireUnchanged, idFromText } from '../platform/validate.js';
import { etagOf, pickInput } from './fields.js';
import type { Call, Route, RouteResponse, Received } from './route.js';
import * as router from './router.js';

export interface RestOptions extends router.ListOptions {
  readonly authenticator: Authenticator;
  readonly storedResponses: StoredResponses;
  /** The bytes of a stored content, in chunks whose base64 texts can be joined. */
  readonly readContent: (companyId: number, contentId: number) => AsyncIterable<Uint8Array>;
  readonly readFileBody: FileBodyReader;
  readonly bodyMs: number;
}

export const V1 = '/v1';

export function createV1Router(routes: readonly Route[], options: RestOptions): RequestHandler {
  const withFile = routes.filter(({ file }) => file !== undefined);
  const paths = withFile.map(({ method, path }) => `${method} ${V1}${path}`).join(', ');
  const message = `Send a JSON object or a form: multipart/form-data is read by ${paths} only.`;
  const multipartElsewhere = (): HttpProblem => new HttpProblem(400, 'malformed_json', message);
  return router.createRouter(V1, routes, async (received) => {
    const { scope } = received.route;
    const caller = scope === null ? null : await router.authorize(received, scope, options.authenticator);
    await handle(received, caller, { ...options, multipartElsewhere });
  });
}

interface ServeOptions extends RestOptions {
  /** Error of a multipart body for a route without a file. */
  readonly multipartElsewhere: () => HttpProblem;
}

async function handle(received: Received<Route>, caller: Caller | null, options: ServeOptions) {
  const { request, response, route } = received;
  bodies.inviteBody(request, response);
  const { body, upload = null, release } = await receive(received, caller, options);
  // A slow client must not keep the bytes of its request in memory while it reads the response.
  const rendered = await perform({ ...received, body, upload }, caller, options).finally(release);
  const readContent = (contentId: number) => {
    if (caller === null) throw new Error(`The route ${route.path} has no content without a caller`);
    return options.readContent(caller.companyId, contentId);
  };
  await router.sendResponse(received, rendered, readContent);
}

async function receive(
  { request, route: { file } }: Received<Route>,
  caller: Caller | null,
  { bodyMs, readFileBody, multipartElsewhere }: ServeOptions,
): Promise<ReceivedBody> {
  const empty = bodies.emptyBody(request);
  if (empty !== undefined) return { body: empty };
  if (file !== undefined && caller !== null) return await readFileBody(request, caller, file);
  if (await bodies.hasMultipart(request, bodyMs)) throw multipartElsewhere();
  const maxBytes = caller === null ? bodies.MAX_OPEN_BODY_BYTES : bodies.MAX_BODY_BYTES;
  return { body: await bodies.readBody(request, { bodyMs, maxBytes }) };
}

/** Body size, in bytes, above which the event loop is yielded to around parsing: it takes some milliseconds. */
const LONG_BODY = 64 * 1024;

async function perform(received: ReceivedCall, caller: Caller | null, options: RestOptions) {
  const { units, storedResponses } = options;
  const { route, body } = received;
  const isLong = body.bytes.length > LONG_BODY;
  if (isLong) await yieldToEventLoop();
  else if (body.bytes.length > 0) await gather();
  const call = createCall(received);
  if (isLong) await yieldToEventLoop();
  if ('perform' in route) return router.renderResponse(route, await route.perform(call));
  if (caller === null) throw new Error(`The route ${route.path} needs a caller`);
  if ('write' in route) {
    return await units.write(caller, (work) =>
      respondOnce(work, received, storedResponses, () => route.write(work, call)),
    );
  }
  const read = (work: ReadWork) => route.read(work, call);
  if (route.isLarge !== true) {
    return router.renderResponse(route, await router.readOrExamine(read, caller, units));
  }
  return await router.performList(read, caller, received.response, options);
}

/** A request to /v1 whose token, scope and body are checked. */
interface ReceivedCall extends Received<Route> {
  readonly body: bodies.Body;
  readonly upload: Upload | null;
}

/** The argument of a route's handler. */
function createCall(received: ReceivedCall): Call {
  const { request, response, route, query, body, upload } = received;
  const { ip, requestId } = requestContextOf(response);
  return {
    id: (placeholder, what) => {
      const id = idFromText(received.values.get(placeholder) ?? '');
      if (id === undefined) throw notFound(what);
      return id;
    },
    name: (placeholder, what) => {
      const text = received.values.get(placeholder) ?? '';
      if (!isNameLike(text)) throw notFound(what);
      return normalized(text);
    },
    query,
    input: route.body === undefined ? {} : pickInput(route.body, body),
    ownerInput: route.ownerSelector === undefined ? {} : pickInput(route.ownerSelector, body),
    labelledAsForm: bodies.isFormType(headerOf(request, 'content-type')),
    page: route.paged === true ? readPage(query) : { page: 1, perPage: 1 },
    upload,
    ip,
    requestId,
    ifMatch: (name, record) => {
      requireUnchanged(
        etagOf(name, record),
        tagsIn(headerOf(request, 'if-match')),
        'If-Match is not the current ETag: the record was changed. Read it again.',
      );
    },
  };
}

/** ETags in If-Match; null if the header is absent or `*`, which match any version. */
function tagsIn(header = '*'): readonly string[] | null {
  return header.trim() === '*' ? null : header.split(',').map((tag) => tag.trim());
}

/** Performs a POST with an Idempotency-Key once; a repeated request gets the stored response of the first. */
async function respondOnce(
  work: WriteWork,
  received: ReceivedCall,
  responses: StoredResponses,
  perform: () => Promise<RouteResponse>,
): Promise<router.RenderedResponse> {
  const key = keyOf(received);
  const stored = key && (await responses.find(work, key));
  if (stored) {
    const first = JSON.parse(stored.answer) as router.RenderedResponse;
    return { ...first, status: stored.status, replayed: true };
  }
  const rendered = { ...router.renderResponse(received.route, await perform()), warnings: work.warnings };
  if (key !== null) {
    const { status, content } = rendered;
    const answer = JSON.stringify(rendered);
    await responses.store(work, key, { status, contentId: content?.id ?? null, answer });
  }
  return rendered;
}

function keyOf({ request, route, values, query, body }: ReceivedCall): IdempotencyKey | null {
  const key = idempotencyKeyOf(request);
  if (key === null) return null;
  const call = `${route.method} ${route.path} ${JSON.stringify([...values.values()])}`;
  // The query may select an owner, which makes another request; the token in it does not.
  const parameters = [...query].filter(([name]) => name !== 'access_token').sort();
  const fingerprint = createHash('sha256')
    .update(JSON.stringify(parameters))
    .update(body.bytes)
    .digest('hex');
  return { key, call, fingerprint };
}
