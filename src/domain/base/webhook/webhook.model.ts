import { z } from 'zod';

import { DAY } from '../../../platform/clock.js';
import { rule } from '../../../platform/rules.js';
import type { Audit } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

export const MAX_WEBHOOKS = 20;
/** Time of failures after which a webhook is disabled. */
export const MAX_FAILING_MS = 3 * DAY;

const WebAddress = z
  .string()
  .max(2_000)
  .refine(
    isWebAddress,
    rule('must be an address such as {example}, without user, password and #', {
      example: 'https://example.com/hooks',
    }),
  )
  .transform((text) => new URL(text).href)
  .describe(
    'Address that events are sent to: https for public addresses; http only in networks that the operator of the server allows. Its port is 443, in these networks 80, or 1024 or more. Redirects are not followed.',
  );

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${hash}` === '';
}

const WebhookFields = z.object({
  url: WebAddress,
  events: z
    .array(z.string())
    .min(1)
    .max(100)
    .describe(
      'Types of the events to send: `entityType.action` of entries of the ledger, for example device.update. device.* are all of devices, and * all.',
    ),
});

export const WebhookCreate = z.object({
  ...WebhookFields.shape,
  fromSequence: z
    .number()
    .int()
    .min(1, rule('must be a positive whole number'))
    .nullish()
    .describe('`sequence` of the ledger entry to begin with. Without it, those from now on are sent.'),
});

export const WebhookUpdate = z.object({
  ...WebhookFields.partial().shape,
  enabled: z
    .boolean()
    .optional()
    .describe('False stops sending. True goes on after the last entry that was sent, and ends a failure.'),
});

/** An address to which the entries of the company's ledger are sent. */
export type Webhook = RecordOf<'webhooks', Audit & z.output<typeof WebhookFields>>;

export type WebhookState = 'active' | 'failing' | 'disabled';
