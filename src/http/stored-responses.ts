import type { WriteWork } from '../database/work.js';
import type { IdempotencyKey, StoredResponse } from '../platform/requests.js';

/** Responses kept for 24 hours, written in the transaction of their effect. */
export interface StoredResponses {
  /** Errors: `idempotency_mismatch` when the key was used for another request. */
  find(work: WriteWork, key: IdempotencyKey): Promise<StoredResponse | undefined>;
  store(work: WriteWork, key: IdempotencyKey, response: StoredResponse): Promise<void>;
}
