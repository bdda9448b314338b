import { Field, ID, InputType, type ClassType } from 'type-graphql';

import type { Comparison, Condition, FilterKind } from '../../database/list/condition.js';
import type { List } from '../../database/list/list.js';
import { requestError } from './errors.js';
import { parseGlobalId } from './node.js';
import { DateTime } from './scalars.js';

const MAX_DEPTH = 3;
const MAX_VALUES = 100;
/** The engine takes no more than a thousand within each other. */
const MAX_COMPARISONS = 100;

/** A filter as GraphQL hands it over: `and`, `or`, `not` and comparators by field. */
export type FilterInput = Readonly<Record<string, unknown>>;

@InputType({ description: 'Compares a text, letter for letter; what is absent or null compares nothing.' })
class TextComparator {
  @Field(() => String, { nullable: true, description: 'Is this text.' })
  eq?: string;

  @Field(() => [String], { nullable: true, description: `Is one of these texts, at most ${MAX_VALUES}.` })
  in?: string[];

  @Field(() => String, { nullable: true, description: 'Begins with this text.' })
  startsWith?: string;

  @Field(() => String, { nullable: true, description: 'Has this text in it.' })
  contains?: string;

  @Field(() => Boolean, { nullable: true, description: 'Whether there is none.' })
  isNull?: boolean;
}

@InputType({ description: 'Compares a yes or no; what is absent or null compares nothing.' })
class BooleanComparator {
  @Field(() => Boolean, { nullable: true, description: 'Is this.' })
  eq?: boolean;
}

@InputType({
  description: 'Compares an id, never the number of REST; what is absent or null compares nothing.',
})
class IdComparator {
  @Field(() => ID, { nullable: true, description: 'Is this record.' })
  eq?: string;

  @Field(() => [ID], { nullable: true, description: `Is one of these records, at most ${MAX_VALUES}.` })
  in?: string[];

  @Field(() => Boolean, { nullable: true, description: 'Whether there is none.' })
  isNull?: boolean;
}

@InputType({
  description: 'Compares an instant, such as 2026-11-20T00:00:00Z; what is absent or null compares nothing.',
})
class DateTimeComparator {
  @Field(() => DateTime, { nullable: true, description: 'At this instant or later.' })
  gte?: Date;

  @Field(() => DateTime, { nullable: true, description: 'Before this instant.' })
  lt?: Date;
}

const COMPARATORS: Readonly<Record<Exclude<FilterKind, 'choice'>, ClassType>> = {
  text: TextComparator,
  flag: BooleanComparator,
  id: IdComparator,
  instant: DateTimeComparator,
};

/** An enumeration of the schema, by its name there; its values are the domain's. */
export interface Choices {
  readonly name: string;
  readonly type: object;
}

const choiceComparators = new Map<string, ClassType>();

function choiceComparator({ name, type }: Choices): ClassType {
  const known = choiceComparators.get(name);
  if (known !== undefined) return known;

  @InputType(`${name}Comparator`, {
    description: `Compares by ${name}; what is absent or null compares nothing.`,
  })
  class ChoiceComparator {
    @Field(() => type, { nullable: true, description: 'Is this choice.' })
    eq?: string;

    @Field(() => [type], { nullable: true, description: `Is one of these choices, at most ${MAX_VALUES}.` })
    in?: string[];
  }
  choiceComparators.set(name, ChoiceComparator);
  return ChoiceComparator;
}

/** The input type that narrows a list by its indexed columns; `choices` names the enumeration of a choice. */
export function filterOf(
  list: Pick<List<unknown>, 'name' | 'filters'>,
  choices: Readonly<Record<string, Choices>>,
): ClassType<FilterInput> {
  @InputType(`${list.name}Filter`, {
    description: `Narrows a list of ${list.name} records; all that is given must hold. At most ${MAX_COMPARISONS} comparisons.`,
  })
  class Filter {
    @Field(() => [Filter], {
      nullable: true,
      description: `All of these hold; at most ${MAX_DEPTH} levels deep.`,
    })
    and?: Filter[];

    @Field(() => [Filter], { nullable: true, description: 'At least one of these holds.' })
    or?: Filter[];

    @Field(() => Filter, { nullable: true, description: 'This does not hold.' })
    not?: Filter;
  }
  for (const [field, kind] of Object.entries(list.filters)) {
    const comparator = comparatorOf(kind, field, choices);
    Field(() => comparator, { nullable: true, description: `What ${field} must be.` })(
      Filter.prototype,
      field,
    );
  }
  return Filter as ClassType<FilterInput>;
}

