import type { Document } from '../api/query';
import type { Attachment } from '../api/upload';
import { requiredFields } from '../gql/schema';
import { tagOf, useLabel, useLocale, useTexts, type Option } from '../text';
import type { Reference } from '../ui/reference-input';
import { words } from '../ui/words';
import { knownOf, type Known } from './known';
import { nameOf, type Named } from './link';

/** Values of a form by the names of its fields. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * A field of a form, beside what is known by its name. Its value is a text, a flag of `kind: 'flag'`, one of the options, a
 * record with `find`, or a file of `type: 'file'`, null until one is chosen.
 */
export interface FormField extends Omit<Known, 'values'> {
  /**
   * Name in the input of the mutation. Of several with the same beginning, one has a value: once `owner.groupId` is
   * chosen, `owner.logicalNumberId` is not asked for.
   */
  readonly name: string;
  /** The word for the name without it. */
  readonly label?: string;
  /** Hint on what to enter, given the values; the word `nameHelp` without it. */
  readonly help?: string | ((values: Values) => string);
  readonly autoFocus?: boolean;
  /** Value to begin with. */
  readonly initial?: unknown;
  readonly values?: readonly string[];
  /** Choices in place of `values`, where their names are not words of the page. */
  readonly options?: readonly Option[];
  /** Records to choose beside those that are found. */
  readonly also?: readonly Reference[];
  readonly isMany?: boolean;
  readonly isSent?: boolean;
  /** Pattern that the text matches before it is sent. */
  readonly pattern?: RegExp;
  /** True if the text is JSON. One that is not stands for itself. */
  readonly isJson?: boolean;
  /** True if the field is asked for, given the other values. */
  readonly isShown?: (values: Values) => boolean;
}

/** Options of a field, in words. */
export const optionsOf = (
  { options, values }: FormField,
  label: (name: string) => string,
): readonly Option[] | undefined => options ?? values?.map((value) => ({ value, label: label(value) }));

/** A field of a form, or its name where nothing else is to be said. */
export type GivenField = string | FormField;

export const fieldsOf = (given: readonly GivenField[]): readonly FormField[] =>
  given.map((each) => {
    const own = typeof each === 'string' ? { name: each } : each;
    return { ...knownOf(own.name), ...own };
  });

/** Argument of the mutation that has the values: `input`; null where each value is an argument. */
export type Root = string | null;

export const pathOf = ({ name }: FormField, root: Root = 'input'): string =>
  root === null ? name : `${root}.${name}`;

/** Values of a form that nothing was entered in. */
export const emptyOf = (fields: readonly FormField[]): Values =>
  Object.fromEntries(fields.map((field) => [field.name, field.initial ?? emptyValue(field)]));

function emptyValue({ kind, type, isMany, find, values }: FormField): unknown {
  if (kind === 'flag') return false;
  if (isMany === true) return [];
  return type === 'file' || find ? null : (values?.[0] ?? '');
}

/** JSON as forms show it. */
export const textOfJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** Values of a form that changes a record. */
export function presentOf(fields: readonly FormField[], record: object): Values {
  const known = record as Values;
  const present = fields.map(({ name, isJson, isList, find }) => {
    if (find) {
      const record = known[name.replace(/Id$/, '')] as Named | null;
      return [name, record && { id: record.id, name: nameOf(record) }] as const;
    }
    const value = known[name] ?? '';
    if (isList === true) return [name, (value as readonly string[]).join(', ')] as const;
    return [name, isJson === true && value !== '' ? textOfJson(value) : value] as const;
  });
  return Object.fromEntries(present);
}

export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const isNone = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);
const isEmpty = (value: unknown): boolean => value === null || value === '';
const outerOf = ({ name }: FormField): string | null => /^(.*)\./.exec(name)?.[1] ?? null;

/** Fields that are asked for, given the values. */
export const askedOf = <Field extends FormField>(
  fields: readonly Field[],
  values: Values,
): readonly Field[] =>
  fields.filter((field) => {
    const outer = outerOf(field);
    const others = fields.filter((each) => outer !== null && outerOf(each) === outer && each !== field);
    return (field.isShown?.(values) ?? true) && others.every(({ name }) => isEmpty(values[name]));
  });

/** The fields of which one must be filled in before the form can be sent; none if nothing is missing. */
function missingOf(fields: readonly FormField[], values: Values): readonly FormField[] {
  const asked = askedOf(fields, values);
  const first = asked.find((field) => {
    const value = values[field.name];
    if (outerOf(field) !== null) return isEmpty(value);
    return field.pattern?.test(value as string) === false || (isNeeded(field) && isMissing(field, value));
  });
  const outer = first && outerOf(first);
  return asked.filter((field) => field === first || (outer != null && outerOf(field) === outer));
}

