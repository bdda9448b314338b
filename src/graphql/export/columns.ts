/** Columns of an export: the fields of a list's records in the schema, so that a new field is a column without more. */
import {
  getNamedType,
  getNullableType,
  GraphQLString,
  isEnumType,
  isLeafType,
  isNonNullType,
  isObjectType,
  Kind,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';

import { malformed } from '../../http/request.js';
import type { Scope } from '../../platform/requests.js';
import { camelCase, snakeCase } from '../../platform/validate.js';
import { declaredOf } from '../schema/declared.js';
import { Base64, DateTime } from '../schema/scalars.js';

export interface Column {
  /** Header of CSV: as the client wrote it, or in snake case. */
  readonly name: string;
  /** Keys of the value in a line of NDJSON: `['parsed', 'amount']`. */
  readonly keys: readonly string[];
  readonly isInstant: boolean;
  /** True if its values are those of an enumeration. */
  readonly isChoice: boolean;
  readonly fields: readonly Field[];
}

type Field = GraphQLField<unknown, unknown>;
type MayUse = (scope: Scope) => boolean;

const MAX_COLUMNS = 100;
/** Relations and objects in one name; each relation is read with one or two statements a page. */
const MAX_KEYS = 4;
/** Characters of a name that a message repeats. */
const MAX_SHOWN = 64;

/** All columns of a type that the caller may read; of a relation, the name of its record. */
export function allColumns(type: GraphQLObjectType, mayUse: MayUse): readonly Column[] {
  return fieldsOf(type).flatMap((field) => {
    const declared = declaredOf(field);
    const scope = declared?.kind === 'column' ? declared.scope : null;
    if (declared?.kind === 'id' || (scope !== null && !mayUse(scope))) return [];
    return columnsAt(type, [snakeCase(field.name)]) ?? [];
  });
}

/** The columns of a list of names, in its order: `serial_number,group.name`. Errors: 400. */
export function namedColumns(type: GraphQLObjectType, text: string): readonly Column[] {
  const columns = text.split(',').flatMap((name) => {
    const known = columnsAt(type, name.trim().split('.'));
    if (known !== undefined) return known;
    const all = allColumns(type, () => true).map((column) => column.name);
    throw malformed(
      `columns: "${name.trim().slice(0, MAX_SHOWN)}" is no column of this list. It has ${all.join(', ')}, and fields of its relations, for example created_by.name.`,
    );
  });
  if (columns.length > MAX_COLUMNS) throw malformed(`columns: at most ${MAX_COLUMNS} at a time.`);
  return columns;
}

/** Columns of a path of names: one, or those of an object. Undefined if there is no such field. */
function columnsAt(type: GraphQLObjectType, names: readonly string[]): readonly Column[] | undefined {
  const [name = '', ...rest] = names;
  const field = fieldsOf(type).find((each) => each.name === camelCase(name));
  if (field === undefined || names.length > MAX_KEYS) return undefined;
  const inner = getNullableType(field.type);
  if (!isObjectType(inner)) {
    const named = getNamedType(inner);
    const is = { isInstant: named === DateTime, isChoice: isEnumType(named) };
    return rest.length === 0 ? [{ name, keys: [name], ...is, fields: [field] }] : undefined;
  }
  const within = (column: Column, header = `${name}.${column.name}`): Column => ({
    ...column,
    name: header,
    keys: [name, ...column.keys],
    fields: [field, ...column.fields],
  });
  if (rest.length > 0) return columnsAt(inner, rest)?.map((column) => within(column));
  if (declaredOf(field)?.kind !== 'one') return allColumns(inner, () => true).map((column) => within(column));
  const naming = fieldsOf(inner).find(isNaming);
  return naming && columnsAt(inner, [snakeCase(naming.name)])?.map((column) => within(column, name));
}

/** True if a field is the name of its record: the first text that is never null. */
const isNaming = (field: Field): boolean =>
  isNonNullType(field.type) && field.type.ofType === GraphQLString && declaredOf(field)?.kind === 'column';

/** Fields that a plan reads, with one value for each record and no argument: no lists of records, no bytes. */
function fieldsOf(type: GraphQLObjectType): readonly Field[] {
  return Object.values(type.getFields()).filter((field) => {
    const named = getNamedType(field.type);
    if (field.args.length > 0) return false;
    if (isLeafType(named)) return named !== Base64 && declaredOf(field) !== null;
    return (
      isObjectType(getNullableType(field.type)) && ['one', 'column'].includes(declaredOf(field)?.kind ?? '')
    );
  });
}

/** The columns as a field `nodes` that selects them, each under its key. */
export function selectionOf(columns: readonly Column[], name = 'nodes', key = name): FieldNode {
  const inner = columns.filter(({ keys }) => keys.length > 0);
  const selections = [...Map.groupBy(inner, ({ keys }) => keys[0] ?? '')].map(([own, of]) =>
    selectionOf(
      of.map(({ keys, fields, ...column }) => ({ ...column, keys: keys.slice(1), fields: fields.slice(1) })),
      of[0]?.fields[0]?.name,
      own,
    ),
  );
  return {
    kind: Kind.FIELD,
    alias: { kind: Kind.NAME, value: key },
    name: { kind: Kind.NAME, value: name },
    ...(selections.length > 0 && { selectionSet: { kind: Kind.SELECTION_SET, selections } }),
  };
}
