import type { ClassType } from 'type-graphql';

import {
  comparisonsIn,
  IN_ANY_CASE,
  type Comparison,
  type Condition,
  type FilterKind,
} from '../../database/list/condition.js';
import type { List } from '../../database/list/list.js';
import { normalized } from '../../platform/validate.js';
import {
  COMPARATORS,
  during,
  enumComparator,
  MAX_IN_ANY_CASE,
  MAX_VALUES,
  type CalendarTime,
} from './comparators.js';
import { requestError } from './errors.js';
import { globalId, numberIn, plural, words } from './node.js';
import * as g from './types.js';

const MAX_DEPTH = 3;
/** SQLite refuses expressions nested more than 1000 levels deep. */
const MAX_COMPARISONS = 100;

export type FilteredList = Pick<List<unknown>, 'name' | 'filters'>;

/** Filter as GraphQL passes it: `and`, `or`, `not`, and comparators by field: `{ name: { eq: 'A' } }`. */
export type FilterInput = Readonly<Record<string, unknown>>;

/** The input type that filters a list, made from its filter columns; `enums` has the enum of each choice, by field. */
export function filterOf(
  list: FilteredList,
  enums: Readonly<Record<string, g.Enumeration>>,
  descriptions: Readonly<Record<string, string>>,
): ClassType<FilterInput> {
  const description = `Selects ${plural(words(list.name))}: all conditions given must hold. At most ${MAX_COMPARISONS} comparisons, nested ones included.`;
  const Filter: ClassType<FilterInput> = g.inputType(`${list.name}Filter`, description, {});
  const nested = (description: string): g.AnyField => g.object(Filter, description);
  const fields: Record<string, g.AnyField> = {
    and: g.listOf(nested(`All of these hold. Filters nest at most ${MAX_DEPTH} levels.`)),
    or: g.listOf(nested('At least one of these holds.')),
    not: nested('This does not hold; includes records whose compared value is null.'),
  };
  for (const [field, kind] of Object.entries(list.filters)) {
    fields[field] = g.object(
      comparatorOf(kind, field, enums),
      descriptions[field] ?? conditionOn(field, kind),
    );
  }
  for (const [name, field] of Object.entries(fields)) g.addField(Filter, name, g.nullable(field));
  return Filter;
}

/** Fields of ids are named after the relation that the type shows: `groupId` is the id of `group`. */
function conditionOn(field: string, kind: FilterKind): string {
  const relation = kind === 'id' && field !== 'id' ? field.replace(/Id$/, '') : null;
  return relation === null ? `Condition on \`${field}\`.` : `Condition on the \`id\` of \`${relation}\`.`;
}

function comparatorOf(kind: FilterKind, field: string, enums: Readonly<Record<string, g.Enumeration>>) {
  if (kind !== 'choice' && kind !== 'optionalChoice') return COMPARATORS[kind];
  const of = enums[field];
  if (of === undefined) throw new Error(`The enums must name the enum of ${field}`);
  return enumComparator(of, kind === 'optionalChoice');
}

/** The filter as a condition; null without a comparison. Ignores absent values. Errors: BAD_USER_INPUT for null. */
export function conditionOf(list: FilteredList, filter: FilterInput | null | undefined): Condition | null {
  const where = filter == null ? null : partOf(list, filter, ['filter'], 0);
  const count = where === null ? 0 : comparisonsIn(where);
  if (count > MAX_COMPARISONS) {
    const message = `A filter takes at most ${MAX_COMPARISONS} comparisons, not ${count}.`;
    throw requestError(message, { limit: 'comparisons', maximum: MAX_COMPARISONS, actual: count });
  }
  return where;
}

type Path = readonly string[];

function partOf(list: FilteredList, filter: FilterInput, path: Path, depth: number): Condition | null {
  if (depth > MAX_DEPTH) {
    const details = { limit: 'filterDepth', maximum: MAX_DEPTH, actual: depth };
    throw requestError(`Filters nest at most ${MAX_DEPTH} levels.`, details);
  }
  const nested = (value: unknown, ...more: Path): Condition[] => {
    const part = partOf(list, value as FilterInput, [...path, ...more], depth + 1);
    return part === null ? [] : [part];
  };
  const parts = givenIn(filter, path).flatMap(([name, value]): Condition[] => {
    if (name === 'not') return nested(value, name).map((part) => ({ not: part }));
    if (name !== 'and' && name !== 'or') return comparisons(list, name, value as FilterInput, path);
    const given = value as readonly unknown[];
    const kept = given.flatMap((part, index) => nested(part, name, String(index)));
    if (kept.length === 0 && given.length > 0) return [];
    return [name === 'and' ? { and: kept } : { or: kept }];
  });
  return parts.length === 0 ? null : { and: parts };
}

