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
  readonly pattern?: string;
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly contentEncoding?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly $schema?: string;
}

export type Schemas = Record<string, Schema>;

/** The schema of a response. Adds shapes with an id to `components` and refers to them. */
export function responseSchema(shape: z.ZodType, components: Schemas): Schema {
  const { $defs = {}, ...schema } = z.toJSONSchema(shape) as Schema;
  for (const [id, definition] of Object.entries($defs)) {
    const tidied = tidy(definition);
    const known = components[id];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(tidied)) {
      throw new Error(`Two different shapes have the id ${id}`);
    }
    components[id] = tidied;
  }
  // The version of JSON Schema is that of OpenAPI 3.1.
  return tidy(Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== '$schema')));
}

/** The schema of a body, with the names of bodies: `serial_number`. */
export function bodySchema(model: z.ZodObject): Schema {
  const schema = z.toJSONSchema(model, { io: 'input', unrepresentable: 'any' }) as Schema;
  const { properties = {}, required = [] } = schema;
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [snakeCase(name), tidy(property)]),
    ),
    ...(required.length === 0 ? {} : { required: required.map(snakeCase) }),
  };
}

/** Drops the limits of safe integers and writes `anyOf: [T, null]` as `type: [T, 'null']`. */
function tidy(schema: Schema): Schema {
  const { $ref, minimum, maximum, anyOf, properties, items, additionalProperties, ...rest } = schema;
  if ($ref !== undefined) {
    return { ...rest, $ref: $ref.replace('#/$defs/', '#/components/schemas/') };
  }
  const nullable = anyOf === undefined ? undefined : withNull(anyOf.map(tidy));
  return {
    ...rest,
    ...(nullable ?? (anyOf === undefined ? {} : { anyOf: anyOf.map(tidy) })),
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
    ...(properties === undefined ? {} : { properties: mapValues(properties, tidy) }),
    ...(items === undefined ? {} : { items: tidy(items) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'boolean' ? additionalProperties : tidy(additionalProperties),
        }),
  };
}

function withNull(forms: readonly Schema[]): Schema | undefined {
  const [form, nothing, ...others] = forms;
  if (form === undefined || nothing?.type !== 'null' || others.length > 0) return undefined;
  if (typeof form.type !== 'string') return undefined;
  return {
    ...form,
    type: [form.type, 'null'],
    ...(form.enum === undefined ? {} : { enum: [...form.enum, null] }),
  };
}

function mapValues<A, B>(values: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
