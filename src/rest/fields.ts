import { z } from 'zod';

import type { BodyFields } from '../http/body/body.js';
import { malformed } from '../http/request.js';
import { DAY, SECOND } from '../platform/clock.js';
import { requireAtMost } from '../platform/errors.js';
import type { Caller, Page } from '../platform/requests.js';
import { BOOLEANS, camelCase, type CamelCase, snakeCase } from '../platform/validate.js';
import { bodySchema, type Schema } from './openapi/schema.js';
import type { Revised, RouteResponse } from './route.js';

/** The fields of one kind of record in responses: their schema, and how a record becomes them. */
export interface RecordFields<R, F = object> {
  readonly shape: z.ZodType;
  /** In the order of the shape. */
  readonly render: (record: R, caller: Caller) => F;
}

type Rendered<Value> = Value extends Date ? string : Value;
/** False for an object with fields of its own: it needs a function, which renders them in their order. */
type IsFlat<Field> = [Extract<Field, object>] extends [never]
  ? true
  : Extract<Field, object> extends readonly (infer Item)[]
    ? IsFlat<Item>
    : string extends keyof Extract<Field, object>
      ? true
      : false;

/** True if a value of the record can be copied into a field. */
type Fits<Value, Field> = unknown extends Field
  ? true
  : [Rendered<Value>] extends [Readonly<Field>]
    ? IsFlat<Field>
    : false;

/** The fields that a record has under the same name with a value of the field's type. */
type CopiedField<R, F, Name extends keyof F & string = keyof F & string> = Name extends unknown
  ? CamelCase<Name> extends keyof R
    ? Fits<R[CamelCase<Name>], F[Name]> extends true
      ? Name
      : never
    : never
  : never;

type Derivation<R, Value> = (record: R, caller: Caller) => Value;

/** Every field that cannot be copied, and every property of the record that has no field. */
type Exceptions<R, F> = {
  readonly [Name in Exclude<keyof F & string, CopiedField<R, F>>]: Derivation<R, Readonly<F[Name]>>;
} & {
  readonly [Name in CopiedField<R, F>]?: Derivation<R, Readonly<F[Name]>>;
} & Readonly<Record<Exclude<keyof R & string, 'revision' | CamelCase<keyof F & string>>, 'omitted'>>;

/**
 * The fields of a shape, copied from the properties of the same name: `serial_number` from `serialNumber`, a Date
 * as a timestamp (contract 12). `from` takes the exceptions: a function for each field that is made otherwise,
 * and `'omitted'` for each property that responses do not have. Does not compile while a field or a property is
 * neither copied nor among the exceptions. `revision` needs no mention: it is the ETag.
 *
 *     fieldsOf(ListedShape).from<File>({ contentId: 'omitted' })
 */
export function fieldsOf<S extends z.ZodObject>(shape: S) {
  return {
    from: <R extends object>(exceptions: Exceptions<R, z.output<S>>): RecordFields<R, z.output<S>> => {
      const render = renderer(Object.keys(shape.shape), exceptions);
      return { shape, render: (record, caller) => render(record, caller) as z.output<S> };
    },
  };
}

/** Prepares the list of fields once. Types of `Exceptions` guarantee that the result has the type of the shape. */
function renderer(names: readonly string[], exceptions: object): RecordFields<object, unknown>['render'] {
  const derivations = new Map<string, unknown>(Object.entries(exceptions));
  const fields = names.map((name) => ({
    name,
    property: camelCase(name),
    derive: derivations.get(name) as Derivation<object, unknown> | undefined,
  }));
  return (record, caller) => {
    const values = record as Readonly<Record<string, unknown>>;
    const rendered: Record<string, unknown> = {};
    for (const { name, property, derive } of fields) {
      const value = derive === undefined ? values[property] : derive(record, caller);
      rendered[name] = value instanceof Date ? timestamp(value) : value;
    }
    return rendered;
  };
}

/** The ETag of one revision of a record: `"device-17-3"`. */
export const etagOf = (name: string, record: Revised): string => `"${name}-${record.id}-${record.revision}"`;

/** `{ pagination, name: [item] }` (contract 13, 32); null without a page. */
export function listResponse<T>(
  name: string,
  page: Page<T> | null,
  itemOf: (record: T) => object,
): RouteResponse | null {
  if (page === null) return null;
  const { request, records, total } = page;
  const pagination: z.output<typeof Pagination> = {
    page: request.page,
    total_pages: Math.ceil(total / request.perPage),
    entries: records.length,
    total_entries: total,
  };
  return { body: { pagination, [name]: records.map(itemOf) } };
}

const Pagination = z
  .strictObject({
    page: z.int().min(1),
    total_pages: z.int().min(0),
    entries: z.int().min(0).max(100),
    total_entries: z.int().min(0),
  })
  .meta({ id: 'Pagination' });

export function listShape(name: string, itemName: string, fields: z.ZodType): z.ZodType {
  return z.strictObject({ pagination: Pagination, [name]: z.array(z.strictObject({ [itemName]: fields })) });
}

/** The documented form of timestamps (contract 12). */
export const TimestampShape = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/)
  .meta({ examples: ['2026-01-31T12:00:00Z'] });

/** The audit fields at the end of most records (contract 33). */
export const auditShape = {
  updated_at: TimestampShape,
  created_at: TimestampShape,
  created_by: z.int().describe('User who created the record.'),
  created_via: z.enum(['interface', 'api']),
};

/** `2026-01-31T`, by the number of the day since 1970. */
const dates = new Map<number, string>();
const MAX_DATES = 4_000;

/**
 * `YYYY-MM-DDTHH:MM:SSZ` (contract 12). Most instants of a response are of a few days, whose dates are made once:
 * with `toISOString` for each instant, a list of transactions took a ninth more time.
 */
