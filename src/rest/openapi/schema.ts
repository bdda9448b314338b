import { z } from 'zod';

import { snakeCase } from '../../platform/validate.js';

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

/** The schema with the names of fields as bodies have them, also in objects within it. */
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

/** Example values by field name. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  serial_number: '5A-00012345',
  number: '112233',
  logical_number: '112233',
  logical_numbers: '112233,112234',
  name: 'AREA 51',
  group_name: 'AREA 51',
  key: 'currency',
  value: 'BRL',
  description: 'What it is for',
  content: 'SHOW_MESSAGE|Closing at 18:00',
  bytecode: 'UE9TWE1M',
  crc: '31C3',
  email: 'ana@example.com',
  password: 'a long pass phrase',
  company_name: 'Acme Pagamentos',
  api_token: '0123456789abcdef0123456789abcdef01234567',
  uuid: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  time_zone: 'America/Sao_Paulo',
  app_name: 'payments.posxml',
  authorizer_url: 'https://authorizer.example.com',
  pos_display_label: 'Payments',
  framework_version: '7.2.0',
  expiration_date: '0729',
  first_digits: '516292',
  last_digits: '0008',
  last_sign_in_ip: '203.0.113.7',
  message: 'The notification was received and queued for processing.',
  total_pages: 1,
  entries: 1,
  total_entries: 1,
};

export function sampleOf(schema: Schema, components: Schemas, name = ''): unknown {
  if (schema.$ref !== undefined) return sampleOf(resolve(schema, components), components, name);
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return sampleOf(schema.anyOf[0], components, name);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  if (type === 'object') return sampleObject(schema, components);
  if (type === 'array') return schema.items === undefined ? [] : [sampleOf(schema.items, components)];
  if (name in BY_NAME) return BY_NAME[name];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return 1;
  return 'text';
}

function sampleObject({ properties = {} }: Schema, components: Schemas): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, sampleOf(property, components, name)]),
  );
}

/** An example body: its required fields, or its first field if none is required. */
export function sampleBody({ properties = {}, required = [] }: Schema): object {
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name] ?? {}, {}, name)]));
}
