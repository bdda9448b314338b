import { z } from 'zod';

import { snakeCase } from '../../http/problem.js';

/** The keywords of JSON Schema (2020-12) that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly additionalProperties?: boolean | Schema;
  readonly contentEncoding?: string;
}

export type Schemas = Record<string, Schema>;

/** The schema itself, or the one that its `$ref` refers to. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema;
  return schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {};
}

/** The schema of a response. Adds shapes with an id to `components` and refers to them. */
export function responseSchema(shape: z.ZodType, components: Schemas): Schema {
  const { $defs = {}, ...schema } = schemaOf(shape);
  for (const [id, definition] of Object.entries($defs)) {
    const known = components[id];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`Two different shapes have the id ${id}`);
    }
    components[id] = definition;
  }
  return schema;
}

/** The schema of a body, with the names of bodies: `serial_number`. */
export function bodySchema(model: z.ZodObject): Schema {
  const schema = schemaOf(model, { io: 'input', unrepresentable: 'any' });
  const { properties = {}, required = [] } = inSnakeCase(schema);
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

/** With the names of fields as bodies have them, also in objects within it. */
function inSnakeCase(schema: Schema): Schema {
  const { properties, required, anyOf, items } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [snakeCase(name), inSnakeCase(property)]),
      ),
    }),
    ...(required && { required: required.map(snakeCase) }),
    ...(anyOf && { anyOf: anyOf.map(inSnakeCase) }),
    ...(items && { items: inSnakeCase(items) }),
  };
}

function schemaOf(
  shape: z.ZodType,
  options: z.core.ToJSONSchemaParams = {},
): Schema & { readonly $defs?: Schemas } {
  const schema = z.toJSONSchema(shape, {
    ...options,
    override: ({ zodSchema, jsonSchema }) => tidy(jsonSchema, zodSchema._zod.def.type),
  });
  // The version of JSON Schema is that of OpenAPI 3.1.
  delete schema.$schema;
  const text = JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/');
  return JSON.parse(text) as Schema;
}

/** Writes dates as texts, drops the limits of safe integers and writes `anyOf: [T, null]` as `type: [T, 'null']`. */
function tidy(schema: z.core.JSONSchema.BaseSchema, type: string): void {
  if (type === 'date') Object.assign(schema, { type: 'string', format: 'date-time' });
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const [form, nothing, ...others] = schema.anyOf ?? [];
  if (nothing?.type !== 'null' || others.length > 0 || typeof form?.type !== 'string') return;
  delete schema.anyOf;
  Object.assign(schema, form, { type: [form.type, 'null'] });
  if (form.enum !== undefined) schema.enum = [...form.enum, null];
}
