import { knownOf } from '../record/known';
import { type Option, useFormat, useLabel, useTexts } from '../text';
import type { Reference } from '../ui/reference-input';
import { pageWords } from '../ui/words';

/** A comparator of the API, for example `{ contains: "SN-1" }`. */
export type Comparator = Readonly<Record<string, Value | readonly Value[]>>;

type Value = string | number | boolean;

/** A filter of the API without `and`, `or` and `not`, as it stands in the address. */
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
  /** Field of the API whose condition must not hold, where it differs from `id`. */
  readonly lacks?: string;
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

const kindOf = (shownAs: string | undefined) => KINDS.get(shownAs) ?? 'text';

/** Conditions with all that follows from their names. */
export function useFilterFields(given: readonly GivenFilter[]): readonly FilterField[] {
  const label = useLabel();
  return given.map((each) => {
    const own = typeof each === 'string' ? { id: each } : each;
    const { values, find, kind: shownAs, comparator } = { ...knownOf(own.id), ...own };
    const options = values?.map((value) => ({ value, label: label(value) }));
    const kind = find ? 'reference' : options ? 'choice' : kindOf(shownAs);
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

/** The filter as the API takes it, with `not` around conditions on what records lack. */
export function apiFilter(fields: readonly FilterField[], filter: Filter): object {
  const lacking = fields.filter(({ id, lacks }) => lacks !== undefined && filter[id] !== undefined);
  if (lacking.length === 0) return filter;
  const has = Object.entries(filter).filter(([name]) => !lacking.some(({ id }) => id === name));
  return {
    ...Object.fromEntries(has),
    and: lacking.map(({ id, lacks = id }) => ({ not: { [lacks]: filter[id] } })),
  };
}

/** A filter of the API as it stands in the address; null for one that these fields cannot show. */
export function shownFilter(fields: readonly FilterField[], filter: object): Filter | null {
  const { and = [], ...plain } = filter as { readonly and?: readonly { readonly not?: object }[] };
  const shown = Object.entries(plain).map(([name, comparator]) => {
    return [fields.find(({ id }) => id === name)?.id, comparator] as const;
  });
  for (const part of and) {
    const [[name, comparator] = [], ...others] = Object.entries(part.not ?? {});
    const isAlone = others.length === 0 && Object.keys(part).length === 1;
    const field = fields.find(({ lacks }) => isAlone && lacks !== undefined && lacks === name);
    shown.push([field?.id, comparator]);
  }
  return shown.some(([id]) => id === undefined) ? null : (Object.fromEntries(shown) as Filter);
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
      if (typeof value === 'boolean') return value ? text.yes : text.no;
      if (field.kind === 'time') return format.time(String(value));
      if (field.kind === 'amount') return format.amount(Number(value));
      if (field.kind === 'reference') return names.get(String(value)) ?? '…';
      return field.options?.find((option) => option.value === value)?.label ?? String(value);
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
