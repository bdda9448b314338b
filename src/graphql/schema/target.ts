/** Arguments, filter and payload of mutations that change all records of a target. */
import {
  coerceInputValue,
  GraphQLError,
  isInputType,
  Kind,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type ObjectFieldNode,
  type ValueNode,
} from 'graphql';
import type { ClassType } from 'type-graphql';

import type { Comparison, Condition } from '../../database/list/condition.js';
import type { ReadWork } from '../../database/work.js';
import { invalid } from '../../platform/errors.js';
import { conditionOf, type FilteredList, type FilterInput, typeOf } from './filter.js';
import { filteredLists } from './list.js';
import { plural, words } from './node.js';
import { parseGlobalId } from './node.js';
import { flag, int, nullable, object, type Fields } from './types.js';

/**
 * The filter under `name` in the argument `target`, or in `input.target`. `invalid` if a comparison has no value: it would
 * select more than intended.
 */
export function targetConditionOf(
  list: FilteredList,
  filter: FilterInput,
  info: GraphQLResolveInfo,
  name = 'filter',
) {
  const args = info.fieldNodes[0]?.arguments ?? [];
  const target = namedIn(args, 'target') ?? namedIn(fieldsIn(namedIn(args, 'input')), 'target');
  refuseMissing(namedIn(fieldsIn(target), name), info.variableValues, name);
  refuseEmpty(filter, name);
  return conditionOf(list, filter) ?? { and: [] };
}

type NamedValue = Pick<ObjectFieldNode, 'name' | 'value'>;

const fieldsIn = (node: ValueNode | undefined): readonly NamedValue[] =>
  node?.kind === Kind.OBJECT ? node.fields : [];

const namedIn = (values: readonly NamedValue[], name: string): ValueNode | undefined =>
  values.find((each) => each.name.value === name)?.value;

/** Refuses ids of no record of the company in a condition: below `not`, they would select everything. */
export async function requireKnownIds(
  work: ReadWork,
  listName: string,
  condition: Condition,
  path: string,
): Promise<void> {
  const list = filteredLists.get(listName);
  if (list === undefined) throw new Error(`No list of ${listName} has a filter`);
  for (const { field, value } of comparisonsOf(condition)) {
    const isOfIds = ['id', 'linked'].includes(list.filters[field] ?? '') && typeof value !== 'boolean';
    const typeName = typeOf(list.name, field);
    const records = filteredLists.get(typeName);
    if (!isOfIds || records === undefined) continue;
    const ids = new Set([value].flat() as readonly number[]);
    if ((await records.byIds(work, [...ids])).size < ids.size)
      throw invalid(path, 'must hold ids of {what} only', { what: plural(words(typeName)) });
  }
}

function comparisonsOf(condition: Condition): readonly Comparison[] {
  if ('not' in condition) return comparisonsOf(condition.not);
  if ('and' in condition) return condition.and.flatMap(comparisonsOf);
  return 'or' in condition ? condition.or.flatMap(comparisonsOf) : [condition];
}

/** A field of an operation. */
export type Info = GraphQLResolveInfo;

let whole: GraphQLSchema | undefined;

/** Lets `keptConditionOf` read filters by the types of the whole schema. */
export const useTypesOfFilters = (schema: GraphQLSchema): void => void (whole = schema);

/**
 * The condition of a filter that is kept as JSON, as clients write it, for the list of the records of a type. Errors:
 * `invalid` at `path` for a filter that the list does not take, or that compares nothing.
 */
export function keptConditionOf(typeName: string, filter: unknown, path: string): Condition {
  const list = filteredLists.get(typeName);
  const type = whole?.getType(`${typeName}Filter`);
  if (list === undefined || !isInputType(type)) throw new Error(`No list of ${typeName} has a filter`);
  try {
    const given = coerceInputValue(filter, type, (_path, _value, error) => {
      throw error;
    }) as FilterInput;
    refuseEmpty(given, path);
    return conditionOf(list, given) ?? { and: [] };
  } catch (error) {
    if (error instanceof GraphQLError)
      throw invalid(path, 'does not fit the list: {reason}', { reason: error.message });
    throw error;
  }
}

