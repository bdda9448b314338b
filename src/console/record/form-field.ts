import type { Attachment } from '../api/upload';
import type { Option } from '../text';
import type { Reference } from '../ui/reference-input';
import { referenceOf, type Named } from './link';

/**
 * A field of a form. Its value is a text, a flag with `isFlag`, one of `options`, a record with `find`, or with `isFile` a
 * file, null until one is chosen.
 */
export interface FormField<Values> {
  readonly name: keyof Values & string;
  readonly label: string;
  readonly help?: string;
  /** Lines of a text area. */
  readonly rows?: number;
  /** Kind of a text: `date`, `password`. */
  readonly type?: string;
  readonly autoComplete?: string;
  readonly autoFocus?: boolean;
  readonly options?: readonly Option[];
  /** Whether several of the options may be chosen. */
  readonly isMany?: boolean;
  /** Page of the records that the options are: `/app-versions`. */
  readonly page?: string;
  readonly isFlag?: boolean;
  readonly isFile?: boolean;
  /** Whether the text is JSON. One that is not stands for itself. */
  readonly isJson?: boolean;
  /** Whether the text is a list: `device.*, group.update`. */
  readonly isList?: boolean;
  /** Whether it may stay empty: an empty text, or no record, is sent as null, and no file is sent. */
  readonly isOptional?: boolean;
  readonly find?: (text: string) => Promise<readonly Reference[]>;
  /** Name in the input of the mutation, where it is another one: `owner.groupId`. */
  readonly argument?: string;
  /** Whether the field is asked for, given the other values. */
  readonly isShown?: (values: Values) => boolean;
}

/** Argument of the mutation that has the values: `input`; null where each value is an argument. */
export type Root = string | null;

export const pathOf = <Values>({ name, argument = name }: FormField<Values>, root: Root = 'input'): string =>
  root === null ? argument : `${root}.${argument}`;

/** Values of a form that changes a record. */
export function presentOf<Values>(fields: readonly FormField<Values>[], record: object): Values {
  const known = record as Readonly<Record<string, unknown>>;
  const present = fields.map(({ name, isJson, isList, find }) => {
    if (find) return [name, referenceOf(known[name] as Named | null)] as const;
    const value = known[name] ?? '';
    if (isList === true) return [name, (value as readonly string[]).join(', ')] as const;
    return [name, isJson === true ? JSON.stringify(value, null, 2) : value] as const;
  });
  return Object.fromEntries(present) as Values;
}

/** Values of a form as the input of a mutation; null while a record or a file is missing. */
export function inputOf<Values>(fields: readonly FormField<Values>[], values: Values): object | null {
  const input: Record<string, unknown> = {};
  for (const field of fields.filter(({ isShown }) => isShown?.(values) ?? true)) {
    const value: unknown = values[field.name];
    const isMissing = field.isFile === true ? !(value instanceof File) : field.find && value === null;
    if (isMissing && field.isOptional !== true) return null;
    if (isMissing && field.isFile === true) continue;
    const [name = '', inner] = (field.argument ?? field.name).split('.');
    const sent = sentValue(field, value);
    input[name] = inner === undefined ? sent : { ...(input[name] as object), [inner]: sent };
  }
  return input;
}

function sentValue<Values>(field: FormField<Values>, value: unknown): unknown {
  if (field.isFile === true || (field.isOptional === true && value === '')) return null;
  if (field.find) return (value as Reference | null)?.id ?? null;
  if (field.isList === true) return listOf(value as string);
  return field.isJson === true ? jsonOf(value as string) : value;
}

/** Parts of a text between commas, semicolons, spaces and lines. */
export const listOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The file that was chosen in a form, and where it goes. */
export function attachmentOf<Values>(
  fields: readonly FormField<Values>[],
  values: Values,
): Attachment | undefined {
  const field = fields.find(({ name }) => values[name] instanceof File);
  return field && { path: pathOf(field), file: values[field.name] as File };
}

/** The value of a field in words. */
export function shownValue<Values>({ name, options }: FormField<Values>, values: Values): string {
  const value = values[name] as string | readonly string[] | boolean | Reference | File | null;
  const labelOf = (each: string): string => options?.find((option) => option.value === each)?.label ?? each;
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? '✓' : '–';
  if (typeof value === 'string') return labelOf(value);
  return 'name' in value ? value.name : value.map(labelOf).join(', ');
}
