import type { SystemWriteWork, WriteWork } from '../../database/work.js';
import { DAY } from '../../platform/clock.js';
import { DomainError } from '../../platform/errors.js';
import { deleteKept, deleteKeptBefore, findKept, insertKept } from './idempotency-key.repository.js';

const KEPT_MS = DAY;
const FORGOTTEN_AT_A_TIME = 1_000;

/** One client's promise that two calls are the same one. */
export interface IdempotencyKey {
  /** Text of the client's choice: 1 to 255 printable ASCII characters. */
  readonly key: string;
  /** The call it is for; a key means nothing to another user or for another call. */
  readonly call: string;
  /** Tells one body from another. */
  readonly fingerprint: string;
}

/** What was answered the first time. */
export interface KeptAnswer {
  readonly status: number;
  readonly answer: string;
  readonly contentId: number | null;
}

export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

/** The answer of an earlier call with this key within 24 hours. Errors: `idempotency_mismatch`. */
export async function findStoredResponse(
  work: WriteWork,
  key: IdempotencyKey,
): Promise<KeptAnswer | undefined> {
  const of = { scope: scopeOf(work, key), key: key.key };
  const kept = await findKept(work, of);
  if (kept === undefined) return undefined;
  if (work.now.getTime() - kept.created_at > KEPT_MS) {
    await deleteKept(work, of);
    return undefined;
  }
  if (kept.fingerprint !== key.fingerprint) {
    throw new DomainError('idempotency_mismatch', 'This Idempotency-Key was used with another body.');
  }
  return { status: kept.status, answer: kept.answer, contentId: kept.content_id };
}

/** Keeps the answer in the transaction of its effect, so that there is never one without the other. */
export async function storeResponse(work: WriteWork, key: IdempotencyKey, kept: KeptAnswer): Promise<void> {
  await insertKept(work, {
    scope: scopeOf(work, key),
    key: key.key,
    fingerprint: key.fingerprint,
    status: kept.status,
    answer: kept.answer,
    content_id: kept.contentId,
  });
}

/** Forgets some of the answers that are older than that; true where there are more of them. */
export async function deleteExpiredResponses(work: SystemWriteWork): Promise<boolean> {
  return await deleteKeptBefore(work, new Date(work.now.getTime() - KEPT_MS), FORGOTTEN_AT_A_TIME);
}

function scopeOf(work: WriteWork, key: IdempotencyKey): string {
  return `${work.caller.userId ?? 'system'} ${key.call}`;
}
