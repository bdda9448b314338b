import { countOf } from '../../../database/counters.js';
import type { Condition } from '../../../database/list/condition.js';
import type { Key, SliceRequest } from '../../../database/list/listing.js';
import { MANY_ROWS, type ReadWork } from '../../../database/work.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { normalized } from '../../../platform/encoding/text.js';
import { invalid, tooManyRecords } from '../../../platform/errors.js';
import { refuseUnknownGroup } from '../group/group.service.js';
import type { LogicalNumberHead } from './logical-number.model.js';
import { findLogicalNumbersByNumbers, logicalNumbers } from './logical-number.service.js';

/** Selects the logical numbers of a bulk change: by group, by a list of numbers, or by a filter. */
export type NumberTarget =
  | { readonly groupId: number }
  | { readonly logicalNumbers: readonly string[] }
  /** Null selects all logical numbers of the company. */
  | { readonly filter: Condition | null };

const NUMBERS_PER_QUERY = 1_000;
const MAX_UNKNOWN_IN_MESSAGE = 20;

/** One statement per thousand. Errors: `invalid` for an unknown group or number, `too_many_records` for more than `limit`. */
export async function findTarget(work: ReadWork, target: NumberTarget, limit: number) {
  if ('logicalNumbers' in target) {
    const numbers = [...new Set(target.logicalNumbers.map((number) => normalized(number.trim())))];
    if (numbers.length > limit) throw tooMany(`${numbers.length} logical numbers`, limit);
    return await findAllByNumbers(work, numbers);
  }
  if ('filter' in target) {
    if ((await countOf(work, 'logical_numbers')) > MANY_ROWS) work.moveToThread?.();
    return await findMatching(work, target.filter, limit);
  }
  const { groupId } = target;
  await refuseUnknownGroup(work, 'groupId', groupId);
  return await findMatching(work, ofGroup(groupId), limit);
}

/** Logical numbers that a change affects: their count, and the first 20 of them. */
export interface Affected {
  readonly count: number;
  readonly examples: readonly LogicalNumberHead[];
}

const MAX_EXAMPLES = 20;

export function affected(numbers: readonly LogicalNumberHead[]): Affected {
  return { count: numbers.length, examples: numbers.slice(0, MAX_EXAMPLES) };
}

export async function affectedOfGroup(work: ReadWork, groupId: number): Promise<Affected> {
  const condition = ofGroup(groupId);
  const { items } = await logicalNumbers.slice(work, { ...pageAfter(null, condition), limit: MAX_EXAMPLES });
  const count = await logicalNumbers.count(work, condition);
  return { count, examples: items.map(({ record }) => record) };
}

export function demandCount(count: number, expected: number | null | undefined): void {
  if (expected == null || expected === count) return;
  const message = `is ${expected}, but the change affects ${count} logical numbers. Nothing was changed`;
  throw invalid('expectCount', message);
}

const ofGroup = (groupId: number): Condition => ({
  and: [{ field: 'groupId', operator: 'eq', value: groupId }],
});

function pageAfter(key: Key | null, condition: Condition | null): SliceRequest {
  return { order: 'ID', descending: false, backward: false, limit: NUMBERS_PER_QUERY, key, condition };
}

/** Logical numbers by their numbers, which are normalized. Errors: `invalid` if one of them is unknown. */
export async function findAllByNumbers(work: ReadWork, numbers: readonly string[]) {
  const found = await findLogicalNumbersByNumbers(work, numbers);
  const known = new Set(found.map(({ number }) => number));
  const unknown = numbers.filter((number) => !known.has(number));
  if (unknown.length === 0) return found;
  const named = unknown.slice(0, MAX_UNKNOWN_IN_MESSAGE).join(', ');
  const more = unknown.length - MAX_UNKNOWN_IN_MESSAGE;
  throw invalid('logicalNumbers', `are not all known: ${named}${more > 0 ? ` and ${more} more` : ''}`);
}

async function findMatching(work: ReadWork, condition: Condition | null, limit: number) {
  const found: LogicalNumberHead[] = [];
  let key: Key | null = null;
  for (;;) {
    const { items, hasMore } = await logicalNumbers.slice(work, pageAfter(key, condition));
    found.push(...items.map(({ record }) => record));
    if (found.length > limit) throw tooMany(`more than ${limit} logical numbers`, limit);
    if (!hasMore) return found;
    key = items.at(-1)?.key ?? null;
    await yieldToEventLoop();
  }
}

function tooMany(records: string, limit: number): Error {
  return tooManyRecords('The target', records, limit, 'select fewer logical numbers, or fewer app versions');
}