function comparatorOf(
  kind: FilterKind,
  field: string,
  choices: Readonly<Record<string, Choices>>,
): ClassType {
  if (kind !== 'choice') return COMPARATORS[kind];
  const choice = choices[field];
  if (choice === undefined) throw new Error(`The choices of ${field} are not named`);
  return choiceComparator(choice);
}

/** The filter as the database's condition; null where nothing is narrowed. */
export function conditionOf(
  list: Pick<List<unknown>, 'name' | 'filters'>,
  filter: FilterInput | null | undefined,
): Condition | null {
  const where = partOf(list, filter, 0);
  const count = where === null ? 0 : comparisonsIn(where);
  if (count > MAX_COMPARISONS) {
    throw requestError(`A filter has at most ${MAX_COMPARISONS} comparisons, not ${count}.`);
  }
  return where;
}

/** Each is looked at for each record; what holds by itself counts as well. */
function comparisonsIn(where: Condition): number {
  if ('field' in where) return 1;
  if ('not' in where) return comparisonsIn(where.not);
  const parts = 'and' in where ? where.and : where.or;
  return Math.max(
    parts.reduce((sum, part) => sum + comparisonsIn(part), 0),
    1,
  );
}

function partOf(
  list: Pick<List<unknown>, 'name' | 'filters'>,
  filter: FilterInput | null | undefined,
  depth: number,
): Condition | null {
  if (filter == null) return null;
  if (depth > MAX_DEPTH) throw requestError(`Filters nest at most ${MAX_DEPTH} levels deep.`);
  const nested = (value: unknown): Condition => partOf(list, value as FilterInput, depth + 1) ?? { and: [] };
  const parts = Object.entries(filter).flatMap(([name, value]): Condition[] => {
    if (value == null) return [];
    if (name === 'and') return [{ and: (value as unknown[]).map(nested) }];
    if (name === 'or') return [{ or: (value as unknown[]).map(nested) }];
    if (name === 'not') return [{ not: nested(value) }];
    return comparisons(list, name, value as Readonly<Record<string, unknown>>);
  });
  return parts.length === 0 ? null : { and: parts };
}

function comparisons(
  list: Pick<List<unknown>, 'name' | 'filters'>,
  field: string,
  comparator: Readonly<Record<string, unknown>>,
): Condition[] {
  const isId = list.filters[field] === 'id';
  return Object.entries(comparator)
    .filter(([, value]) => value != null)
    .map(([operator, value]) => {
      if (Array.isArray(value) && value.length > MAX_VALUES) {
        throw requestError(`A filter takes at most ${MAX_VALUES} values.`);
      }
      const converted = isId && operator !== 'isNull' ? idsOf(value, typeOf(list.name, field)) : value;
      return { field, operator: operator as Comparison['operator'], value: converted };
    });
}

/** `logicalNumberId` holds ids of `LogicalNumber`, `id` those of the list itself, `actor` those of a user. */
function typeOf(listName: string, field: string): string {
  if (field === 'id') return listName;
  if (field === 'actor') return 'User';
  return field.charAt(0).toUpperCase() + field.slice(1, -'Id'.length);
}

/** Ids of something else, or of nothing, match nothing. */
function idsOf(value: unknown, typeName: string): number | readonly number[] {
  const one = (text: unknown): number => {
    const parsed = parseGlobalId(String(text));
    return parsed?.typeName === typeName ? parsed.id : -1;
  };
  return Array.isArray(value) ? value.map(one) : one(value);
}
