import { createHash } from 'node:crypto';

import type { WriteWork } from '../database/work.js';
import { headerOf } from '../http/headers.js';
import { malformed } from '../http/query.js';
import type { StoredResponses } from '../http/stored-responses.js';
import { isIdempotencyKey, type IdempotencyKey } from '../platform/requests/idempotency.js';
import type { ReceivedRequest } from './call.js';
import { renderResponse, type RenderedResponse } from './response.js';
import type { RouteResponse } from './route.js';

/** Performs a POST with an Idempotency-Key once; a repeated request gets the stored response of the first. */
export async function respondOnce(
  work: WriteWork,
  received: ReceivedRequest,
  responses: StoredResponses,
  perform: () => Promise<RouteResponse>,
): Promise<RenderedResponse> {
  const key = keyOf(received);
  const render = async (): Promise<RenderedResponse> => ({
    ...renderResponse(await perform()),
    warnings: work.warnings,
  });
  if (key === null) return await render();
  const stored = await responses.find(work, key);
  if (stored !== undefined) {
    const answer = JSON.parse(stored.answer) as StoredAnswer;
    return { status: stored.status, etag: answer.etag, ...answer, replayed: true };
  }
  const rendered = await render();
  const { status, content, etag, parts, warnings } = rendered;
  const answer = JSON.stringify({ etag, parts, content, warnings });
  await responses.store(work, key, { status, contentId: content?.id ?? null, answer });
  return rendered;
}

interface StoredAnswer extends Pick<RenderedResponse, 'parts' | 'content' | 'warnings'> {
  readonly etag?: string;
}

function keyOf({ request, route, values, query, body }: ReceivedRequest): IdempotencyKey | null {
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
