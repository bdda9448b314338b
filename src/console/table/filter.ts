import { knownOf } from '../record/known';
import { type Option, useFormat, useLabel, useTexts } from '../text';
import type { Reference } from '../ui/reference-input';
import { pageWords } from '../ui/words';

/** A comparator of the API, for example `{ contains: "SN-1" }`. */
export type Comparator = Readonly<Record<string, Value | readonly Value[]>>;

type Value = string | number | boolean;

/** A filter of the API without `and`, `or` and `not`, as it stands in the address: `not.version` is what must not hold. */
export type Filter = Readonly<Record<string, Comparator>>;

/** A condition that people can set. */
export interface FilterField {
  /** Name in the filter of the API. */
  readonly id: string;
  readonly title: string;
  /** `amount` is in cents; `reference` is the id of a record. */
  readonly kind: 'text' | 'choice' | 'flag' | 'time' | 'amount' | 'reference';
  /** Values of a choice. */
  readonly options?: readonly Option[] | undefined;
  /** Finds records for a reference by their names, at most some ten. */
  readonly find?: ((text: string) => Promise<readonly Reference[]>) | undefined;
  /** Set by links alone, without a field to enter it. */
  readonly isOfLinks?: boolean;
  /** How a text is compared: `contains` where nothing is said. */
  readonly comparator?: 'contains' | 'startsWith' | 'eq';
}

/** A condition of a page, or its name where all of it is known. */
export type GivenFilter =
  | string
  | (Partial<FilterField> & { readonly id: string; readonly values?: readonly string[] });

const KINDS = new Map<string | undefined, FilterField['kind']>([
  ['ago', 'time'],
  ['time', 'time'],
  ['amount', 'amount'],
  ['flag', 'flag'],
]);

/** Words for the values of a flag. */
const FLAG = [
  ['true', 'yes'],
  ['false', 'no'],
] as const;

const kindOf = (shownAs: string | undefined) => KINDS.get(shownAs) ?? 'text';

/** Conditions with all that follows from their names. */
export function useFilterFields(given: readonly GivenFilter[]): readonly FilterField[] {
  const label = useLabel();
  return given.map((each) => {
    const own = typeof each === 'string' ? { id: each } : each;
    const { values, find, kind: shownAs, comparator } = { ...knownOf(own.id), ...own };
    const kind = find ? 'reference' : values ? 'choice' : kindOf(shownAs);
    const options =
      kind === 'flag'
        ? FLAG.map(([value, word]) => ({ value, label: label(word) }))
        : values?.map((value) => ({ value, label: label(value) }));
    const field = { title: label(own.id), kind, options, find, ...own } as const;
    return comparator === undefined ? field : { ...field, comparator };
  });
}

export const filterWords = pageWords({
  any: ['Any', 'Qualquer'],
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
  return isKnown ? (Object.fromEntries(shown) as Filter) : null;
}

/** Global ids in the conditions of references. */
export function referencesIn(fields: readonly FilterField[], filter: Filter): readonly string[] {
  return fields
    .filter(({ kind }) => kind === 'reference')
    .flatMap(({ id }) => [filter[id]?.eq ?? filter[id]?.in ?? []].flat().map(String));
}

/** Says a condition in words: "Model: Z8", "Group: none". `names` has the records of references by their ids. */
export function useConditionText(
  names: ReadonlyMap<string, string>,
): (field: FilterField, comparator: Comparator) => string {
  const text = useTexts(filterWords);
  const format = useFormat();
  return (field, comparator) => {
    const shown = (value: Value): string => {
      if (field.kind === 'time') return format.time(String(value));
      if (field.kind === 'amount') return format.amount(Number(value));
      if (field.kind === 'reference') return names.get(String(value)) ?? '…';
      return field.options?.find((option) => option.value === String(value))?.label ?? String(value);
    };
    const parts: string[] = [];
    for (const [name, value] of Object.entries(comparator)) {
      if (name === 'ignoreCase') continue;
      if (name === 'isNull') parts.push(value === true ? text.none : text.any);
      else {
        const prefix = name === 'gte' ? `${text.from} ` : name === 'lt' ? `${text.until} ` : '';
        parts.push(prefix + [value].flat().map(shown).join(', '));
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
