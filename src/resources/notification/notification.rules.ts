import { invalid } from '../../platform/errors.js';
import { normalized } from '../../platform/text.js';
import type { NotificationKind, NotificationSend } from './notification.model.js';

const MAX_TARGETS = 10_000;
const NAMED_UNKNOWN = 20;
const ACTION = /^[A-Z][A-Z0-9_]*\|/;
const ACTIONS: Readonly<Record<NotificationKind, string>> = {
  show: 'SHOW_MESSAGE',
  processing: 'PROCESSING_MESSAGE',
};

/** `ACTION|text`, the action made from the kind where the content does not begin with one (decision 26). */
export function storedContent(content: string, kind: NotificationKind): string {
  return ACTION.test(content) ? content : `${ACTIONS[kind]}|${content}`;
}

export type Targets =
  | { readonly range: 'group'; readonly groupId: number }
  | { readonly range: 'specific_logical_numbers'; readonly numbers: readonly string[] };

/** Whom a notification is for; a request that could mean more terminals than it says is refused. */
export function targetsOf({ range, groupId, logicalNumbers }: NotificationSend): Targets {
  const listed = logicalNumbers ?? '';
  if (range === 'specific_logical_numbers') return { range, numbers: numbersOf(listed) };
  if (groupId === undefined || groupId === null) throw invalid('groupId', 'is required with range group');
  if (listed.trim() !== '') throw invalid('logicalNumbers', 'must be absent with range group');
  return { range, groupId };
}

function numbersOf(listed: string): readonly string[] {
  if (listed.trim() === '') {
    throw invalid('logicalNumbers', 'is required with range specific_logical_numbers');
  }
  const numbers = listed.split(',').map((number) => normalized(number.trim()));
  if (numbers.length > MAX_TARGETS)
    throw invalid('logicalNumbers', `must have at most ${MAX_TARGETS} entries`);
  if (numbers.includes('')) throw invalid('logicalNumbers', 'must not have empty entries');
  return [...new Set(numbers)];
}

/** Nobody is notified where one of the numbers does not exist. */
export function refuseUnknown(numbers: readonly string[], known: readonly string[]): void {
  const existing = new Set(known);
  const unknown = numbers.filter((number) => !existing.has(number));
  if (unknown.length === 0) return;
  const named = unknown.slice(0, NAMED_UNKNOWN).join(', ');
  const more = unknown.length > NAMED_UNKNOWN ? ` and ${unknown.length - NAMED_UNKNOWN} more` : '';
  throw invalid('logicalNumbers', `are not all known: ${named}${more}`);
}
