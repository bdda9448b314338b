import { ID, Int, type ClassType } from 'type-graphql';
import { z } from 'zod';

import { Base64, DateTime, JsonValue, SafeInt } from './scalars.js';
import { enumName, inputType, type AnyField, type Enumeration, type Fields, type ValuesOf } from './types.js';

/** The fields that a client gave; an absent field has no property. */
export type Input = Readonly<Record<string, unknown>>;

/** Type names of the records that the ids in a field belong to, for example `{ groupId: 'Group' }`. */
export type References = Readonly<Record<string, string>>;

export type Enums = Readonly<Record<string, Enumeration>>;

/** Properties of an input type that the schema of its model does not contain. */
export interface InputOptions {
  readonly description: string;
  /** Fields that the model does not have, or has in another form. */
  readonly fields?: Fields;
  readonly references?: References;
  readonly enums?: Enums;
  readonly inputs?: Readonly<Record<string, ClassType<Input>>>;
  /** Descriptions that replace those of the model, by field. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** True if the input changes an existing record: an absent field keeps its value. */
  readonly isUpdate?: boolean;
}

/** The input type of a model, with its descriptions, limits and defaults. Nullable where the model takes none. */
export function inputOf<F extends Fields>(
  name: string,
  model: z.ZodObject,
  options: InputOptions & { readonly fields: F },
): ClassType<Input & ValuesOf<F>>;
export function inputOf(name: string, model: z.ZodObject, options: InputOptions): ClassType<Input>;
export function inputOf(name: string, model: z.ZodObject, options: InputOptions): ClassType<Input> {
  return inputType(name, options.description, { ...fieldsOfModel(model, options), ...options.fields });
}

type Property = z.core.JSONSchema.BaseSchema;

/** The largest `Int` of GraphQL. A model that states a larger maximum gets `SafeInt`; most state none. */
const MAX_INT = 2 ** 31 - 1;

/** JSON Schema of a `Date`, for which zod has none. */
const DATE = { type: 'string', format: 'date-time' };

function fieldsOfModel(model: z.ZodObject, options: InputOptions): Record<string, AnyField> {
  const { properties = {}, required = [] } = z.toJSONSchema(model, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodDate) Object.assign(jsonSchema, DATE);
    },
  });
  return Object.fromEntries(
    Object.entries(properties as Record<string, Property>).flatMap(([name, property]) => {
      if (options.fields?.[name] !== undefined) return [];
      const isNullable = acceptsNull(property) || !required.includes(name);
      const description = options.descriptions?.[name] ?? describe(property, options);
      return [[name, { type: typeOf(name, property, options), isNullable, description }]];
    }),
  );
}

/** The alternative of `anyOf` that is not null, or the property itself. */
function withoutNull(property: Property): Property {
  return property.anyOf?.find(({ type }) => type !== 'null') ?? property;
}

/** A property without constraints takes every JSON value, null included. */
function acceptsNull({ anyOf, type }: Property): boolean {
  return anyOf === undefined ? type === undefined : anyOf.some((alternative) => alternative.type === 'null');
}

function typeOf(name: string, property: Property, options: InputOptions): object {
  const { type, items, contentEncoding, format, maximum = 0, enum: values } = withoutNull(property);
  if (values !== undefined) return enumOf(name, options).values;
  if (items !== undefined) return [typeOf(name, items as Property, options)];
  switch (type) {
    case undefined:
      return JsonValue;
    case 'integer':
      if (isReference(name, options)) return ID;
      return maximum > MAX_INT && maximum < Number.MAX_SAFE_INTEGER ? SafeInt : Int;
    case 'boolean':
      return Boolean;
    case 'string':
      if (format === 'date-time') return DateTime;
      return contentEncoding === 'base64' ? Base64 : String;
    case 'object':
      return withoutNull(property).properties === undefined ? JsonValue : inputTypeOf(name, options);
    default:
      throw new Error(`There is no GraphQL type for ${name}, which is of the JSON type ${String(type)}`);
  }
}

/** True if a number is the id of another record, which GraphQL shows as a global id. */
function isReference(name: string, { references = {} }: InputOptions): boolean {
  if (name in references) return true;
  if (/Ids?$/.test(name)) throw new Error(`The references must name the type of ${name}`);
  return false;
}

function inputTypeOf(name: string, { inputs = {} }: InputOptions): ClassType {
  const known = inputs[name];
  if (known === undefined) throw new Error(`The inputs must name the input type of ${name}`);
  return known;
}

function enumOf(name: string, { enums = {} }: InputOptions): Enumeration {
  const known = enums[name];
  if (known === undefined) throw new Error(`The enums must name the enum of ${name}`);
  return known;
}

function describe(property: Property, { isUpdate = false }: InputOptions): string {
  const given = withoutNull(property);
  const description = property.description ?? given.description;
  if (description === undefined) return '';
  const sentences = [description];
  const { minLength, maxLength, maxItems, items } = given;
  if (maxLength !== undefined) {
    sentences.push(`${minLength === undefined ? 'At most' : `${minLength} to`} ${maxLength} characters.`);
  }
  if (maxItems !== undefined) sentences.push(`At most ${maxItems} entries.`);
  if (property.default !== undefined) sentences.push(`Defaults to ${defaultOf(property)}.`);
  if (isUpdate && property.anyOf !== undefined) sentences.push('Null clears it.');
  if (isUpdate && items !== undefined) sentences.push('Replaces the whole list.');
  return sentences.join(' ');
}

function defaultOf({ default: value, enum: values }: Property): string {
  return values === undefined ? JSON.stringify(value) : enumName(String(value));
}
