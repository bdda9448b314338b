import { normalized } from '../../../platform/encoding/text.js';
import { invalid } from '../../../platform/errors.js';
import type { NotificationKind, NotificationSend } from './notification.model.js';

const MAX_TARGETS = 10_000;
const MAX_UNKNOWN_IN_MESSAGE = 20;
const ACTION = /^[A-Z][A-Z0-9_]*\|/;
const ACTIONS: Readonly<Record<NotificationKind, string>> = {
  show: 'SHOW_MESSAGE',
  processing: 'PROCESSING_MESSAGE',
};

/**
 * `ACTION|text`; the action follows from the kind if the content does not begin with one (contract 26).
 * Errors: `invalid` for a text that terminals would read as several parameters or messages.
 */
export function storedContent(content: string, kind: NotificationKind): string {
  if (ACTION.test(content)) return content;
  if (/[|\r\n]/.test(content)) {
    throw invalid(
      'content',
      `must not contain a pipe or a line break, unless it begins with an action, for example ${ACTIONS[kind]}|`,
    );
  }
  return `${ACTIONS[kind]}|${content}`;
}

export type Targets =
  | { readonly range: 'group'; readonly groupId: number }
  | { readonly range: 'specific_logical_numbers'; readonly numbers: readonly string[] };

/** The recipients of a notification. Refuses ambiguous requests, which could reach too many terminals. */
export function targetsOf({ range, groupId, logicalNumbers }: NotificationSend): Targets {
  const given = { groupId: groupId ?? null, numbers: logicalNumbers ?? null };
  if (range === undefined && (given.groupId === null) === (given.numbers === null)) {
    throw invalid('target', 'must be either a group or logical numbers');
  }
  if ((range ?? (given.groupId === null ? 'specific_logical_numbers' : 'group')) === 'group') {
    if (given.groupId === null) throw invalid('groupId', 'is required with range group');
    if (given.numbers !== null) throw invalid('logicalNumbers', 'must be absent with range group');
    return { range: 'group', groupId: given.groupId };
  }
  if (given.numbers === null) {
    throw invalid('logicalNumbers', 'is required with range specific_logical_numbers');
  }
  return { range: 'specific_logical_numbers', numbers: distinct(given.numbers) };
}

function distinct(listed: readonly string[]): readonly string[] {
  if (listed.length === 0) throw invalid('logicalNumbers', 'must not be empty');
  if (listed.length > MAX_TARGETS)
    throw invalid('logicalNumbers', `must have at most ${MAX_TARGETS} entries`);
  const numbers = listed.map((number) => normalized(number.trim()));
  if (numbers.includes('')) throw invalid('logicalNumbers', 'must not have empty entries');
  return [...new Set(numbers)];
}

/** Errors: `invalid` if one of the numbers does not exist. */
export function refuseUnknown(numbers: readonly string[], known: readonly string[]): void {
  const existing = new Set(known);
  const unknown = numbers.filter((number) => !existing.has(number));
  if (unknown.length === 0) return;
  const named = unknown.slice(0, MAX_UNKNOWN_IN_MESSAGE).join(', ');
  const more =
    unknown.length > MAX_UNKNOWN_IN_MESSAGE ? ` and ${unknown.length - MAX_UNKNOWN_IN_MESSAGE} more` : '';
  throw invalid('logicalNumbers', `are not all known: ${named}${more}`);
}
