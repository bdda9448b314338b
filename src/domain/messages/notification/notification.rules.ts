import { invalid, requireAtMost } from '../../../platform/errors.js';
import { offsetAt } from '../../../platform/time-zones.js';
import { normalized } from '../../../platform/validate.js';
import {
  type NotificationKind,
  laneOf,
  type NotificationSend,
  MAX_ATTEMPTS,
  type WaitingDelivery,
} from './notification.model.js';

export const MAX_TARGETS = 10_000;
const ACTION = /^[A-Z][A-Z0-9_]*\|/;
const ACTIONS: Readonly<Record<NotificationKind, string>> = {
  show: 'SHOW_MESSAGE',
  processing: 'PROCESSING_MESSAGE',
};

/** `ACTION|text` (contract 26). Errors: `invalid` for a text that terminals would read as several parameters or messages. */
export function storedContent(content: string, kind: NotificationKind): string {
  if (ACTION.test(content)) return content;
  if (/[|\r\n]/.test(content)) {
    throw invalid(
      'content',
      'must not contain a pipe or a line break, unless it begins with an action, for example {example}',
      { example: `${ACTIONS[kind]}|` },
    );
  }
  return `${ACTIONS[kind]}|${content}`;
}

/** The group or the numbers that get a notification. Refuses ambiguous requests, which could reach too many terminals. */
export function targetsOf({ range, groupId, logicalNumbers }: NotificationSend) {
  if (range === undefined && (groupId == null) === (logicalNumbers == null))
    throw invalid('target', 'must be either {choices}', { choices: 'a group or logical numbers' });
  if (range === 'group' || (range === undefined && groupId != null)) {
    if (groupId == null) throw invalid('groupId', 'is required with range {range}', { range: 'group' });
    if (logicalNumbers != null)
      throw invalid('logicalNumbers', 'must be absent with range {range}', { range: 'group' });
    return { groupId, numbers: [] };
  }
  if (logicalNumbers == null)
    throw invalid('logicalNumbers', 'is required with range {range}', { range: 'specific_logical_numbers' });
  return { groupId: null, numbers: distinct(logicalNumbers) };
}

function distinct(listed: readonly string[]): readonly string[] {
  if (listed.length === 0) throw invalid('logicalNumbers', 'must not be empty');
  requireAtMost('logicalNumbers', listed.length, MAX_TARGETS);
  const numbers = listed.map((number) => normalized(number.trim()));
  if (numbers.includes('')) throw invalid('logicalNumbers', 'must not have empty entries');
  return [...new Set(numbers)];
}

/**
 * The message to a terminal, in the form that it executes: `17|SHOW_MESSAGE|Hello|03-01-2026 09:00`, with the time of
 * queueing, and `18|PROCESSING|sale.posxml|text` for content `PROCESSING_MESSAGE|text` with an app (contract 26).
 */
export function messageOf({ id, content, queuedAt, appName }: MessageParts, timeZone: string): string {
  const [, action, text = ''] = /^(SHOW_MESSAGE|PROCESSING_MESSAGE)\|([^|]*)\|?$/.exec(content) ?? [];
  if (action === 'SHOW_MESSAGE') return `${id}|${action}|${text}|${shownTime(queuedAt, timeZone)}`;
  if (action !== undefined && appName !== null) return `${id}|PROCESSING|${runName(appName)}|${text}`;
  return `${id}|${content}`;
}

interface MessageParts {
  readonly id: number;
  readonly queuedAt: Date;
  readonly content: string;
  readonly appName: string | null;
}

/** Name by which a terminal runs an app: that of a POSXML file, or the folder of a Ruby app, without an ending. */
const runName = (appName: string): string =>
  appName.includes('.posxml') ? appName : appName.replace(/\..*$/, '');

/** Number of parameters by action, of the actions that terminals know. Others are for firmware of the caller's own. */
const PARAMETERS: Readonly<Record<string, number>> = {
  SHOW_MESSAGE: 2,
  PROCESSING: 2,
  APP_UPDATE: 0,
  SETUP_DEVICE_CONFIG: 0,
  RESET_DEVICE_CONFIG: 0,
  REBOOT: 0,
  SYSTEM_UPDATE: 0,
  CANCEL_SYSTEM_UPDATE: 0,
  TIMEZONE_UPDATE: 0,
};

/** Warning about content that terminals would confirm without executing it; undefined if they execute it. */
export function warningOfAction(content: string, hasApp: boolean): string | undefined {
  const parts = { id: 0, content, queuedAt: new Date(0), appName: hasApp ? 'app' : null };
  const message = messageOf(parts, 'UTC');
  // Terminals do not count empty parameters at the end.
  const [, action = '', ...parameters] = message.replace(/\|+$/, '').split('|');
  if (action === ACTIONS.processing) {
    return `terminals execute ${action} only for an app: name one. They confirm it all the same.`;
  }
  const [takes, has] = [PARAMETERS[action] ?? parameters.length, parameters.length];
  if (takes === has) return undefined;
  return `terminals execute ${action} with ${takes} parameters only, not with ${has}. They confirm it all the same.`;
}

/** Local time in the time zone as `MM-DD-YYYY HH:MM`. */
function shownTime(at: Date, timeZone: string): string {
  const local = new Date(at.getTime() + offsetAt(timeZone, at.getTime())).toISOString();
  return `${local.slice(5, 10)}-${local.slice(0, 4)} ${local.slice(11, 16)}`;
}

/**
 * The lanes of a terminal: its urgent commands, its other commands, and the notifications for its logical number. What is in
 * one does not wait for what is in another.
 */
export const lanesOf = (device: { readonly id: number; readonly logicalNumberId: number }) =>
  [laneOf(device.id, true), laneOf(device.id, false), device.logicalNumberId] as const;

/** Next thing to do with an unclaimed delivery. */
export function stepOf({ expiresAt, attempts, isReachable }: WaitingDelivery, now: Date) {
  if (now >= expiresAt) return 'expire';
  if (attempts >= MAX_ATTEMPTS) return 'fail';
  return isReachable ? 'claim' : 'postpone';
}

/** The deliveries of one lane up to the first claimed one: later ones wait for it, in order. */
export function upToHeld<T extends WaitingDelivery>(deliveries: readonly T[], now: Date): readonly T[] {
  const held = deliveries.findIndex(({ leaseEndsAt }) => leaseEndsAt !== null && leaseEndsAt > now);
  return held === -1 ? deliveries : deliveries.slice(0, held);
}
