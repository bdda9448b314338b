import { z } from 'zod';

import type { Body } from '../http/body.js';
import { snakeCase } from '../http/problem.js';

interface FieldKind {
  readonly name: string;
  readonly field: string;
  readonly isBoolean: boolean;
  readonly isInteger: boolean;
  readonly choices: readonly string[];
}

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
}

const kinds = new WeakMap<z.ZodObject, readonly FieldKind[]>();

/**
 * The fields that a model's input knows, by the model's names. Texts count as booleans (contract 6),
 * enumerations in any letter case (contract 7), and in a form, digits as whole numbers. Everything else passes
 * as it is: the domain says what is wrong with it.
 */
export function pickInput(
  schema: z.ZodObject,
  body: Pick<Body, 'fields' | 'isForm'>,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const kind of kindsOf(schema)) {
    if (Object.hasOwn(body.fields, kind.field))
      input[kind.name] = coerce(kind, body.fields[kind.field], body.isForm);
  }
  return input;
}

function coerce(kind: FieldKind, value: unknown, isForm: boolean): unknown {
  if (typeof value !== 'string') return value;
  if (kind.isBoolean && (value === 'true' || value === 'false')) return value === 'true';
  if (kind.isInteger && isForm && /^[1-9][0-9]{0,15}$/.test(value)) return Number(value);
  const lower = value.toLowerCase();
  return kind.choices.includes(lower) ? lower : value;
}

function kindsOf(schema: z.ZodObject): readonly FieldKind[] {
  const known = kinds.get(schema);
  if (known !== undefined) return known;
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const found = Object.entries(properties).map(([name, property]) => kindOf(name, property as JsonSchema));
  kinds.set(schema, found);
  return found;
}

function kindOf(name: string, schema: JsonSchema): FieldKind {
  const forms = [schema, ...(schema.anyOf ?? [])];
  return {
    name,
    field: snakeCase(name),
    isBoolean: forms.some((form) => form.type === 'boolean'),
    isInteger: forms.some((form) => form.type === 'integer' || form.type === 'number'),
    choices: forms.flatMap((form) => form.enum ?? []).filter((choice) => typeof choice === 'string'),
  };
}
