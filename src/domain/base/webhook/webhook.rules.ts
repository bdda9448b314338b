import { createHmac, randomBytes } from 'node:crypto';

import { DAY, HOUR, MINUTE, SECOND } from '../../../platform/clock.js';
import { KeyedHash } from '../../../platform/hashes.js';
import { MAX_FAILING_MS, type Webhook, type WebhookState } from './webhook.model.js';

/** Pauses after the first, second … failed attempt; the last one is repeated. */
const PAUSES = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR];

/** Milliseconds until the next attempt after so many failed ones. */
export const pauseAfter = (attempts: number): number => PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? DAY;

export function stateOf({ enabled, failingSince }: Webhook): WebhookState {
  if (!enabled) return 'disabled';
  return failingSince === null ? 'active' : 'failing';
}

/** The type of an event, for example `device.update`; `command.done` for the end of a command, an event of a device. */
export const eventTypeOf = (entityType: string, action: string): string =>
  action.startsWith('command_') ? action.replace('_', '.') : `${entityType}.${action}`;

/** Matches the type of an event against those of a webhook, for example `device.update`, `device.*` or `*`. */
export const isSent = (events: readonly string[], type: string): boolean =>
  ['*', type, type.replace(/\..*$/, '.*')].some((each) => events.includes(each));

/** Result of sending the next events of a webhook, until all are sent or one has failed. */
export interface Sending {
  /** Entries up to this sequence were sent, or are of other types. */
  readonly deliveredSequence: number;
  readonly sent: number;
  /** Why the next event was not taken; null if none has failed. */
  readonly failure: string | null;
  /** True if the receiver wants no more events: status 410. */
  readonly isGone: boolean;
}

export function afterSending(
  { enabled, failedAttempts, failingSince, lastSuccessAt }: Webhook,
  { deliveredSequence, sent, failure, isGone }: Sending,
  now: Date,
) {
  const succeeded = sent > 0 ? now : lastSuccessAt;
  const position = { deliveredSequence, lastSuccessAt: succeeded, leaseEndsAt: null };
  if (failure === null) {
    const isFailing = sent === 0 && failingSince !== null;
    const failing = isFailing ? { failedAttempts, failingSince } : { failedAttempts: 0, failingSince: null };
    return { ...position, ...failing, enabled, dueAt: now };
  }
  const since = sent > 0 || failingSince === null ? now : failingSince;
  const attempts = sent > 0 ? 1 : failedAttempts + 1;
  const ends = since.getTime() + MAX_FAILING_MS;
  return {
    ...position,
    enabled: enabled && !isGone && now.getTime() < ends,
    failedAttempts: attempts,
    failingSince: since,
    lastFailureAt: now,
    lastFailure: failure,
    dueAt: new Date(Math.min(now.getTime() + pauseAfter(attempts), Math.max(ends, now.getTime()))),
  };
}

const secretHash = (tokenSecret: string): KeyedHash => new KeyedHash(tokenSecret, 'webhook secrets, form 1');

/** A random text for a new secret, after the id of the key that the secret is derived with. */
export function newNonce(tokenSecret: string): string {
  return `${secretHash(tokenSecret).keyId}:${randomBytes(20).toString('hex')}`;
}

/** The secret of a nonce, `whsec_` and base64; it can be computed with the token secret only. */
export function deriveSecret(
  tokenSecret: string,
  { companyId, id }: { readonly companyId: number; readonly id: number },
  nonce: string,
): string {
  const hash = secretHash(tokenSecret).of([companyId, id, nonce]);
  return `whsec_${Buffer.from(hash, 'hex').toString('base64')}`;
}

/** True if the secret of a nonce can be derived: false if the token secret has changed since. */
export const isDerivable = (tokenSecret: string, nonce: string): boolean =>
  nonce.startsWith(`${secretHash(tokenSecret).keyId}:`);

/** Headers of Standard Webhooks, with a signature for each secret. */
export function signedHeaders(secrets: readonly string[], messageId: string, at: Date, body: string) {
  const timestamp = Math.floor(at.getTime() / SECOND);
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
    return `v1,${hmac.update(`${messageId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'terminal-gateway',
    'webhook-id': messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
