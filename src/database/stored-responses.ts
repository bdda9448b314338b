import { sql } from 'kysely';

import { DAY } from '../platform/clock.js';
import { DomainError } from '../platform/errors.js';
import type { IdempotencyKey, StoredResponse } from '../platform/requests.js';
import { CompanyRows } from './company/company-rows.js';
import { instant } from './storage.js';
import type { SystemWriteWork, WriteWork } from './work.js';

const responses = new CompanyRows('idempotency_keys');

const RETENTION_MS = DAY;
const DELETED_PER_CALL = 100;

/** The response of an earlier call with this key, for 24 hours. Errors: `idempotency_mismatch`. */
export async function findStoredResponse(
  work: WriteWork,
  key: IdempotencyKey,
): Promise<StoredResponse | undefined> {
  const of = { scope: scopeOf(work, key), key: key.key };
  const kept = await responses.find(work, of);
  if (kept === undefined) return undefined;
  if (work.now.getTime() - kept.created_at > RETENTION_MS) {
    await responses.delete(work, of);
    return undefined;
  }
  if (kept.fingerprint !== key.fingerprint) {
    throw new DomainError('idempotency_mismatch', 'This Idempotency-Key was used with another body.');
  }
  return { status: kept.status, answer: kept.answer, contentId: kept.content_id };
}

/** Stores the response in the transaction of the call's own changes. */
export async function storeResponse(work: WriteWork, key: IdempotencyKey, kept: StoredResponse) {
  const row = {
    scope: scopeOf(work, key),
    key: key.key,
    fingerprint: key.fingerprint,
    status: kept.status,
    answer: kept.answer,
    content_id: kept.contentId,
    created_at: instant.toColumn(work.now),
  };
  await responses.insert(work, [row]);
}

/** Deletes some of the responses older than 24 hours, oldest first; returns whether more exist. */
export async function deleteExpiredResponses({ db, now }: SystemWriteWork): Promise<boolean> {
  const before = new Date(now.getTime() - RETENTION_MS);
  const { rows } = await sql<{ at: number }>`select created_at as at from idempotency_keys
    where created_at < ${before} order by created_at limit 1 offset ${DELETED_PER_CALL}`.execute(db);
  const [next] = rows;
  // All responses of the same millisecond go together, so that each call makes progress.
  const end = next === undefined ? before : new Date(next.at + 1);
  await sql`delete from idempotency_keys where created_at < ${end}`.execute(db);
  return next !== undefined;
}

const scopeOf = (work: WriteWork, key: IdempotencyKey): string => `${work.caller.userId} ${key.call}`;
