import { isIdempotencyKey } from '../../platform/requests/idempotency.js';
import { operationRefused } from '../limits/limits.js';

type Json = Readonly<Record<string, unknown>>;

/** The tokens in `accessToken`, `access_token` (as in REST) and `authorization` ("Bearer …"). */
export function tokensIn(params: Json): (string | undefined)[] {
  const { accessToken, access_token, authorization, Authorization } = params;
  const bearer = [authorization, Authorization].map((value) =>
    typeof value === 'string' ? /^Bearer +(\S+)$/i.exec(value)?.[1] : undefined,
  );
  const plain = [accessToken, access_token].map((value) => (typeof value === 'string' ? value : undefined));
  return [...plain, ...bearer];
}

/** `extensions.idempotencyKey` of the operation: a socket has headers in its handshake only. */
export function idempotencyKeyOf({ extensions }: Json): string | null {
  const key = (extensions as Json | null | undefined)?.idempotencyKey;
  if (key == null) return null;
  if (typeof key === 'string' && isIdempotencyKey(key)) return key;
  throw operationRefused(
    'BAD_REQUEST',
    'An idempotencyKey has 1 to 255 printable ASCII characters and no spaces.',
  );
}
