import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';

import type { WriteWork } from '../../database/work.js';
import {
  findStoredResponse,
  storeResponse,
  type IdempotencyKey,
} from '../../resources/idempotency-key/idempotency-key.service.js';
import { requestError } from '../schema/errors.js';
import type { MutationCall } from './request.js';
import { findSentFile } from '../http/upload.js';

/** Their answer shows what is nowhere kept, so that it cannot be shown again. */
const NOT_REPEATABLE: readonly string[] = ['apiTokenCreate'];

const SUCCESS = 200;

/**
 * A change that a client may repeat: the same key, field, alias and arguments within 24 hours answer what was
 * answered the first time, from records kept in the transaction of the effect. What was refused is not kept.
 * Errors: `idempotency_mismatch`.
 */
export async function changeIdempotently<T extends object>(
  work: WriteWork,
  key: string,
  call: MutationCall,
  change: () => Promise<T>,
): Promise<{ readonly result: T; readonly replayed: boolean }> {
  if (NOT_REPEATABLE.includes(call.field)) {
    throw requestError(`${call.field} takes no Idempotency-Key: what it answers is nowhere kept.`);
  }
  const promise = keyOf(key, call);
  const kept = await findStoredResponse(work, promise);
  if (kept !== undefined) {
    return { result: deserialize(Buffer.from(kept.answer, 'base64')) as T, replayed: true };
  }
  const result = await change();
  const answer = serialize(result).toString('base64');
  await storeResponse(work, promise, { status: SUCCESS, contentId: contentIn(result), answer });
  return { result, replayed: false };
}

/** The bytes that the answered record may show once more; they stay as long as the answer is kept. */
function contentIn(result: object): number | null {
  const ids = Object.values(result).map((record: unknown) =>
    typeof record === 'object' && record !== null && 'contentId' in record ? record.contentId : null,
  );
  return ids.find((id) => typeof id === 'number') ?? null;
}

function keyOf(key: string, { field, alias, args }: MutationCall): IdempotencyKey {
  const told = JSON.stringify(args, (_name, value: unknown) => {
    const file = findSentFile(value);
    return file === undefined ? value : { fileName: file.fileName, sha256: file.sha256 };
  });
  const fingerprint = createHash('sha256').update(told).digest('hex');
  return { key, call: `graphql ${field} ${alias}`, fingerprint };
}