const isMissing = ({ type, find }: FormField, value: unknown): boolean =>
  type === 'file' ? !(value instanceof File) : find !== undefined && isNone(value);

const isNeeded = ({ type, find, isOptional }: FormField): boolean =>
  isOptional !== true && (type === 'file' || find !== undefined);

/** Says what must be filled in before the form can be sent; null if nothing is missing. */
export function useMissingFields(): (fields: readonly FormField[], values: Values) => string | null {
  const text = useTexts(words);
  const { language } = useLocale();
  const label = useLabel();
  return (fields, values) => {
    const names = missingOf(fields, values).map((field) => field.label ?? label(field.name));
    const list = new Intl.ListFormat(tagOf(language), { type: 'disjunction' });
    return names.length === 0 ? null : `${text.fillIn} ${list.format(names)}.`;
  };
}

/** The result of `useDryRun`. */
interface Probe {
  readonly payload?: unknown;
  readonly failure: { readonly message: string } | null;
}

/** Why something cannot be sent, as far as a dry run shows; null if it can. */
export function useProbeReason({ payload, failure }: Probe): string | null {
  const text = useTexts(words);
  if (payload === undefined) return text.checking;
  return payload === null ? (failure?.message ?? text.correctFirst) : null;
}

/** Paths of the fields that the mutation of a document needs, as the schema has them: those of `appCreate` for `appUpdate` too. */
export function requiredBy(document: Document<object, never>): ReadonlySet<string> {
  const [, name = ''] = /^mutation (\w+)/.exec(document.toString()) ?? [];
  return new Set([name, name.replace(/Update$/, 'Create')].flatMap((each) => requiredFields[each] ?? []));
}

/** True if a field is marked as required. Choices always have a value. */
export const isRequired = (field: FormField, path: string, required: ReadonlySet<string>): boolean =>
  (field.isOptional !== true && field.values === undefined && required.has(path)) ||
  (outerOf(field) === null && (isNeeded(field) || field.pattern !== undefined));

/** Values of a form as the input of a mutation; null while something is missing. */
export function inputOf(fields: readonly FormField[], values: Values): Values | null {
  if (missingOf(fields, values).length > 0) return null;
  const input: Record<string, unknown> = {};
  for (const field of askedOf(fields, values)) {
    const value = values[field.name];
    const outer = outerOf(field);
    if (outer !== null) {
      const inner = field.name.slice(outer.length + 1);
      input[outer] = isEmpty(value) ? (input[outer] ?? null) : { [inner]: sentValue(field, value) };
      continue;
    }
    if (field.isSent !== false && !(field.type === 'file' && isMissing(field, value)))
      input[field.name] = sentValue(field, value);
  }
  return input;
}

function sentValue(field: FormField, value: unknown): unknown {
  if (field.type === 'file' || (field.isOptional === true && value === '')) return null;
  if (field.find && field.isMany === true) return (value as readonly Reference[]).map(({ id }) => id);
  if (field.find) return (value as Reference | null)?.id ?? null;
  if (field.isList === true) return listOf(value as string);
  if (field.type === 'number') return Number(value);
  // A day ends in the zone of the browser.
  if (field.type === 'date') return new Date(`${value as string}T23:59:59`).toISOString();
  return field.isJson === true ? jsonOf(value as string) : value;
}

/** Parts of a text between commas, semicolons, spaces and lines. */
const listOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The file that was chosen in a form, and where it goes. */
export function attachmentOf(fields: readonly FormField[], values: Values): Attachment | undefined {
  const field = fields.find(({ name }) => values[name] instanceof File);
  return field && { path: pathOf(field), file: values[field.name] as File };
}

/** Says the value of a field in words. */
export function useShownValue(): (field: FormField, values: Values) => string {
  const label = useLabel();
  return (field, values) => {
    const value = values[field.name] as string | readonly string[] | boolean | Reference | null;
    const options = optionsOf(field, label);
    const say = (each: string): string => options?.find((option) => option.value === each)?.label ?? each;
    if (value === null) return '';
    if (typeof value === 'boolean') return label(value ? 'yes' : 'no');
    if (typeof value === 'string') return say(value);
    return 'name' in value ? value.name : value.map(say).join(', ');
  };
}
