import { Records } from '../../../database/company/records.js';
import {
  ENTITY_TYPES,
  LEDGER_ACTIONS,
  type LedgerActionName,
  type ReadWork,
  type WriteWork,
} from '../../../database/work.js';
import { DomainError, invalid, invalidFields } from '../../../platform/errors.js';
import type { Outgoing } from '../../../platform/outgoing.js';
import { problemOf } from '../../../platform/rules.js';
import { changed, parse } from '../../../platform/validate.js';
import { endOfOld } from '../../people/access-token/access-token.model.js';
import { MAX_WEBHOOKS, type Webhook, WebhookCreate, WebhookUpdate } from './webhook.model.js';
import { ledgerSpan, store, webhookTable } from './webhook.repository.js';
import { deriveSecret, newNonce } from './webhook.rules.js';

export { webhooks } from './webhook.repository.js';
export { pauseAfter, stateOf } from './webhook.rules.js';

const records = new Records(webhookTable);
export const { get: getWebhook, refuseUnknown: refuseUnknownWebhook } = records;

/** Changes that belong to the deletion of a webhook, in its transaction; `app/wings.ts` adds them. */
export const webhookRemovals: ((work: WriteWork, webhook: Webhook) => Promise<void>)[] = [];

/** Parts of the server that changes need besides the unit of work. */
interface WebhookTools {
  readonly tokenSecret: string;
  readonly outgoing: Pick<Outgoing, 'problemOf'>;
}

/** The webhook as the ledger shows it: without its secret, and what changes with each event. */
export const recorded = ({ id, url, events, enabled, deliveredSequence, ...webhook }: Webhook) => ({
  id,
  url,
  events,
  enabled,
  deliveredSequence,
  oldSecretUntil: webhook.oldSecretUntil,
  lastFailure: webhook.lastFailure,
  revision: webhook.revision,
});

/** Creates a webhook with a secret, which is shown once. Errors: `invalid`, `too_many_records`. */
export async function createWebhook(work: WriteWork, tools: WebhookTools, input: unknown) {
  const { url, events, fromSequence } = parse(WebhookCreate, input);
  refuseUnusable(tools, { url, events });
  if ((await webhookTable.rows.count(work, {})) >= MAX_WEBHOOKS) {
    throw new DomainError(
      'too_many_records',
      `A company has at most ${MAX_WEBHOOKS} webhooks. Nothing was changed.`,
    );
  }
  const { last } = await ledgerSpan(work);
  const webhook = await webhookTable.insert(work, {
    url,
    events,
    enabled: true,
    secretNonce: newNonce(tools.tokenSecret),
    oldSecretNonce: null,
    oldSecretUntil: null,
    deliveredSequence: fromSequence == null ? last : await sequenceBefore(work, fromSequence),
    lastSuccessAt: null,
    lastFailureAt: null,
    lastFailure: null,
    leaseEndsAt: null,
    ...started(work),
  });
  work.ledger.created('webhook', recorded(webhook));
  return { webhook, secret: secretOf(work, tools, webhook) };
}

const secretOf = ({ caller: { companyId } }: ReadWork, { tokenSecret }: WebhookTools, webhook: Webhook) =>
  deriveSecret(tokenSecret, { companyId, id: webhook.id }, webhook.secretNonce);

/** Fields of a webhook that begins to send, at once. */
const started = ({ now }: ReadWork) => ({
  failedAttempts: 0,
  failingSince: null,
  dueAt: now,
});

/** The position before an entry. Errors: `invalid` for an entry that retention has deleted, or that is not there yet. */
async function sequenceBefore(work: ReadWork, sequence: number): Promise<number> {
  const { last, deleted } = await ledgerSpan(work);
  if (sequence <= deleted) {
    throw invalid('fromSequence', 'must be at least {minimum}: earlier entries are deleted by retention', {
      minimum: deleted + 1,
    });
  }
  if (sequence > last + 1)
    throw invalid('fromSequence', 'must be at most {maximum}, the next entry', { maximum: last + 1 });
  return sequence - 1;
}

function refuseUnusable({ outgoing }: WebhookTools, { url, events }: Pick<Webhook, 'url' | 'events'>): void {
  const broken = outgoing.problemOf(url);
  if (broken !== null) throw invalidFields({ url: [problemOf(broken)] });
  const unknown = events.find((event) => !isEventType(event));
  if (unknown === undefined) return;
  const example = 'device.update, device.* or *';
  throw invalid('events', 'must be types of events, for example {example}', { example });
}

/** True if a text names events of the ledger: `device.update`, `device.*` or `*`. */
function isEventType(text: string): boolean {
  if (text === '*') return true;
  const [entityType = '', action = '', ...rest] = text.split('.');
  const [types, actions]: readonly (readonly string[])[] = [ENTITY_TYPES, LEDGER_ACTIONS];
  return (
    rest.length === 0 &&
    types?.includes(entityType) === true &&
    (action === '*' || [action, `${entityType}_${action}`].some((each) => actions?.includes(each) === true))
  );
}

/** Changes a webhook; its next attempt is now. Errors: `invalid`. */
export async function updateWebhook(
  work: WriteWork,
  tools: WebhookTools,
  current: Webhook,
  input: unknown,
): Promise<Webhook> {
  const after = changed(current, parse(WebhookUpdate, input));
  refuseUnusable(tools, after);
  return await update(work, current, after);
}

/** Sends the entries from this one on again, in order. Errors: `invalid`. */
export async function replayWebhook(
  work: WriteWork,
  current: Webhook,
  fromSequence: number,
): Promise<Webhook> {
  const deliveredSequence = await sequenceBefore(work, fromSequence);
  return await update(work, current, { ...current, deliveredSequence });
}

/**
 * Gives a webhook another secret, which is shown once. For `keepOldFor` milliseconds, requests are signed with the one
 * before too. Errors: `invalid`.
 */
export async function rotateSecret(
  work: WriteWork,
  tools: WebhookTools,
  current: Webhook,
  keepOldFor: number,
) {
  const isKept = keepOldFor > 0;
  const webhook = await update(
    work,
    current,
    {
      ...current,
      secretNonce: newNonce(tools.tokenSecret),
      oldSecretNonce: isKept ? current.secretNonce : null,
      oldSecretUntil: isKept ? endOfOld(work.now, keepOldFor) : null,
    },
    'issue',
  );
  return { webhook, secret: secretOf(work, tools, webhook) };
}

async function update(
  work: WriteWork,
  current: Webhook,
  values: Webhook,
  action: LedgerActionName = 'update',
): Promise<Webhook> {
  // The pause after a failure ends even if no value changes. A node that sends to it now keeps its claim.
  const resumed = started(work);
  await store(work, current.id, resumed);
  const before = { ...current, ...resumed };
  const after = await webhookTable.update(work, before, { ...values, ...resumed });
  if (after !== before) work.ledger.updated('webhook', recorded(current), recorded(after), { action });
  return after;
}

export async function deleteWebhook(work: WriteWork, webhook: Webhook): Promise<void> {
  for (const remove of webhookRemovals) await remove(work, webhook);
  await webhookTable.deleteById(work, webhook.id);
  work.ledger.deleted('webhook', recorded(webhook));
}

/** Webhooks of the company whose last attempt has failed, also those that were disabled for it. */
export async function failingWebhooks(work: ReadWork): Promise<readonly Webhook[]> {
  const all = await webhookTable.select(work, {});
  return all.filter(({ failingSince }) => failingSince !== null);
}
