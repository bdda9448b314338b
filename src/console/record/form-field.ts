import type { Attachment } from '../api/upload';
import { useLabel, type Option } from '../text';
import type { Reference } from '../ui/reference-input';
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
  /** Hint on what to enter; the word `nameHelp` without it. */
  readonly help?: string;
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
export const askedOf = (fields: readonly FormField[], values: Values): readonly FormField[] =>
  fields.filter((field) => {
    const outer = outerOf(field);
    const others = fields.filter((each) => outer !== null && outerOf(each) === outer && each !== field);
    return (field.isShown?.(values) ?? true) && others.every(({ name }) => isEmpty(values[name]));
  });

/** Values of a form as the input of a mutation; null while something is missing. */
export function inputOf(fields: readonly FormField[], values: Values): Values | null {
  const input: Record<string, unknown> = {};
  for (const field of askedOf(fields, values)) {
    const value = values[field.name];
    const outer = outerOf(field);
    if (outer !== null) {
      const inner = field.name.slice(outer.length + 1);
      input[outer] = isEmpty(value) ? (input[outer] ?? null) : { [inner]: sentValue(field, value) };
      continue;
    }
    if (field.pattern?.test(value as string) === false) return null;
    const isMissing = field.type === 'file' ? !(value instanceof File) : field.find && isNone(value);
    if (isMissing && field.isOptional !== true) return null;
    if (field.isSent !== false && !(isMissing && field.type === 'file'))
      input[field.name] = sentValue(field, value);
  }
  return fields.some((field) => input[outerOf(field) ?? ''] === null) ? null : input;
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
