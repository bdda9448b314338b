import { isDeepStrictEqual } from 'node:util';

import { valueById } from '../../../database/storage.js';
import type { WriteWork } from '../../../database/work.js';
import type { LogicalNumber } from './logical-number.model.js';
import { logicalNumberHeads, logicalNumberTable } from './logical-number.service.js';

const FIELDS = ['tags', 'notes', 'merchantName', 'merchantAddress'] as const;
type Description = Partial<Pick<LogicalNumber, (typeof FIELDS)[number]>>;

/**
 * Gives each of some logical numbers tags, notes and a merchant of its own; absent fields stay. Returns all as they are then.
 * One statement for 250 that change.
 */
export async function describeNumbers(
  work: WriteWork,
  numbers: readonly LogicalNumber[],
  descriptionOf: (number: LogicalNumber) => Description,
): Promise<readonly LogicalNumber[]> {
  const after = new Map(numbers.map((number) => [number.id, { ...number, ...descriptionOf(number) }]));
  const differs = (number: LogicalNumber, field: (typeof FIELDS)[number]): boolean =>
    !isDeepStrictEqual(after.get(number.id)?.[field], number[field]);
  const changed = FIELDS.filter((field) => numbers.some((number) => differs(number, field)));
  const differing = numbers.filter((number) => changed.some((field) => differs(number, field)));
  const changes = changed.map((field) => {
    const values = differing.map(({ id }) => {
      const value = after.get(id)?.[field] ?? null;
      return [id, Array.isArray(value) ? JSON.stringify(value) : value] as const;
    });
    const kind = field === 'tags' ? 'jsonb' : 'text';
    return [logicalNumberTable.columns[field], valueById('logical_numbers', kind, new Map(values))] as const;
  });
  const updated = await logicalNumberHeads.updateAll(work, differing, Object.fromEntries(changes));
  const byId = new Map(updated.map((number) => [number.id, number]));
  return numbers.map((number) => byId.get(number.id) ?? number);
}
