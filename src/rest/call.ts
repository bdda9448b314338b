import { createHash } from 'node:crypto';

import type { WriteWork } from '../database/work.js';
import { isFormType, type Body } from '../http/body/body.js';
import type { Upload } from '../http/body/multipart.js';
import { headerOf } from '../http/headers.js';
import { malformed, readPage } from '../http/query.js';
import { requestContextOf } from '../http/request-context.js';
import type { StoredResponses } from '../http/stored-responses.js';
import { demandUnchanged } from '../platform/changes/changes.js';
import { isNameLike, normalized } from '../platform/encoding/text.js';
import { notFound } from '../platform/errors.js';
import { isIdempotencyKey, type IdempotencyKey } from '../platform/requests/idempotency.js';
import { idFromText } from '../platform/validate.js';
import { etagOf } from './fields.js';
import { pickInput } from './input.js';
import { renderResponse, type RenderedResponse } from './response.js';
import type { Call, Route, RouteResponse } from './route.js';
import { valueOf, type Received } from './router.js';

/** A request to /v1 whose token, scope and body are checked. */
export interface ReceivedCall extends Received<Route> {
  readonly body: Body;
  readonly upload: Upload | null;
}

/** The argument of a route's handler. */
export function createCall(received: ReceivedCall): Call {
  const { request, response, route, query, body, upload } = received;
  const { ip, requestId } = requestContextOf(response);
  return {
    id: (placeholder, what) => {
      const id = idFromText(valueOf(received, placeholder));
      if (id === undefined) throw notFound(what);
      return id;
    },
    name: (placeholder, what) => {
      const text = valueOf(received, placeholder);
      if (!isNameLike(text)) throw notFound(what);
      return normalized(text);
    },
    query,
    input: route.body === undefined ? {} : pickInput(route.body, body),
    ownerInput: route.ownerSelector === undefined ? {} : pickInput(route.ownerSelector, body),
    labelledAsForm: isFormType(headerOf(request, 'content-type')),
    page: route.paged === true ? readPage(query) : { page: 1, perPage: 1 },
    upload,
    ip,
    requestId,
    ifMatch: (name, record) => {
      demandUnchanged(
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
export async function respondOnce(
  work: WriteWork,
  received: ReceivedCall,
  responses: StoredResponses,
  perform: () => Promise<RouteResponse>,
): Promise<RenderedResponse> {
  const key = keyOf(received);
  const stored = key && (await responses.find(work, key));
  if (stored) {
    const first = JSON.parse(stored.answer) as RenderedResponse;
    return { ...first, status: stored.status, replayed: true };
  }
  const rendered = { ...renderResponse(received.route, await perform()), warnings: work.warnings };
  if (key !== null) {
    const { status, content } = rendered;
    const answer = JSON.stringify(rendered);
    await responses.store(work, key, { status, contentId: content?.id ?? null, answer });
  }
  return rendered;
}

function keyOf({ request, route, values, query, body }: ReceivedCall): IdempotencyKey | null {
  const key = headerOf(request, 'idempotency-key');
  if (key === undefined || request.method !== 'POST') return null;
  if (typeof key !== 'string' || !isIdempotencyKey(key)) {
    throw malformed('Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.');
  }
  const call = `${route.method} ${route.path} ${JSON.stringify(values)}`;
  // The query may select an owner, which makes another request; the token in it does not.
  const parameters = [...query].filter(([name]) => name !== 'access_token').sort();
  const fingerprint = createHash('sha256')
    .update(JSON.stringify(parameters))
    .update(body.bytes)
    .digest('hex');
  return { key, call, fingerprint };
}
