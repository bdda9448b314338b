import {
  getNullableType,
  GraphQLBoolean,
  GraphQLInt,
  GraphQLString,
  isLeafType,
  isNonNullType,
  type GraphQLLeafType,
  type GraphQLOutputType,
} from 'graphql';

import { DateTime, JsonValue } from '../schema/scalars.js';
import { Unplanned } from './run.js';

/** Makes the JSON text of a column's value. Errors: any, for values that the resolvers must report. */
type WriteLeaf = (value: unknown) => string;

/** Writers by type. Values of other types have the same form in columns and in records. */
const WRITERS: ReadonlyMap<unknown, WriteLeaf> = new Map<unknown, WriteLeaf>([
  [GraphQLString, (value) => JSON.stringify(demand(typeof value === 'string', value))],
  [GraphQLInt, (value) => String(demand(value === ((value as number) | 0), value))],
  [GraphQLBoolean, (value) => (demand(isFlag(value), value) ? 'true' : 'false')],
  [DateTime, (value) => `"${new Date(demand(typeof value === 'number', value) as number).toISOString()}"`],
  [JsonValue, (value) => JSON.stringify(JSON.parse(demand(typeof value === 'string', value) as string))],
]);

/** Undefined for types that are no leaves. */
export function leafWriter(type: GraphQLOutputType): WriteLeaf | undefined {
  const leaf = getNullableType(type);
  if (!isLeafType(leaf)) return undefined;
  const write = WRITERS.get(leaf) ?? serializing(leaf);
  return isNonNullType(type) ? write : (value) => (value === null ? 'null' : write(value));
}

function serializing(type: GraphQLLeafType): WriteLeaf {
  return (value) => JSON.stringify(demand(value !== null, type.serialize(value)));
}

const isFlag = (value: unknown): boolean => typeof value === 'boolean' || value === 0 || value === 1;

function demand(isKnown: boolean, value: unknown): unknown {
  if (!isKnown) throw new Unplanned('A value that the resolvers are to show');
  return value;
}