/** The fields that have a value. Errors: BAD_USER_INPUT for null. */
function givenIn(input: FilterInput, path: Path): readonly (readonly [string, unknown])[] {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined);
  const empty = entries.find(([, value]) => value === null);
  if (empty === undefined) return entries;
  throw requestError(
    `${[...path, empty[0]].join('.')} must not be null. Leave it out for no condition; isNull: true selects records without a value.`,
  );
}

function comparisons(list: FilteredList, field: string, comparator: FilterInput, path: Path): Condition[] {
  const { ignoreCase, ...given } = Object.fromEntries(givenIn(comparator, [...path, field]));
  if (list.filters[field] === 'entry') return entryOf(list, field, given);
  return Object.entries(given).flatMap(([name, value]): Comparison[] => {
    if (list.filters[field] === 'instant' && name === 'during') return during(field, value as CalendarTime);
    if (Array.isArray(value) && value.length > MAX_VALUES) {
      const message = `${field}.${name} takes at most ${MAX_VALUES} values, not ${value.length}.`;
      throw requestError(message, { limit: 'filterValues', maximum: MAX_VALUES, actual: value.length });
    }
    const operator =
      ignoreCase === true ? ignoringCase(name, value, field) : (name as Comparison['operator']);
    return [{ field, operator, value: converted(list, field, value) }];
  });
}

/** The comparison of an entry; none without its text. Errors: BAD_USER_INPUT without a key. */
function entryOf(list: FilteredList, field: string, { key, eq }: FilterInput): Comparison[] {
  if (eq === undefined) return [];
  if (key === undefined) throw requestError(`${field}.eq needs a key. Name one, for example brand.`);
  return [{ field, operator: 'hasEntry', value: [key, eq].map((text) => converted(list, field, text)) }];
}

/** The operator that ignores the case of letters. Errors: BAD_USER_INPUT for `in`, and for a text that is too long. */
function ignoringCase(name: string, value: unknown, field: string): Comparison['operator'] {
  if (name === 'in') {
    throw requestError(`${field}.in does not take ignoreCase. Join several eq with \`or\` instead.`);
  }
  const length = typeof value === 'string' ? value.length : 0;
  if (length > MAX_IN_ANY_CASE) {
    const message = `${field}.${name} with ignoreCase takes at most ${MAX_IN_ANY_CASE} characters, not ${length}.`;
    throw requestError(message, { limit: 'filterText', maximum: MAX_IN_ANY_CASE, actual: length });
  }
  const operator = `${name}IgnoringCase`;
  return (operator in IN_ANY_CASE ? operator : name) as Comparison['operator'];
}

/** A value, or each value of a list, as its column has it: ids as numbers, texts in NFC. */
function converted(list: FilteredList, field: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => converted(list, field, each));
  if (typeof value !== 'string') return value;
  // -1 matches no record.
  if (['id', 'linked'].includes(list.filters[field] ?? ''))
    return numberIn(typeOf(list.name, field), value) ?? -1;
  return normalized(value);
}

/** Global id of the record with a number that a field compares. */
export const idOfField = (list: FilteredList, field: string, number: number): string =>
  globalId(typeOf(list.name, field), number);

/** Types whose ids fields compare that are not named after them. */
const TYPES: Readonly<Record<string, string>> = {
  actorId: 'User',
  changedByJob: 'Job',
  createdById: 'User',
  version: 'AppVersion',
};

/** Type whose ids a field compares: LogicalNumber for `logicalNumberId`, the list's own type for `id`. */
export function typeOf(listName: string, field: string): string {
  if (field === 'id') return listName;
  return TYPES[field] ?? field.charAt(0).toUpperCase() + field.slice(1).replace(/Id$/, '');
}
