/** Sends the entries of the ledger to webhooks (decisions.md#webhooks). */
import { randomUUID } from 'node:crypto';

import { firstIn } from '../../../database/list/listing.js';
import type { CompanyWriteWork, Units } from '../../../database/work.js';
import { MINUTE, SECOND, systemClock } from '../../../platform/clock.js';
import { Semaphore } from '../../../platform/concurrency/semaphore.js';
import { DomainError } from '../../../platform/errors.js';
import type { Outgoing, PostOutcome } from '../../../platform/outgoing.js';
import { localCaller, type Caller } from '../../../platform/requests.js';
import { changesOf, ledgerEntries, type LedgerEntry } from '../ledger/ledger.service.js';
import type { Webhook } from './webhook.model.js';
import { claim, find, store, webhookTable, type DueWebhook } from './webhook.repository.js';
import {
  afterSending,
  deriveSecret,
  isDerivable,
  eventTypeOf,
  isSent,
  signedHeaders,
  type Sending,
} from './webhook.rules.js';
import { recorded } from './webhook.service.js';

export { findDue } from './webhook.repository.js';

/** Time for which a node sends alone: longer than `BATCH_MS` and one request. */
const LEASE_MS = MINUTE;
/** Time after which no other event is sent before other webhooks have their turn. */
const BATCH_MS = 10 * SECOND;
const MAX_EVENTS = 20;
/** Entries of the ledger that are compared with the types of a webhook in one unit of work. */
const MAX_COMPARED = 500;
const GONE = 410;

const SECRET_LOST =
  'The TOKEN_SECRET of the server has changed since this secret was made: rotate the secret.';

interface PostTools {
  readonly outgoing: Pick<Outgoing, 'post'>;
  readonly tokenSecret: string;
  readonly signal?: AbortSignal;
}

export interface DeliveryTools extends PostTools {
  readonly units: Units;
  /** Ends the requests: the server stops. */
  readonly signal: AbortSignal;
}

/**
 * Sends the next events of a webhook in order, until one fails. Other nodes leave it alone meanwhile. If the node is
 * killed, another one begins again, after the lease, with the first event that was not noted as sent.
 */
export async function sendNext(tools: DeliveryTools, { companyId, id }: DueWebhook): Promise<void> {
  const { units } = tools;
  const caller = localCaller({ companyId, userId: 0, timeZone: 'UTC' });
  const claimed = await units.write(caller, (work) =>
    claim(work, id, new Date(work.now.getTime() + LEASE_MS)),
  );
  if (claimed === undefined) return;
  const sending = await sendAll(tools, caller, claimed);
  await units.write(caller, (work) => finish(work, claimed, sending));
}

async function sendAll(tools: DeliveryTools, caller: Caller, webhook: Webhook): Promise<Sending> {
  const { units, signal } = tools;
  const since = systemClock.elapsed();
  const { deliveredSequence: delivered } = webhook;
  let deliveredSequence = delivered;
  let sent = 0;
  const compared = await units.read(caller, (work) =>
    entryTypes.slice(work, firstIn('SEQUENCE', MAX_COMPARED, { key: { value: delivered, id: delivered } })),
  );
  for (const row of compared.records) {
    const isNamed = isSent(webhook.events, eventTypeOf(String(row.entity_type), String(row.action)));
    const isDue = isNamed || addressed.has(String(row.entity_type));
    const isOver = sent >= MAX_EVENTS || systemClock.elapsed() - since > BATCH_MS;
    if (isDue && (isOver || signal.aborted)) break;
    const sequence = Number(row.sequence);
    const outcome = isDue ? await send(tools, caller, webhook, { sequence, isNamed }) : null;
    if (signal.aborted && outcome?.failure != null) break;
    if (outcome?.failure != null) {
      const isGone = outcome.status === GONE;
      return { deliveredSequence, sent, failure: outcome.failure, isGone };
    }
    deliveredSequence = sequence;
    if (outcome !== null) sent += 1;
  }
  return { deliveredSequence, sent, failure: null, isGone: false };
}

const entryTypes = ledgerEntries.only(['sequence', 'entity_type', 'action']);

/** More for the webhook that an entry names, and a change once it has taken the entry. */
interface Addressed {
  readonly more?: (tokenSecret: string, companyId: number, entry: LedgerEntry) => object;
  readonly delivered?: (work: CompanyWriteWork, entry: Pick<LedgerEntry, 'entityId' | 'at'>) => Promise<void>;
}

/** Entries of these types name the webhooks that they are for, as `webhookIds`, whatever their types of events are. */
export const addressed = new Map<string, Addressed>([['alert', {}]]);

