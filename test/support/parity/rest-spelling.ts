import { getNamedType, isEnumType, isLeafType, isObjectType } from 'graphql';
import type { GraphQLField, GraphQLObjectType } from 'graphql';

import { createSchema } from '../../../src/app/graphql/schema.js';
import type { Fields } from '../client.js';
import { documentedProperties } from '../openapi-check.js';

export const schema = await createSchema();

/** How REST writes an instant, given how GraphQL writes it. */
export type TimeFormat = (instant: string) => string;

const seconds: TimeFormat = (instant) => instant.replace(/\.\d{3}Z$/, 'Z');

/** Kolkata is five and a half hours ahead of UTC all year round. */
export const ZONE = 'Asia/Kolkata';
const OFFSET_MS = 5.5 * 60 * 60 * 1000;
const inZone = (instant: string): string => new Date(Date.parse(instant) + OFFSET_MS).toISOString();
export const zonedSeconds: TimeFormat = (instant) => inZone(instant).replace(/\.\d{3}Z$/, '+05:30');
export const zonedMilliseconds: TimeFormat = (instant) => inZone(instant).replace(/Z$/, '+05:30');

type Field = GraphQLField<unknown, unknown>;

const objectType = (name: string): GraphQLObjectType => {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`${name} is not an object type`);
  return type;
};
const isNode = (type: GraphQLObjectType): boolean => type.getInterfaces().some(({ name }) => name === 'Node');
const isConnection = ({ name }: GraphQLObjectType): boolean => name.endsWith('Connection');

/** `serialNumber` as `serial_number`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, '_$&').toLowerCase();

/** REST's name of a GraphQL field: `databaseId` is `id`, `group` is `group_id`, `files` is `file_ids`. */
function restName({ name, type }: Field): string {
  const named = getNamedType(type);
  if (name === 'databaseId') return 'id';
  if (isObjectType(named) && isConnection(named)) return `${snakeCase(name).slice(0, -1)}_ids`;
  if (isObjectType(named) && isNode(named) && name !== 'createdBy') return `${snakeCase(name)}_id`;
  return snakeCase(name);
}

/** Fields of a record that REST documents, by their names; undefined for a type that is no record of REST. */
function documentedFields(typeName: string): ReadonlySet<string> | undefined {
  const properties = documentedProperties(typeName);
  return properties === undefined ? undefined : new Set(Object.keys(properties));
}

/** Whether REST shows this field of a record too. `id` of a record is the global id, which REST does not have. */
function isShown(type: GraphQLObjectType, field: Field): boolean {
  if (!isNode(type)) return true;
  const documented = documentedFields(type.name);
  if (documented === undefined) throw new Error(`The OpenAPI document has no schema ${type.name}`);
  return field.name !== 'id' && documented.has(restName(field));
}

/** A selection of all fields of a record that REST shows: `{ databaseId name group { databaseId } … }`. */
export function selectionOf(typeName: string): string {
  const type = objectType(typeName);
  const fields = Object.values(type.getFields()).filter((field) => isShown(type, field));
  const selected = fields.map((field) => {
    const named = getNamedType(field.type);
    if (!isObjectType(named)) return field.name;
    if (isConnection(named)) return `${field.name} { nodes { databaseId } }`;
    return `${field.name} ${isNode(named) ? '{ databaseId }' : selectionOf(named.name)}`;
  });
  return `{ ${selected.join(' ')} }`;
}

/** Scalar and enum fields of a record that only GraphQL has; the global id is left out. */
export function fieldsOnlyInGraphql(typeName: string): string[] {
  const type = objectType(typeName);
  return Object.values(type.getFields())
    .filter((field) => field.name !== 'id' && isLeafType(getNamedType(field.type)) && !isShown(type, field))
    .map(({ name }) => name);
}

interface Related {
  readonly databaseId: number;
}

/** The fields of a GraphQL record as REST spells them. A related record becomes its number, a list of them numbers. */
export function asRest(typeName: string, record: object, time: TimeFormat = seconds): Fields {
  const fields = objectType(typeName).getFields();
  const entries = Object.entries(record as Fields).map(([name, value]) => {
    const field = fields[name];
    if (field === undefined) throw new Error(`${typeName} has no field ${name}`);
    return [restName(field), restValue(field, value, time)] as const;
  });
  return Object.fromEntries(entries);
}

function restValue({ type }: Field, value: unknown, time: TimeFormat): unknown {
  const named = getNamedType(type);
  if (value === null) return null;
  if (isEnumType(named)) return (value as string).toLowerCase();
  if (named.name === 'DateTime') return time(value as string);
  if (!isObjectType(named)) return value;
  if (isConnection(named)) return (value as { nodes: Related[] }).nodes.map(({ databaseId }) => databaseId);
  return isNode(named) ? (value as Related).databaseId : asRest(named.name, value as object, time);
}