/** The filters, of some that are kept as JSON, that have the global id of a record that was deleted. */
export async function filtersOfDeleted<F>(work: ReadWork, filters: readonly F[]): Promise<ReadonlySet<F>> {
  const named = filters.flatMap((filter) => idsIn(filter).map((id) => ({ ...id, filter })));
  const found = new Set<F>();
  for (const [typeName, ids] of Map.groupBy(named, (each) => each.typeName)) {
    const records = await filteredLists.get(typeName)?.byIds(work, [...new Set(ids.map(({ id }) => id))]);
    for (const { id, filter } of ids) if (records?.has(id) === false) found.add(filter);
  }
  return found;
}

function idsIn(filter: unknown): readonly { readonly typeName: string; readonly id: number }[] {
  if (typeof filter === 'string') return [parseGlobalId(filter) ?? []].flat();
  return Object.values(Object(filter) as object).flatMap(idsIn);
}

/** Refuses variables in a literal that have no value: graphql-js leaves their fields out. */
function refuseMissing(
  node: ValueNode | undefined,
  variables: GraphQLResolveInfo['variableValues'],
  path: string,
): void {
  if (node?.kind === Kind.VARIABLE && variables[node.name.value] === undefined) {
    const variable = node.name.value;
    throw invalid(path, 'must have a value: the variable ${variable} has none', { variable });
  }
  if (node?.kind === Kind.LIST) {
    for (const [index, entry] of node.values.entries()) refuseMissing(entry, variables, `${path}.${index}`);
  }
  if (node?.kind === Kind.OBJECT) {
    for (const { name, value } of node.fields) refuseMissing(value, variables, `${path}.${name.value}`);
  }
}

/** Paths of comparators that match every text if their value is empty. */
const ANY_TEXT = /\.(contains|startsWith)$/;

/** True if a field of a comparator compares nothing itself. Lists have filters of such names too, which are objects. */
const isModifier = (name: string, entry: unknown): boolean =>
  ['ignoreCase', 'key'].includes(name) && typeof entry !== 'object';

function refuseEmpty(value: unknown, path: string): void {
  if (value === null) {
    const advice = 'isNull: true selects records without a value';
    throw invalid(path, 'must not be null. {advice}', { advice });
  }
  if (value === '' && ANY_TEXT.test(path))
    throw invalid(path, 'must not be empty: {advice}', { advice: 'it would select everything' });
  if (typeof value !== 'object' || value instanceof Date) return;
  const entries = Object.entries(value).filter(
    ([name, entry]) => entry !== undefined && !isModifier(name, entry),
  );
  if (entries.length === 0) {
    const advice = 'A target of everything says all: true in place of a filter';
    throw invalid(path, 'must not be empty. {advice}', { advice });
  }
  for (const [name, entry] of entries) refuseEmpty(entry, `${path}.${name}`);
}

export const TARGET_ARGS = {
  dryRun: {
    ...flag.orNull('True changes nothing, and returns what the change would affect: `count` and `examples`.'),
    defaultValue: false,
  },
  expectCount: int.orNull(
    'The `count` that the change must have, for example that of a `dryRun`: INVALID and no change if it has another. Any if absent.',
  ),
};

/** Records in `examples`, which they add to the cost. */
const EXAMPLES = 20;

/** Fields of the payload of a change by target; `count` is the first sentence of the description of the number. */
export function targetPayload(count: string, Record: ClassType): Fields {
  const examples = `The first ${EXAMPLES} records that \`count\` counts, by id. Null without dryRun.`;
  return {
    count: int.orNull(`${count} With dryRun: the number that it would be. Null after an error.`),
    examples: { ...nullable(object.list(Record, examples)), counts: EXAMPLES },
  };
}
