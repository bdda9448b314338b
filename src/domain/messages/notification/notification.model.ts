import { z } from 'zod';

import type { Audit } from '../../../platform/changes.js';
import { DAY } from '../../../platform/clock.js';
import { freeText } from '../../../platform/encoding/text.js';
import { recordId } from '../../../platform/validate.js';

export const NOTIFICATION_RANGES = ['group', 'specific_logical_numbers'] as const;
export type NotificationRange = (typeof NOTIFICATION_RANGES)[number];
export const NOTIFICATION_KINDS = ['show', 'processing'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** A delivery that is still queued after this time expires (contract 26). */
export const QUEUED_MS = 7 * DAY;

export const NotificationSend = z.object({
  content: freeText(4096).refine((text) => text.trim() !== '', 'must not be empty'),
  range: z.enum(NOTIFICATION_RANGES).optional().describe('Follows from the target where absent.'),
  groupId: recordId.nullable().optional().describe('Required with range group.'),
  logicalNumbers: z.array(z.string()).nullable().optional(),
  kind: z.enum(NOTIFICATION_KINDS).nullable().optional().describe('show where absent.'),
  appId: recordId.nullable().optional().describe('Handles the notification; only with kind processing.'),
});
export type NotificationSend = z.output<typeof NotificationSend>;

/** A notification in REST: the logical numbers are a comma-separated text, or a list. */
export const NotificationSendText = NotificationSend.extend({
  range: z.enum(NOTIFICATION_RANGES),
  logicalNumbers: z
    .union([z.string(), z.array(z.string())], { error: 'must be comma-separated text or a list of texts' })
    .nullable()
    .optional()
    .transform((given) => (typeof given === 'string' ? numbersIn(given) : given))
    .describe('Comma-separated; required with range specific_logical_numbers.'),
});

function numbersIn(text: string): string[] | null {
  return text.trim() === '' ? null : text.split(',');
}

export interface Notification extends Audit {
  readonly id: number;
  /** For example `SHOW_MESSAGE|Hello`. */
  readonly content: string;
  readonly range: NotificationRange;
  readonly kind: NotificationKind;
  readonly groupId: number | null;
  readonly appId: number | null;
  readonly expiresAt: Date;
}
