import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';

import type { CalendarInterval } from '../gql/graphql';
import { Fields } from '../record/fields';
import { askedOf, isSame, type FormField, type Values } from '../record/form-field';
import { readAmount, decimalsOf, useLabel, useLocale, useTexts } from '../text';
import { clockOf, instantOf, INTERVALS } from '../text/zone';
import type { Reference } from '../ui/reference-input';
import { words } from '../ui/words';
import {
  boundWords,
  comparatorOfInput,
  filterWords,
  kindOf,
  nameIn,
  without,
  type Comparator,
  type FilterField,
  type Value,
} from './filter';
import type { FilterBarProps } from './filter-chips';

/** Value of a choice that asks for nothing. */
const ANY = '';
/** Id that stands for records without a reference. */
const NO_RECORD = 'none';
/** Comparators of times, amounts and percents: from, and before. */
const BOUNDS = ['gte', 'lt'] as const;
/** A person who types pauses for this time. */
const PAUSE_MS = 300;

/** A field of the form for a condition, or for one of its bounds. */
interface Input extends FormField {
  /** Comparator that has the value. */
  readonly by: string;
}

/** Fields for all conditions of a list. A text stays as it was typed while it means the condition. */
export default function FilterPanel(props: FilterBarProps): ReactNode {
  const text = useTexts(filterWords);
  const { filter, onChange } = props;
  const [typed, setTyped] = useState<Values>({});
  const [pause, setPause] = useState(0);
  const conditions = useConditions(props, typed);
  let meant = filter;
  for (const { id, comparator, known } of conditions) {
    if (isSame(comparator, known)) continue;
    meant = comparator ? { ...meant, [id]: comparator } : without(meant, id);
  }
  const isReported = isSame(meant, filter);
  const [before, setBefore] = useState(filter);
  if (!isSame(before, filter)) {
    setBefore(filter);
    if (!isReported) setTyped({});
  }
  const report = useEffectEvent(() => onChange(meant));
  useEffect(() => {
    if (isReported) return undefined;
    const timer = setTimeout(() => report(), pause);
    return () => clearTimeout(timer);
  }, [isReported, typed, pause]);
  return (
    <div className="filter-panel" role="group" aria-label={text.filter}>
      {conditions.map(({ id, title, inputs, values }) => {
        const isTyped = inputs.every(({ options, find }) => !options && !find);
        const set = (changed: Values): void => {
          setTyped({ ...typed, ...changed });
          setPause(isTyped ? PAUSE_MS : 0);
        };
        const shown = <Fields key={id} fields={inputs} values={values} set={set} />;
        if (inputs.length === 1) return shown;
        return (
          <div key={id} className="range" role="group" aria-label={title}>
            {shown}
          </div>
        );
      })}
    </div>
  );
}

/** Conditions with their fields and values, what these mean, and what the filter has. */
function useConditions({ fields, names, filter }: FilterBarProps, typed: Values) {
  const text = useTexts(filterWords);
  const label = useLabel(useTexts(words));
  const { timeZone, currency } = useLocale();
  const unit = 10 ** decimalsOf(currency);

  function shownValue(field: FilterField, value: Value | undefined): unknown {
    const kind = kindOf(field);
    if (typeof value === 'object') return value.interval;
    if (value === undefined) return kind === 'reference' ? null : '';
    if (kind === 'time') return clockOf(new Date(String(value)), timeZone);
    if (kind === 'amount') return String(Number(value) / unit);
    const id = String(value);
    if (kind !== 'reference') return id;
    return { id, name: id === NO_RECORD ? text.none : (nameIn(names, field, id) ?? '') };
  }

  /** The value that a field means, as the API takes it; null for none. */
  function meantValue(field: FilterField, by: string, entered: unknown): Comparator[string] | null {
    if (by === 'during') return entered === ANY ? null : { interval: entered as CalendarInterval, timeZone };
    const kind = kindOf(field);
    if (kind === 'reference') return (entered as Reference | null)?.id ?? null;
    const value = (entered as string).trim();
    if (value === '') return null;
    if (kind === 'time') return timeOf(value, timeZone);
    if (kind === 'amount') return readAmount(value, unit);
    if (kind === 'number') return Number(value);
    if (kind === 'percent') return /^\d{1,3}$/.test(value) ? Number(value) : null;
    return kind === 'flag' ? value === 'true' : value;
  }

  return fields
    .filter(({ isOfLinks }) => isOfLinks !== true)
    .map((field) => {
      const inputs = inputsOf(field, { ...text, label });
      const comparator = filter[field.id] ?? {};
      const present = inputs.map(({ name, by }): [string, unknown] => {
        const stored =
          comparator.isNull === true ? NO_RECORD : (comparator[by] ?? comparator.in ?? comparator.eq);
        return [name, shownValue(field, [stored].flat()[0])];
      });
      const comparatorOf = (values: Values): Comparator | null => {
        const parts = askedOf(inputs, values).flatMap(({ name, by }) => {
          const value = meantValue(field, by, values[name]);
          return value === null ? [] : [comparatorOfInput(by, value)];
        });
        if (parts.length === 0) return null;
        const meant = parts.reduce((all, part) => ({ ...all, ...part }));
        return meant.eq === NO_RECORD ? { isNull: true } : meant;
      };
      const known = Object.fromEntries(present);
      const values = { ...known, ...typed };
      return { ...field, inputs, values, comparator: comparatorOf(values), known: comparatorOf(known) };
    });
}

type Texts = (typeof filterWords)['en'] & { readonly label: (name: string) => string };

function inputsOf(field: FilterField, text: Texts): readonly Input[] {
  const { id: name, title: label, options, find, comparator } = field;
  const kind = kindOf(field);
  if (kind === 'time') return timeInputs(field, text);
  if (kind === 'amount' || kind === 'percent') return boundInputs(field, text, { type: 'text' });
  if (options) return [{ name, label, by: 'eq', options: [{ value: ANY, label: text.any }, ...options] }];
  const also = comparator === 'eq' ? [] : [{ id: NO_RECORD, name: text.none }];
  if (find) return [{ name, label, by: 'eq', find, also, isOptional: true }];
  return [{ name, label, by: comparator ?? 'contains' }];
}

function boundInputs(field: FilterField, text: Texts, more: Pick<FormField, 'type' | 'isShown'>) {
  const words = boundWords(field, text);
  const unit = kindOf(field) === 'percent' ? ' (%)' : '';
  return BOUNDS.map((by) => ({
    ...more,
    by,
    name: `${field.id} ${by}`,
    label: `${field.title} ${words[by]}${unit}`,
  }));
}

/** Days of the calendar to choose from, or two bounds. */
function timeInputs(field: FilterField, text: Texts): readonly Input[] {
  const days = `${field.id} during`;
  const intervals = INTERVALS.map((value) => ({ value, label: text.label(value) }));
  const options = [{ value: ANY, label: text.bounds }, ...intervals];
  const isShown = (values: Values): boolean => values[days] === ANY;
  return [
    { by: 'during', name: days, label: field.title, options },
    ...boundInputs(field, text, { type: 'datetime-local', isShown }),
  ];
}

function timeOf(typed: string, timeZone: string): string | null {
  return Number.isNaN(Date.parse(typed)) ? null : instantOf(typed, timeZone).toISOString();
}