function timestamp(instant: Date): string {
  const at = instant.getTime();
  const day = Math.floor(at / DAY);
  let date = dates.get(day);
  if (date === undefined) {
    date = instant.toISOString().slice(0, 11);
    if (dates.size >= MAX_DATES) dates.clear();
    dates.set(day, date);
  }
  const second = Math.floor((at - day * DAY) / SECOND);
  return `${date}${twoDigits(Math.floor(second / 3_600))}:${twoDigits(Math.floor(second / 60) % 60)}:${twoDigits(second % 60)}Z`;
}

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : `${value}`);

interface InputField {
  /** Name in the model: `serialNumber`. */
  readonly name: string;
  /** Name in the request: `serial_number`. */
  readonly sentName: string;
  /** JSON Schema types of the value and, of a list, of its entries. */
  readonly types: ReadonlySet<string>;
  /** An object of texts by name, for example the parameters of a group. */
  readonly isTextByName: boolean;
  readonly choices: readonly unknown[];
}

const fieldsByModel = new WeakMap<z.ZodObject, readonly InputField[]>();

/**
 * Fields of the body that the model has, by its names, as booleans, enumerations, integers, texts and lists (contract 6 to 8);
 * the service validates the others. Errors: `malformed` if a form sends a list for a field with one value.
 */
export function pickInput(schema: z.ZodObject, body: BodyFields): Record<string, unknown> {
  const given = inputFieldsOf(schema).filter(({ sentName }) => Object.hasOwn(body.fields, sentName));
  const numeric = given.filter((field) => hasNumberAsText(field, body.fields[field.sentName]));
  const fields =
    numeric.length === 0
      ? body.fields
      : { ...body.fields, ...body.numbersAsText(new Set(numeric.map(({ sentName }) => sentName))) };
  const input: Record<string, unknown> = {};
  for (const field of given) {
    const value = body.isForm
      ? formValue(field, fields[field.sentName])
      : jsonValue(field, fields[field.sentName]);
    if (value !== undefined) input[field.name] = value;
  }
  return input;
}

function hasNumberAsText({ types, isTextByName }: InputField, value: unknown): boolean {
  if (isTextByName) return typeof value === 'object' && value !== null;
  return types.has('string') && (typeof value === 'number' || (types.has('array') && Array.isArray(value)));
}

/** The value converted to the type of the field; undefined if it counts as absent. */
function jsonValue(field: InputField, value: unknown): unknown {
  if (field.types.has('array') && Array.isArray(value)) return value.map((entry) => scalar(field, entry));
  if (field.types.has('boolean') && (value === '' || value === null)) return undefined;
  return scalar(field, value);
}

function formValue(field: InputField, value: unknown): unknown {
  if (!field.types.has('array')) {
    if (Array.isArray(value)) {
      throw malformed(`The form field "${field.sentName}" has one value, but the form gives several.`);
    }
    return value === '' ? emptyValue(field) : jsonValue(field, value);
  }
  return value === '' ? undefined : entriesOf(field, value).map((entry) => scalar(field, entry));
}

/** Empty text in a form clears an id that may be null. Another id and an enumeration count as absent (contract 8). */
function emptyValue({ types, choices }: InputField): '' | null | undefined {
  if (types.has('integer')) return types.has('null') ? null : undefined;
  return types.has('boolean') || choices.length > 0 ? undefined : '';
}

const MAX_ENTRIES = 10_000;

/** Entries of a list field: `1,2` and `['1', '2']` give the same two, `['']` gives none. */
function entriesOf({ name }: InputField, value: unknown): string[] {
  const texts = [value].flat().map(String);
  const entries = texts.flatMap((text) => (text === '' ? [] : text.split(',')));
  requireAtMost(name, entries.length, MAX_ENTRIES);
  return entries.map((entry) => entry.trim());
}

function scalar(field: InputField, value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const lower = String(value).toLowerCase();
  if (field.types.has('boolean')) return BOOLEANS.get(lower) ?? value;
  if (typeof value === 'number') return value;
  if (field.types.has('integer') && /^[1-9][0-9]{0,15}$/.test(value)) return Number(value);
  return field.choices.includes(lower) ? lower : value;
}

function inputFieldsOf(schema: z.ZodObject): readonly InputField[] {
  const known = fieldsByModel.get(schema);
  if (known !== undefined) return known;
  const { properties = {} } = bodySchema(schema);
  const fields = Object.keys(schema.shape).map((name) =>
    inputFieldOf(name, properties[snakeCase(name)] ?? {}),
  );
  fieldsByModel.set(schema, fields);
  return fields;
}

function inputFieldOf(name: string, schema: Schema): InputField {
  const forms = formsOf(schema);
  return {
    name,
    sentName: snakeCase(name),
    types: new Set(forms.flatMap(({ type = [] }) => type)),
    isTextByName: typeof schema.additionalProperties === 'object',
    choices: forms.flatMap((form) => form.enum ?? []),
  };
}

/** The schema, its alternatives, and the schemas of list entries. */
function formsOf(schema: Schema): Schema[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])];
  return [schema, ...inner.flatMap(formsOf)];
}

/** Fields of a body that a model has, and names of others. */
export interface ReceivedInput {
  /** Values by the model's names. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Names of fields that the model does not have: the first 20, each cut to 64 characters. */
  readonly ignored: readonly string[];
}

export function inputOf(model: z.ZodObject, body: BodyFields): ReceivedInput {
  const known = new Set(inputFieldsOf(model).map(({ sentName }) => sentName));
  const ignored = Object.keys(body.fields).filter((name) => !known.has(name));
  return { input: pickInput(model, body), ignored: ignored.slice(0, 20).map((name) => name.slice(0, 64)) };
}
