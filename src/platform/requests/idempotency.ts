/** Identifies one request that a client may repeat. */
export interface IdempotencyKey {
  /** The client's Idempotency-Key: 1 to 255 printable ASCII characters without spaces. */
  readonly key: string;
  /** The operation, for example `POST /v1/groups`. Keys of different users or operations never collide. */
  readonly call: string;
  /** SHA-256 of the request's content. */
  readonly fingerprint: string;
}

/** The response of the first request with a key. */
export interface StoredResponse {
  readonly status: number;
  readonly answer: string;
  /**
   * Content whose bytes the response shows; it must not be deleted before the response. Null if there is
   * none.
   */
  readonly contentId: number | null;
}

export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}
