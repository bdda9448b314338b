import { normalized } from '../../../platform/encoding/text.js';
import { invalid } from '../../../platform/errors.js';
import type { NotificationKind, NotificationSend } from './notification.model.js';

const MAX_TARGETS = 10_000;
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

/** The group or the numbers that a notification is for. */
export interface Targets {
  /** Null for a list of numbers. */
  readonly groupId: number | null;
  /** Empty for a group. */
  readonly numbers: readonly string[];
}

/** The recipients of a notification. Refuses ambiguous requests, which could reach too many terminals. */
export function targetsOf({ range, groupId, logicalNumbers }: NotificationSend): Targets {
  if (range === undefined && (groupId == null) === (logicalNumbers == null)) {
    throw invalid('target', 'must be either a group or logical numbers');
  }
  if (range === 'group' || (range === undefined && groupId != null)) {
    if (groupId == null) throw invalid('groupId', 'is required with range group');
    if (logicalNumbers != null) throw invalid('logicalNumbers', 'must be absent with range group');
    return { groupId, numbers: [] };
  }
  if (logicalNumbers == null) {
    throw invalid('logicalNumbers', 'is required with range specific_logical_numbers');
  }
  return { groupId: null, numbers: distinct(logicalNumbers) };
}

function distinct(listed: readonly string[]): readonly string[] {
  if (listed.length === 0) throw invalid('logicalNumbers', 'must not be empty');
  if (listed.length > MAX_TARGETS)
    throw invalid('logicalNumbers', `must have at most ${MAX_TARGETS} entries`);
  const numbers = listed.map((number) => normalized(number.trim()));
  if (numbers.includes('')) throw invalid('logicalNumbers', 'must not have empty entries');
  return [...new Set(numbers)];
}
