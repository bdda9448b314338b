import { getNamedType, isEnumType, isObjectType, type GraphQLObjectType, type GraphQLSchema } from 'graphql';

import type { Fields } from './client.js';
import type { UserErrorShape } from './dashboard.js';
import type { Member } from './server.js';

/** How REST writes an instant, from how GraphQL does. */
export type TimeForm = (instant: string) => string;

const inSeconds: TimeForm = (instant) => instant.replace(/\.\d{3}Z$/, 'Z');

/** Kolkata is five and a half hours ahead all year round. */
export const ZONE = 'Asia/Kolkata';
const AHEAD_MS = 5.5 * 60 * 60 * 1000;
const inZone = (instant: string): string => new Date(Date.parse(instant) + AHEAD_MS).toISOString();
export const zonedSeconds: TimeForm = (instant) => inZone(instant).replace(/\.\d{3}Z$/, '+05:30');
export const zonedMilliseconds: TimeForm = (instant) => inZone(instant).replace(/Z$/, '+05:30');

interface Related {
  readonly databaseId: number;
}

/**
 * What GraphQL answers of a record, all of it, as REST spells it; the schema says what each value is. A record
 * becomes its number, a list of records their numbers.
 */
export function asRest(schema: GraphQLSchema, typeName: string, record: object, time = inSeconds): Fields {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no type of records`);
  return Object.fromEntries(Object.entries(record).map((entry) => convert(schema, type, entry, time)));
}

function convert(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  [field, value]: [string, unknown],
  time: TimeForm,
): [string, unknown] {
  const name = snakeCase(field);
  if (name === 'database_id') return ['id', value];
  const declared = schema.getType(namedTypeOf(type, field));
  if (isEnumType(declared) && typeof value === 'string') return [name, value.toLowerCase()];
  if (declared?.name === 'DateTime') return [name, value === null ? null : time(value as string)];
  if (!isObjectType(declared)) return [name, value];
  if (declared.name.endsWith('Connection')) {
    const { nodes } = value as { readonly nodes: readonly Related[] };
    return [`${name.slice(0, -1)}_ids`, nodes.map(({ databaseId }) => databaseId)];
  }
  if (!declared.getInterfaces().some((each) => each.name === 'Node')) {
    return [name, value === null ? null : asRest(schema, declared.name, value as object, time)];
  }
  return [field === 'createdBy' ? name : `${name}_id`, (value as Related | null)?.databaseId ?? null];
}

function namedTypeOf(type: GraphQLObjectType, field: string): string {
  const declared = type.getFields()[field]?.type;
  return declared === undefined ? '' : getNamedType(declared).name;
}

/** `serialNumber` as `serial_number`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, '_$&').toLowerCase();

/** What a mutation of these tests answers. */
export interface Done {
  readonly done: {
    readonly record?: object | null;
    readonly deletedId?: string | null;
    readonly userErrors: readonly UserErrorShape[];
  };
}

type Use = (member: Member, id: string) => Promise<Done>;
type Path = (record: Fields) => string;

/** One change of a record through one surface, and what REST then shows that it did not before. */
export interface Change {
  readonly what: string;
  readonly by: Use | { readonly put: Fields | FormData };
  readonly shows: Fields;
}

/** A record's life through both surfaces. */
export interface Life {
  /** In GraphQL. */
  readonly type: string;
  /** REST's key of one record, and the path of all. */
  readonly key: string;
  readonly collection: string;
  /** Where REST changes and deletes it, and where it reads it. */
  readonly path: Path;
  readonly readPath?: Path;
  /** Who owns it, where REST wants to be told. */
  readonly query?: Readonly<Record<string, string>>;
  readonly time?: TimeForm;
  readonly create: (member: Member) => Promise<Done>;
  /** What REST shows of it then, in part. */
  readonly created: Fields;
  readonly changes: readonly Change[];
  readonly read: (member: Member, id: string) => Promise<{ readonly found?: object | null }>;
  /** Changes what may not be there any more. */
  readonly touch: Use;
  readonly remove: Use;
  /** What creates one through REST, and what GraphQL then shows of it, as REST spells it, in part. */
  readonly post: Fields | FormData;
  readonly posted?: Fields;
}
