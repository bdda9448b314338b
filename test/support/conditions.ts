/** Conditions of lists with values that some of the records have. */
import fc from 'fast-check';

import type { Comparison, Condition, FilterKind } from '../../src/database/list/condition.js';
import type { List } from '../../src/database/list/list.js';
import { PRESENCES } from '../../src/domain/fleet/device/device.model.js';

/** Values per `in`, at most: records that a unique column finds. */
export const MOST_VALUES = 4;

const EXACT = ['eq', 'in'] as const;
const OPTIONAL = [...EXACT, 'isNull'] as const;
const CASELESS = ['eqIgnoringCase', 'startsWithIgnoringCase', 'containsIgnoringCase'] as const;
/** Operators by the kind of a field, as GraphQL offers them. */
const OPERATORS: Readonly<Record<FilterKind, readonly Comparison['operator'][]>> = {
  text: [...OPTIONAL, 'startsWith', 'contains', ...CASELESS],
  flag: ['eq'],
  instant: ['gte', 'lt'],
  amount: [...EXACT, 'gte', 'lt', 'isNull'],
  choice: EXACT,
  linked: EXACT,
  id: OPTIONAL,
  integer: OPTIONAL,
  optionalChoice: OPTIONAL,
  entry: ['hasEntry'],
};

/** Values of a field of which some rows have one. */
function valuesOf(field: string, kind: FilterKind): fc.Arbitrary<unknown> {
  const number = fc.integer({ min: 0, max: kind === 'amount' ? 50 : 1_300 });
  if (field === 'presence') return fc.constantFrom(...PRESENCES);
  if (kind === 'flag') return fc.boolean();
  if (kind === 'entry') return fc.integer({ min: 0, max: 6 }).map((n) => ['model', `v${n}`]);
  if (field === 'state') return fc.constantFrom('v0', 'valid', 'revoked', 'expired');
  if (kind === 'instant') return number.map((n) => new Date(n));
  return /text|choice/i.test(kind) ? fc.integer({ min: 0, max: 130 }).map((n) => `v${n}`) : number;
}

/** Comparisons of a field with each operator. */
export function comparisonsOf(field: string, kind: FilterKind): fc.Arbitrary<Comparison>[] {
  const value = valuesOf(field, kind);
  return OPERATORS[kind].map((operator) => {
    const ofOne = operator === 'isNull' ? fc.boolean() : operator === 'contains' ? fc.constant('v') : value;
    const given = operator === 'in' ? fc.array(value, { maxLength: MOST_VALUES }) : ofOne;
    return given.map((each) => ({ field, operator, value: each }));
  });
}

/** Conditions of a list. */
export function conditions(list: List<unknown>): fc.Arbitrary<Condition> {
  const one: fc.Arbitrary<Condition> = fc.oneof(
    ...Object.entries(list.filters).map(([field, kind]) => fc.oneof(...comparisonsOf(field, kind))),
  );
  const nested = fc.oneof(
    { weight: 4, arbitrary: one },
    { weight: 1, arbitrary: fc.array(one, { minLength: 1, maxLength: 3 }).map((or): Condition => ({ or })) },
    { weight: 1, arbitrary: one.map((not): Condition => ({ not })) },
  );
  return fc.array(nested, { minLength: 1, maxLength: 3 }).map((and): Condition => ({ and }));
}
