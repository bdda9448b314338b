import fc from 'fast-check';

import { DAY, MINUTE } from '../../../../src/platform/clock.js';
import { nodeId } from '../../../support/dashboard.js';

/** The fields of a transaction that filters compare. */
export interface Row {
  readonly id: number;
  readonly startedAt: number;
  readonly status: string;
  readonly transactionType: string;
  readonly appName: string;
  readonly serialNumber: string;
  readonly logicalNumber: string;
}

type Comparator = Readonly<Record<string, unknown>>;
export type Filter = Readonly<Record<string, unknown>>;

const CHOICES = {
  status: ['SUCCESS', 'RUNNING', 'FAIL'],
  transactionType: ['COMPANY', 'SWITCH', 'GET_ASSET'],
} as const;

const enumComparator = (values: readonly string[]) =>
  fc.oneof(
    fc.constantFrom(...values).map((eq): Comparator => ({ eq })),
    fc.subarray([...values]).map((choices): Comparator => ({ in: choices })),
  );

const textComparator = (values: readonly string[], part: string) =>
  fc.oneof(
    fc.constantFrom(...values, 'nobody').map((eq): Comparator => ({ eq })),
    fc.subarray([...values]).map((names): Comparator => ({ in: names })),
    fc.constantFrom(part, values[0] ?? '', '').map((startsWith): Comparator => ({ startsWith })),
    fc.constantFrom(part, '-1', '%').map((contains): Comparator => ({ contains })),
  );

/** Times in and around `days` days from `first` on: at midnights, at full hours and between. */
function instants(first: number, days: number): fc.Arbitrary<string> {
  const minute = fc.oneof(
    fc.integer({ min: -1, max: days + 1 }).map((day) => (day * DAY) / MINUTE),
    fc.integer({ min: -24, max: (days + 1) * 24 }).map((hour) => hour * 60),
    fc.integer({ min: -1440, max: (days + 1) * 1440 }),
  );
  return fc
    .tuple(minute, fc.constantFrom(0, 0, 1, 59_999))
    .map(([minutes, more]) => new Date(first + minutes * MINUTE + more).toISOString());
}

/** Arbitrary values of the GraphQL input `TransactionFilter`. */
export function transactionFilters(first: number, days: number): fc.Arbitrary<Filter> {
  const plain = fc.record(
    {
      status: enumComparator(CHOICES.status),
      transactionType: enumComparator(CHOICES.transactionType),
      appName: textComparator(['a.rb', 'b.rb'], '.rb'),
      serialNumber: textComparator(['S-0', 'S-1'], 'S'),
      logicalNumber: textComparator(['L-0', 'L-1'], 'L'),
      startedAt: fc.record({ gte: instants(first, days), lt: instants(first, days) }, { requiredKeys: [] }),
      id: fc.subarray([1, 2, 3, 50, 9e6]).map((ids) => ({ in: ids.map((id) => nodeId('Transaction', id)) })),
    },
    { requiredKeys: [] },
  );
  // Most filters have at most two comparisons.
  const simple = plain.chain((filter) => {
    const parts = Object.entries(filter);
    const some = fc.subarray(parts, { maxLength: Math.min(2, parts.length) });
    return some.map((chosen): Filter => Object.fromEntries(chosen));
  });
  const nested = fc.record(
    { and: fc.array(simple, { maxLength: 2 }), or: fc.array(simple, { maxLength: 2 }), not: simple },
    { requiredKeys: [] },
  );
  return fc.oneof(
    { weight: 3, arbitrary: simple },
    { weight: 1, arbitrary: fc.tuple(simple, nested).map(([own, more]): Filter => ({ ...own, ...more })) },
  );
}

/** Whether a row passes a filter, computed without the database. */
export function meets(row: Row, filter: Filter): boolean {
  return judged(row, filter) ?? true;
}

/** Null for a filter without a condition: it is left out of `and`, `or` and `not`. */
function judged(row: Row, filter: Filter): boolean | null {
  const results = Object.entries(filter).flatMap(([field, value]): boolean[] => {
    const nested = (part: Filter): boolean[] => {
      const result = judged(row, part);
      return result === null ? [] : [result];
    };
    if (field === 'not') return nested(value as Filter).map((result) => !result);
    if (field !== 'and' && field !== 'or') {
      return Object.entries(value as Comparator).map(([operator, operand]) =>
        compares(field, row[field as keyof Row], operator, operand),
      );
    }
    const given = value as Filter[];
    const parts = given.flatMap(nested);
    if (parts.length === 0 && given.length > 0) return [];
    return [field === 'and' ? parts.every(Boolean) : parts.some(Boolean)];
  });
  return results.length === 0 ? null : results.every(Boolean);
}

function compares(field: string, value: string | number, operator: string, operand: unknown): boolean {
  const text =
    field === 'id'
      ? nodeId('Transaction', Number(value))
      : field in CHOICES
        ? String(value).toUpperCase()
        : String(value);
  switch (operator) {
    case 'eq':
      return text === operand;
    case 'in':
      return (operand as string[]).includes(text);
    case 'startsWith':
      return text.startsWith(String(operand));
    case 'contains':
      return text.includes(String(operand));
    case 'gte':
      return Number(value) >= Date.parse(String(operand));
    case 'lt':
      return Number(value) < Date.parse(String(operand));
    default:
      throw new Error(`No such comparator: ${operator}`);
  }
}
