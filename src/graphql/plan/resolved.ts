/** Values of a plan that come from a resolver, or are objects in a property of a record. */
import {
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  type GraphQLField,
  type GraphQLOutputType,
} from 'graphql';

import type { GraphqlContext } from '../execution/context.js';
import type { Variables } from '../limits/cost.js';
import { Base64 } from '../schema/scalars.js';
import { listText, Unplanned, type PlanRun } from './run.js';
import type { PlannedField } from './texts.js';

/** Reads the value of a field of a record. Errors: `Unplanned`. */
type Reader = (record: unknown, context: GraphqlContext, args: Variables) => unknown;

export function readerOf({ name, resolve, extensions }: GraphQLField<unknown, unknown>): Reader {
  if (resolve === undefined) return (record) => propertyOf(record, name);
  const declared = extensions.resolve as Reader | undefined;
  if (declared === undefined) throw new Unplanned('A field of another kind');
  return declared;
}

export function propertyOf(value: unknown, name: string): unknown {
  const property = (value as Readonly<Record<string, unknown>>)[name];
  if (typeof property === 'function') throw new Unplanned('A property that is read when it is selected');
  return property;
}

/** Makes the JSON text of a value. */
export type WriteValue = (value: unknown, run: PlanRun) => string;

/** Writes a value of a type, or each value of a list; `ofObject` returns what writes an object. Errors: `Unplanned`. */
export function valueWriter(type: GraphQLOutputType, ofObject: () => WriteValue): WriteValue {
  const write = writerOf(getNullableType(type), ofObject);
  return (value, run) => {
    if (value != null) return write(value, run);
    if (isNonNullType(type)) throw new Unplanned('Null in a field that is not nullable');
    return 'null';
  };
}

function writerOf(type: GraphQLOutputType, ofObject: () => WriteValue): WriteValue {
  if (isListType(type)) {
    const entry = valueWriter(type.ofType, ofObject);
    return (value, run) => listText((value as readonly unknown[]).map((each) => entry(each, run)));
  }
  return isLeafType(type) && type !== Base64 ? (value) => JSON.stringify(type.serialize(value)) : ofObject();
}

/** Text of an object all of whose fields are made from its value. */
export function objectText<Value>(
  fields: readonly PlannedField<Value>[],
  value: Value,
  run: PlanRun,
): string {
  const entries = fields.map((field) => {
    if (!('write' in field)) throw new Unplanned('A field that reads rows');
    return `"${field.key}":${field.write(value, run)}`;
  });
  return `{${entries.join()}}`;
}
