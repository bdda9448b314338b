import type { CalendarTime } from '../gql/graphql';
import { findTags } from '../record/find';
import { knownOf, type Known } from '../record/known';
import { type Option, useFormat, useLabel, useTexts } from '../text';
import { pageWords, words } from '../ui/words';

/** A comparator of the API, for example `{ contains: "SN-1" }`. */
export type Comparator = Readonly<Record<string, Value | readonly Value[]>>;

export type Value = string | number | boolean | CalendarTime;

/** A filter of the API without `and`, `or` and `not`, as it stands in the address: `not.version` is what must not hold. */
export type Filter<Name extends string = string> = Readonly<Record<Name, Comparator>>;

/** A condition that people can set, beside what is known by its name. */
export interface FilterField extends Known {
  /** Name in the filter of the API. */
  readonly id: string;
  readonly title: string;
  /** Values to choose from. */
  readonly options?: readonly Option[] | undefined;
  /** Set by links alone, without a field to enter it. */
  readonly isOfLinks?: boolean;
}

/** A condition of a page, or its name where all of it is known. */
export type GivenFilter<Name extends string = string> =
  | Name
  | (Partial<FilterField> & { readonly id: Name | `${typeof NOT}${Name}` });

/** Conditions with all that follows from their names. */
export function useFilterFields(given: readonly GivenFilter[]): readonly FilterField[] {
  const label = useLabel();
  const yesOrNo = [
    { value: 'true', label: label('yes') },
    { value: 'false', label: label('no') },
  ];
  return given.map((each) => {
    const own = typeof each === 'string' ? { id: each } : each;
    const field = { title: label(own.id), ...knownOf(own.id), ...own };
    if (field.kind === 'flag') return { ...field, options: yesOrNo };
    if (field.kind === 'tags') return { ...field, find: findTags, comparator: 'eq' };
    const values = field.values?.map((value) => ({ value, label: label(value) }));
    return { ...field, options: values ?? field.options };
  });
}

/** Kind of the values of a condition: an amount is in cents, a reference the id of a record. */
export function kindOf({ kind, find, isOfLinks }: FilterField) {
  if (find !== undefined || isOfLinks === true) return 'reference';
  if (kind === 'ago') return 'time';
  const known = ['amount', 'flag', 'number', 'percent', 'time'] as const;
  return known.find((each) => each === kind) ?? 'text';
}

/** The comparator of what a person has entered: a part of a name is found in any case. */
export const comparatorOfInput = (by: string, value: Comparator[string]): Comparator =>
  by === 'contains' ? { contains: value, ignoreCase: true } : { [by]: value };

export const filterWords = pageWords({
  above: ['from', 'a partir de'],
  any: ['Any', 'Qualquer'],
  below: ['below', 'abaixo de'],
  bounds: ['From … before …', 'Desde … antes de …'],
  clear: ['Clear all', 'Limpar tudo'],
  from: ['from', 'desde'],
  until: ['before', 'antes de'],
  filter: ['Filter', 'Filtrar'],
  savedFilters: ['Saved filters', 'Filtros salvos'],
  removeCondition: [
    (name: string) => `Remove the condition ${name}`,
    (name: string) => `Remover a condição ${name}`,
  ],
});

/** Words before the bounds of a condition. */
export function boundWords(field: FilterField, text: (typeof filterWords)['en']) {
  return kindOf(field) === 'time' ? { gte: text.from, lt: text.until } : { gte: text.above, lt: text.below };
}

const NOT = 'not.';

/** The filter as the API takes it. */
export function apiFilter(filter: Filter): object {
  const conditions = Object.entries(filter);
  const holding = conditions.filter(([name]) => !name.startsWith(NOT));
  const and = conditions
    .filter(([name]) => name.startsWith(NOT))
    .map(([name, comparator]) => ({ not: { [name.slice(NOT.length)]: comparator } }));
  return { ...Object.fromEntries(holding), ...(and.length > 0 && { and }) };
}

/** A filter of the API as it stands in the address; null for one that these fields cannot show. */
export function shownFilter(fields: readonly FilterField[], filter: object): Filter | null {
  const { and = [], ...plain } = filter as { readonly and?: readonly { readonly not?: object }[] };
  const negated = and.flatMap((part) => {
    const conditions = Object.entries(part.not ?? {});
    const isOne = conditions.length === 1 && Object.keys(part).length === 1;
    return isOne
      ? conditions.map(([name, comparator]) => [NOT + name, comparator] as const)
      : [['', {}] as const];
  });
  const shown = [...Object.entries(plain), ...negated];
  const isKnown = shown.every(([name]) => fields.some(({ id }) => id === name));
  return isKnown ? Object.fromEntries(shown) : null;
}

/** Global ids in the conditions of references. */
export function referencesIn(fields: readonly FilterField[], filter: Filter): readonly string[] {
  return fields
    .filter((field) => kindOf(field) === 'reference' && field.kind !== 'tags')
    .flatMap(({ id }) => [filter[id]?.eq ?? filter[id]?.in ?? []].flat().map(String));
}

/** The name of a record in a condition; a tag is its own name. */
export const nameIn = (
  names: ReadonlyMap<string, string>,
  { kind }: FilterField,
  id: string,
): string | undefined => (kind === 'tags' ? id : names.get(id));

/** Says a condition in words: "Model: Z8", "Group: none". `names` has the records of references by their ids. */
export function useConditionText(
  names: ReadonlyMap<string, string>,
): (field: FilterField, comparator: Comparator) => string {
  const text = useTexts(filterWords);
  const label = useLabel(useTexts(words));
  const format = useFormat();
  return (field, comparator) => {
    const shown = (value: Value): string => {
      if (typeof value === 'object') return `${label(value.interval)} (${value.timeZone ?? 'UTC'})`;
      const kind = kindOf(field);
      if (kind === 'time') return format.time(String(value));
      if (kind === 'amount') return format.amount(Number(value));
      if (kind === 'percent') return format.share(Number(value) / 100);
      if (kind === 'reference') return nameIn(names, field, String(value)) ?? '…';
      return field.options?.find((option) => option.value === String(value))?.label ?? String(value);
    };
    const parts: string[] = [];
    for (const [name, value] of Object.entries(comparator)) {
      if (name === 'ignoreCase') continue;
      if (name === 'isNull') parts.push(value === true ? text.none : text.any);
      else {
        const bounds: Readonly<Record<string, string>> = boundWords(field, text);
        parts.push([bounds[name] ?? [], [value].flat().map(shown).join(', ')].flat().join(' '));
      }
    }
    return `${field.title}: ${parts.join(' ')}`;
  };
}

/** The values but one. */
export function without<Value>(
  values: Readonly<Record<string, Value>>,
  name: string,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).filter(([each]) => each !== name));
}
