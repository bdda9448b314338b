import type { z } from 'zod';

import type { Body } from '../http/body.js';
import { snakeCase } from '../http/problem.js';
import { bodySchema, type Schema } from './openapi/schema.js';

interface InputField {
  /** `serialNumber` */
  readonly name: string;
  /** `serial_number` */
  readonly sentName: string;
  readonly isBoolean: boolean;
  readonly isInteger: boolean;
  readonly choices: readonly string[];
}

const fieldsByModel = new WeakMap<z.ZodObject, readonly InputField[]>();

/**
 * The fields of a body that the model has, by the model's names; others are ignored. "true" and "false" become
 * booleans (contract 6), enumeration values lower case (contract 7), and in forms digits become whole numbers.
 * Any other value is unchanged, for the service to validate.
 */
export function pickInput(
  schema: z.ZodObject,
  body: Pick<Body, 'fields' | 'isForm'>,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const field of inputFieldsOf(schema)) {
    if (Object.hasOwn(body.fields, field.sentName))
      input[field.name] = coerce(field, body.fields[field.sentName], body.isForm);
  }
  return input;
}

function coerce(field: InputField, value: unknown, isForm: boolean): unknown {
  if (typeof value !== 'string') return value;
  if (field.isBoolean && (value === 'true' || value === 'false')) return value === 'true';
  if (field.isInteger && isForm && /^[1-9][0-9]{0,15}$/.test(value)) return Number(value);
  const lower = value.toLowerCase();
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
  const forms = [schema, ...(schema.anyOf ?? [])];
  const types = forms.flatMap(({ type = [] }) => type);
  return {
    name,
    sentName: snakeCase(name),
    isBoolean: types.includes('boolean'),
    isInteger: types.includes('integer') || types.includes('number'),
    choices: forms.flatMap((form) => form.enum ?? []).filter((choice) => typeof choice === 'string'),
  };
}
