import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';

import { useNames } from '../record/find';
import { useLocale, useTexts } from '../text';
import { clockOf, instantOf } from '../text/zone';
import { Choice, TextInput } from '../ui/field';
import { ReferenceInput } from '../ui/reference-input';
import { filterWords, without, type Comparator, type FilterField } from './filter';
import type { FilterBarProps } from './filter-chips';

/** Fields for all conditions of a list. */
export default function FilterPanel({ fields, filter, onChange }: FilterBarProps): ReactNode {
  const text = useTexts(filterWords);
  const shown = fields.filter(({ isOfLinks }) => isOfLinks !== true);
  return (
    <div className="filter-panel" role="group" aria-label={text.filter}>
      {shown.map((field) => (
        <Condition
          key={field.id}
          field={field}
          value={filter[field.id]}
          onChange={(comparator) =>
            onChange(comparator === null ? without(filter, field.id) : { ...filter, [field.id]: comparator })
          }
        />
      ))}
    </div>
  );
}

interface ConditionProps {
  readonly field: FilterField;
  readonly value: Comparator | undefined;
  readonly onChange: (comparator: Comparator | null) => void;
}

/** Id that stands for records without a reference. */
const NO_RECORD = 'none';
/** Value of a choice that asks for nothing. */
const ANY = '';

function Condition({ field, value, onChange }: ConditionProps): ReactNode {
  const text = useTexts(filterWords);
  const { title, kind } = field;
  if (kind === 'reference' && field.find) {
    return <ReferenceCondition field={field} value={value} onChange={onChange} find={field.find} />;
  }
  if (kind === 'text' || kind === 'reference') {
    const comparator = field.comparator ?? 'contains';
    const shown = value?.[comparator] ?? value?.eq;
    return (
      <TypedText
        label={title}
        value={typeof shown === 'string' ? shown : ''}
        onChange={(typed) => onChange(typed === '' ? null : { [comparator]: typed })}
      />
    );
  }
  if (kind === 'choice' || kind === 'flag') {
    const options =
      kind === 'choice'
        ? (field.options ?? [])
        : [
            { value: 'true', label: text.yes },
            { value: 'false', label: text.no },
          ];
    const [equal] = [value?.in ?? value?.eq].flat();
    return (
      <Choice
        label={title}
        options={[{ value: ANY, label: text.any }, ...options]}
        value={equal === undefined ? ANY : String(equal)}
        onChange={(chosen) => {
          if (chosen === ANY) onChange(null);
          else onChange({ eq: kind === 'flag' ? chosen === 'true' : chosen });
        }}
      />
    );
  }
  return <Range field={field} value={value} onChange={onChange} />;
}

/** A record, or that there is none. */
function ReferenceCondition({
  field,
  value,
  onChange,
  find,
}: ConditionProps & { readonly find: NonNullable<FilterField['find']> }): ReactNode {
  const text = useTexts(filterWords);
  const id = value?.isNull === true ? NO_RECORD : typeof value?.eq === 'string' ? value.eq : null;
  const names = useNames(id === null || id === NO_RECORD ? [] : [id]);
  const none = useMemo(() => ({ id: NO_RECORD, name: text.none }), [text]);
  const search = useCallback(
    async (typed: string) => [...(field.comparator === 'eq' ? [] : [none]), ...(await find(typed))],
    [field.comparator, find, none],
  );
  const name = id === NO_RECORD ? none.name : id === null ? '' : names.get(id);
  return (
    <ReferenceInput
      // The field shows the name once it is known.
      key={`${id} ${name}`}
      label={field.title}
      value={id !== null && name !== undefined ? { id, name } : null}
      find={search}
      onChange={(chosen) =>
        onChange(chosen === null ? null : chosen.id === NO_RECORD ? { isNull: true } : { eq: chosen.id })
      }
    />
  );
}

/** From and before, for times and amounts. */
function Range({ field, value, onChange }: ConditionProps): ReactNode {
  const text = useTexts(filterWords);
  const { timeZone } = useLocale();
  const set = (name: 'gte' | 'lt', typed: string): void => {
    const parsed = field.kind === 'amount' ? centsOf(typed) : timeOf(typed, timeZone);
    const changed: Comparator = { ...without(value ?? {}, name), ...(parsed !== null && { [name]: parsed }) };
    onChange(Object.keys(changed).length === 0 ? null : changed);
  };
  return (
    <div className="range" role="group" aria-label={field.title}>
      {(['gte', 'lt'] as const).map((name) => (
        <TypedText
          key={name}
          label={`${field.title} ${name === 'gte' ? text.from : text.until}`}
          type={field.kind === 'amount' ? 'text' : 'datetime-local'}
          value={shownInRange(field.kind, value?.[name], timeZone)}
          {...(field.kind === 'amount' && { normal: normalAmount })}
          onChange={(typed) => set(name, typed)}
        />
      ))}
    </div>
  );
}

/** A field that reports what was typed once the person pauses. It keeps the text as typed while it means the value. */
function TypedText(props: {
  readonly label: string;
  readonly value: string;
  readonly type?: string;
  /** The value that a text means, as `value` has it. */
  readonly normal?: (typed: string) => string;
  readonly onChange: (typed: string) => void;
}): ReactNode {
  const { label, value, type = 'text', normal = (text: string) => text.trim(), onChange } = props;
  const [typed, setTyped] = useState(value);
  const [before, setBefore] = useState(value);
  if (before !== value) {
    setBefore(value);
    if (normal(typed) !== value) setTyped(value);
  }
  const isReported = normal(typed) === value;
  useEffect(() => {
    if (isReported) return undefined;
    const timer = setTimeout(() => onChange(typed.trim()), 300);
    return () => clearTimeout(timer);
  }, [typed, isReported, onChange]);
  return <TextInput label={label} type={type} value={typed} onChange={setTyped} />;
}

/** Cents of an amount as people write it in either language: 1,234.56 or 1.234,56. */
function centsOf(typed: string): number | null {
  const value = Number(typed.replaceAll(/[.,](?=\d{3}(?:\D|$))/g, '').replace(',', '.'));
  return typed === '' || Number.isNaN(value) ? null : Math.round(value * 100);
}

/** An amount as the filter shows it: 12 for "12." while the cents are typed. */
function normalAmount(typed: string): string {
  const cents = centsOf(typed);
  return cents === null ? '' : String(cents / 100);
}

function timeOf(typed: string, timeZone: string): string | null {
  return Number.isNaN(Date.parse(typed)) ? null : instantOf(typed, timeZone).toISOString();
}

function shownInRange(
  kind: FilterField['kind'],
  value: Comparator[string] | undefined,
  timeZone: string,
): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  return kind === 'amount' ? String(Number(value) / 100) : clockOf(new Date(value), timeZone);
}
