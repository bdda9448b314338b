import * as g from '../../../graphql/index.js';
import { DAY } from '../../../platform/clock.js';
import { auditedType } from '../../people/user/user.graphql.js';
import { sendTest } from './delivery.service.js';
import {
  MAX_WEBHOOKS,
  type Webhook,
  WebhookCreate,
  type WebhookState,
  WebhookUpdate,
} from './webhook.model.js';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  replayWebhook,
  rotateSecret,
  stateOf,
  updateWebhook,
  webhooks,
} from './webhook.service.js';

const State = g.enumeration<WebhookState>('WebhookState', 'Whether the events of a webhook are sent.', {
  active: 'They are sent.',
  failing: 'The last attempt has failed. The event is sent again at `nextAttemptAt`, the others after it.',
  disabled:
    'None is sent: `enabled` is false. If `failingSince` is set, the server has disabled it after 3 days of failures, or since the receiver answered 410.',
});

type Internal = 'dueAt' | 'leaseEndsAt' | 'oldSecretNonce' | 'secretNonce';

const WebhookType = auditedType<Webhook, Internal>(
  'Webhook',
  "An address to which the changes in the company are sent, each as a signed request in the form of Standard Webhooks, one after the other in the ledger's order.",
  {
    url: g.text('Address that the events are sent to.'),
    events: g.text.list('Types of the events that are sent, for example device.update, device.* or *.'),
    enabled: g.flag('False if no events are sent.'),
    oldSecretUntil: g.instant.orNull(
      'Until then, requests are signed with the secret before the present one too. Null if it was not rotated, or ended at once.',
    ),
    deliveredSequence: g.int(
      'The entries of the ledger up to this `sequence` were sent, or are of other types.',
    ),
    failedAttempts: g.int('Failed attempts since the last success.'),
    failingSince: g.instant.orNull('When the first of these attempts was made. Null if there is none.'),
    lastSuccessAt: g.instant.orNull('When an event was last taken. Null if none was.'),
    lastFailureAt: g.instant.orNull('When an attempt last failed. Null if none did.'),
    lastFailure: g.text.orNull('Why it failed, for example "The response was 500.". Null if none did.'),
  },
  false,
);

export const WebhookList = g.listTypes(webhooks, WebhookType);

const WebhookCreateInput = g.inputOf('WebhookCreateInput', WebhookCreate, {
  description: 'Fields of a new webhook.',
});
const WebhookUpdateInput = g.inputOf('WebhookUpdateInput', WebhookUpdate, {
  description: 'Changes of a webhook. Absent fields keep their values.',
  isUpdate: true,
});

const webhookCreate = g.ownMutation('WebhookCreate', {
  description: `Creates a webhook, and shows its secret once. A company has at most ${MAX_WEBHOOKS}. Requires the scope ADMIN.`,
  args: { input: g.object(WebhookCreateInput, 'Fields of the new webhook.') },
  payload: {
    webhook: g.object.orNull(WebhookType, 'The new webhook. Null if none was created.'),
    secret: g.text.orNull(
      'Secret that its requests are signed with, `whsec_` and base64, which is shown only here. Null if none was created.',
    ),
  },
  scope: 'admin',
  run: (work, { input }, { services }) => createWebhook(work, services, input),
});

const OF_WEBHOOK = { get: getWebhook };
const CHANGED = { webhook: g.changedRecord(WebhookType) };

const webhookUpdate = g.recordMutation('WebhookUpdate', 'Webhook', OF_WEBHOOK, {
  description:
    'Updates a webhook, and ends the pause after a failure: the next attempt is now. Requires the scope ADMIN.',
  args: { input: g.object(WebhookUpdateInput, 'New values.') },
  payload: CHANGED,
  scope: 'admin',
  run: async (work, current: Webhook, input, { services }) => ({
    webhook: await updateWebhook(work, services, current, input),
  }),
});

const webhookReplay = g.recordMutation('WebhookReplay', 'Webhook', OF_WEBHOOK, {
  description:
    'Sends events again: the entries of the ledger from this `sequence` on, with the ids that they had. A later one than the next skips events. INVALID if retention has deleted the entry. Requires the scope ADMIN.',
  args: { fromSequence: g.int('`sequence` of the first entry to send.') },
  payload: CHANGED,
  scope: 'admin',
  within: [],
  run: async (work, current: Webhook, { fromSequence }) => ({
    webhook: await replayWebhook(work, current, Number(fromSequence)),
  }),
});

const webhookSecretRotate = g.recordMutation('WebhookSecretRotate', 'Webhook', OF_WEBHOOK, {
  description:
    'Gives a webhook another secret, and shows it once. For `keepOldFor`, each request has the signatures of both, so that receivers can change over. Requires the scope ADMIN.',
  args: {
    keepOldFor: {
      ...g.duration.orNull('Time for which requests are signed with the old secret too: at most 30d.'),
      defaultValue: DAY,
    },
  },
  payload: { ...CHANGED, secret: g.text.orNull('The new secret. Null if nothing was changed.') },
  scope: 'admin',
  within: [],
  run: (work, current: Webhook, { keepOldFor }, { services }) =>
    rotateSecret(work, services, current, Number(keepOldFor ?? 0)),
});

const webhookTest = g.ownMutation('WebhookTest', {
  description:
    'Sends an event of the type `webhook.test` now, also to a disabled webhook, and waits for the response. The webhook stays as it is. Requires the scope ADMIN.',
  args: { id: g.id('Global id of the webhook.') },
  payload: {
    status: g.int.orNull('Status of the response. Null if there was none.'),
    failure: g.text.orNull('Why the event was not taken. Null if it was, and if none was sent.'),
    milliseconds: g.int.orNull('Time until the response. Null if no event was sent.'),
  },
  scope: 'admin',
  within: [],
  prepare: async (ctx, { id }) => {
    const { webhook, now } = await ctx.read('admin', async (work) => ({
      webhook: await getWebhook(work, g.idOf('Webhook', id)),
      now: work.now,
    }));
    return await sendTest(ctx.services, ctx.caller.companyId, webhook, now);
  },
  run: (_work, _args, _ctx, outcome) => Promise.resolve(outcome),
});

const webhookDelete = g.deletion('Webhook', OF_WEBHOOK, {
  description: 'Deletes a webhook: no more events are sent. Requires the scope ADMIN.',
  scope: 'admin',
  run: deleteWebhook,
});

export const webhookGraphql = g.graphqlModule(
  g.queries(WebhookList, { scope: 'admin', listDescription: 'All webhooks of the company.' }),
  webhookCreate,
  webhookUpdate,
  webhookReplay,
  webhookSecretRotate,
  webhookTest,
  webhookDelete,
  g.fields(WebhookType, {
    state: g.derived(g.choice(State, 'Whether its events are sent.'), stateOf),
    nextAttemptAt: g.derived(
      g.instant.orNull('When the event that has failed is sent again. Null unless the state is FAILING.'),
      (webhook: Webhook) => (stateOf(webhook) === 'failing' ? webhook.dueAt : null),
    ),
  }),
);
