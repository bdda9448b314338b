import type { Request } from 'express';
import { createHash } from 'node:crypto';

import type { WriteWork } from '../database/work.js';
import {
  isIdempotencyKey,
  recallAnswer,
  rememberAnswer,
  type IdempotencyKey,
} from '../resources/idempotency-key/idempotency-key.service.js';
import { malformed } from './query.js';
import type { Answer } from './route.js';
import { renderAnswer, type Rendered } from './send.js';

export interface MaybeReplayed extends Rendered {
  readonly replayed: boolean;
}

/** Performs a POST with an Idempotency-Key once, and answers the same again to whoever repeats it. */
export async function answerOnce(
  work: WriteWork,
  request: Request,
  call: string,
  bytes: Uint8Array,
  perform: () => Promise<Answer>,
): Promise<MaybeReplayed> {
  const key = keyOf(request, call, bytes);
  if (key === null) return { ...renderAnswer(await perform()), replayed: false };
  const kept = await recallAnswer(work, key);
  if (kept !== undefined) {
    const { etag, parts } = JSON.parse(kept.answer) as { etag?: string; parts: string[] };
    return { status: kept.status, etag, parts, contentId: kept.contentId, replayed: true };
  }
  const rendered = renderAnswer(await perform());
  const { status, contentId, etag, parts } = rendered;
  await rememberAnswer(work, key, { status, contentId, answer: JSON.stringify({ etag, parts }) });
  return { ...rendered, replayed: false };
}

function keyOf(request: Request, call: string, bytes: Uint8Array): IdempotencyKey | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.method !== 'POST') return null;
  if (typeof key !== 'string' || !isIdempotencyKey(key)) {
    throw malformed('An Idempotency-Key has 1 to 255 printable ASCII characters and no spaces.');
  }
  return { key, call, fingerprint: createHash('sha256').update(bytes).digest('hex') };
}
