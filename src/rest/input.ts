import type { z } from 'zod';

import type { BodyFields } from '../http/body/body.js';
import { malformed } from '../http/request.js';
import { invalid } from '../platform/errors.js';
import { snakeCase } from '../platform/validate.js';
import { bodySchema, type Schema } from './openapi/schema.js';

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
    return jsonValue(field, value);
  }
  return value === '' ? undefined : entriesOf(field, value).map((entry) => scalar(field, entry));
}

const MAX_ENTRIES = 10_000;

/** Entries of a list field: `1,2` and `['1', '2']` give the same two, `['']` gives none. */
function entriesOf({ name }: InputField, value: unknown): string[] {
  const texts = [value].flat().map(String);
  const entries = texts.flatMap((text) => (text === '' ? [] : text.split(',')));
  if (entries.length > MAX_ENTRIES) throw invalid(name, `must have at most ${MAX_ENTRIES} entries`);
  return entries.map((entry) => entry.trim());
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'on', 'yes', 't'].map((text) => [text, true] as const),
  ...['false', '0', 'off', 'no', 'f'].map((text) => [text, false] as const),
]);

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
