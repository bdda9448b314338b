import type { WriteWork } from '../database/work.js';

/** Identifies one repeatable request: the client's Idempotency-Key, the operation it belongs to, and a SHA-256 of the request's content. */
export interface IdempotencyKey {
  readonly key: string;
  readonly call: string;
  readonly fingerprint: string;
}

export interface StoredResponse {
  readonly status: number;
  readonly contentId: number | null;
  readonly answer: string;
}

/** Responses kept for 24 hours, written in the transaction of their effect. */
export interface StoredResponses {
  /** Errors: `idempotency_mismatch` when the key was used for another request. */
  find(work: WriteWork, key: IdempotencyKey): Promise<StoredResponse | undefined>;
  store(work: WriteWork, key: IdempotencyKey, response: StoredResponse): Promise<void>;
}

/** 1 to 255 printable ASCII characters without spaces. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}
