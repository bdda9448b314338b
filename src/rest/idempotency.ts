import type { Request } from 'express';
import { createHash } from 'node:crypto';

import type { WriteWork } from '../database/work.js';
import {
  isIdempotencyKey,
  findStoredResponse,
  storeResponse,
  type IdempotencyKey,
} from '../resources/idempotency-key/idempotency-key.service.js';
import { malformed } from '../http/query.js';
import type { RouteResponse, Route } from './route.js';
import { renderAnswer, type Rendered } from '../http/send.js';

export interface MaybeReplayed extends Rendered {
  readonly replayed: boolean;
}

/** What makes two requests the same one. */
export interface Repeatable {
  readonly request: Request;
  readonly route: Route;
  readonly query: ReadonlyMap<string, string>;
  readonly bytes: Uint8Array;
}

/** Performs a POST with an Idempotency-Key once, and answers the same again to whoever repeats it. */
export async function answerOnce(
  work: WriteWork,
  repeatable: Repeatable,
  perform: () => Promise<RouteResponse>,
): Promise<MaybeReplayed> {
  const key = keyOf(repeatable);
  if (key === null) return { ...renderAnswer(await perform()), replayed: false };
  const kept = await findStoredResponse(work, key);
  if (kept !== undefined) {
    const { etag, parts } = JSON.parse(kept.answer) as { etag?: string; parts: string[] };
    return { status: kept.status, etag, parts, contentId: kept.contentId, replayed: true };
  }
  const rendered = renderAnswer(await perform());
  const { status, contentId, etag, parts } = rendered;
  await storeResponse(work, key, { status, contentId, answer: JSON.stringify({ etag, parts }) });
  return { ...rendered, replayed: false };
}

function keyOf({ request, route, query, bytes }: Repeatable): IdempotencyKey | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.method !== 'POST') return null;
  if (typeof key !== 'string' || !isIdempotencyKey(key)) {
    throw malformed('An Idempotency-Key has 1 to 255 printable ASCII characters and no spaces.');
  }
  const call = `${route.method} ${route.path} ${JSON.stringify(request.params)}`;
  // An owner may stand in the query; a token is no part of what is asked for.
  const asked = [...query].filter(([name]) => name !== 'access_token').sort();
  const fingerprint = createHash('sha256').update(JSON.stringify(asked)).update(bytes).digest('hex');
  return { key, call, fingerprint };
}
