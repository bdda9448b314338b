import { MAX_EXAMPLES } from '../../base/alert/alert.model.js';
import { countingKind } from '../../base/alert/alert.service.js';
import { failingWebhooks } from '../../base/webhook/webhook.service.js';
import { countFailedSince, failedNumbersSince } from './delivery-list.repository.js';

/** Alerts of deliveries of notifications that have failed, and of webhooks that are failing, each of which counts once. */
export const failedDeliveries = countingKind(
  async (work, since) => (await countFailedSince(work, since)) + (await failingWebhooks(work)).length,
  async (work, since) => {
    const hooks = (await failingWebhooks(work)).map(({ id }) => `webhook ${id}`);
    const numbers = await failedNumbersSince(work, since, MAX_EXAMPLES);
    return [...new Set([...hooks, ...numbers])].slice(0, MAX_EXAMPLES);
  },
);