/** Sends one entry; null if retention has deleted it, or if it neither has a type of the webhook nor names it. */
async function send(
  tools: DeliveryTools,
  caller: Caller,
  webhook: Webhook,
  { sequence, isNamed }: { readonly sequence: number; readonly isNamed: boolean },
): Promise<PostOutcome | null> {
  const read = await tools.units.read(caller, async (work) => {
    const entries = await ledgerEntries.byIds(work, [sequence]);
    return { entry: entries.get(sequence), now: work.now };
  });
  if (read.entry === undefined) return null;
  const { entry } = read;
  const { webhookIds = [] } = (entry.after ?? {}) as { readonly webhookIds?: readonly unknown[] };
  const isAddressee = webhookIds.includes(webhook.id);
  if (!isNamed && !isAddressee) return null;
  const { companyId } = caller;
  const messageId = `evt_${companyId}_${sequence}`;
  const { more, delivered } = (isAddressee ? addressed.get(entry.entityType) : null) ?? {};
  const body = { ...bodyOf(entry), ...more?.(tools.tokenSecret, companyId, entry) };
  const outcome = await postSigned(tools, { companyId, webhook, messageId, body, now: read.now });
  if (outcome.failure === null && delivered)
    await tools.units.write(caller, (work) => delivered(work, entry));
  return outcome;
}

interface Message {
  readonly companyId: number;
  readonly webhook: Webhook;
  readonly messageId: string;
  readonly body: object;
  readonly now: Date;
}

/** Sends a message with a signature for each secret that receivers may have. */
async function postSigned(
  { outgoing, tokenSecret, signal }: PostTools,
  { companyId, webhook, messageId, body, now }: Message,
): Promise<PostOutcome> {
  const { id, url, secretNonce, oldSecretNonce, oldSecretUntil } = webhook;
  if (!isDerivable(tokenSecret, secretNonce)) return { status: null, failure: SECRET_LOST, milliseconds: 0 };
  const isOldUsed = oldSecretUntil !== null && oldSecretUntil > now;
  const nonces = isOldUsed ? [secretNonce, oldSecretNonce ?? ''] : [secretNonce];
  const secrets = nonces
    .filter((nonce) => isDerivable(tokenSecret, nonce))
    .map((nonce) => deriveSecret(tokenSecret, { companyId, id }, nonce));
  const text = JSON.stringify(body);
  const headers = signedHeaders(secrets, messageId, now, text);
  return await outgoing.post({ url, headers, body: text, ...(signal && { signal }) });
}

/** Tests that are sent at the same time. */
const tests = new Semaphore<number>({
  places: 32,
  placesOfKey: 2,
  maxWaiting: 0,
  busy: () => new DomainError('busy', 'Other tests of webhooks are being sent.', { retryAfter: 5 }),
});

/** Sends an event of the type `webhook.test`, also to a disabled webhook, and changes nothing. Errors: `busy`. */
export async function sendTest(
  tools: Omit<PostTools, 'signal'>,
  companyId: number,
  webhook: Webhook,
  now: Date,
): Promise<PostOutcome> {
  const release = await tests.acquire(companyId);
  const body = { type: 'webhook.test', timestamp: now.toISOString(), data: {} };
  const messageId = `test_${companyId}_${randomUUID()}`;
  return await postSigned(tools, { companyId, webhook, messageId, body, now }).finally(release);
}

function bodyOf(entry: LedgerEntry): object {
  const { sequence, entityType, entityId, action, channel, userId } = entry;
  const changes = changesOf(entry);
  return {
    type: `${entityType}.${action}`,
    timestamp: entry.at.toISOString(),
    data: { sequence, entityType, entityId, action, channel, actorId: userId, changes },
  };
}

/**
 * Stores the result, and ends the claim. Only the claim ends if users have changed the webhook meanwhile, and nothing
 * changes if the lease has ended and another node holds it by now.
 */
async function finish(
  work: CompanyWriteWork & { readonly caller: Caller },
  claimed: Webhook,
  sending: Sending,
) {
  const current = await find(work, claimed.id);
  const isHeld = current?.leaseEndsAt?.getTime() === claimed.leaseEndsAt?.getTime();
  if (current === undefined || !isHeld) return;
  if (current.revision !== claimed.revision) {
    await store(work, current.id, { leaseEndsAt: null });
    return;
  }
  const changes = afterSending(current, sending, work.now);
  if (changes.enabled) {
    await store(work, current.id, changes);
    return;
  }
  const after = await webhookTable.update(work, current, { ...current, ...changes });
  const { id: entityId } = current;
  const entry = {
    entityType: 'webhook',
    entityId,
    before: recorded(current),
    after: recorded(after),
  } as const;
  work.ledger.append({ ...entry, action: 'disable', userId: null });
}
