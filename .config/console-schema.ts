/** Makes modules of the schema for the console, a part of `npm run codegen:types`: mutations and names of fields. */
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from 'graphql';
import { readFileSync } from 'node:fs';

type Mutation = GraphQLField<unknown, unknown>;

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const types = Object.values(schema.getTypeMap());
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

/** Fields of a record that its references have, beside the id: what people call it. */
const NAMES = ['name', 'number', 'serialNumber'];
/** Mutations whose change of a record can be taken back, for which the last entry of its history is asked. */
const REVERTIBLE = /Update$|^logicalNumberSetAppVersions$/;

/** Arguments and fields of inputs without which a mutation is refused, by the name of its operation: `input.name`. */
const required = Object.fromEntries(
  mutations.map((mutation) => [
    operationName(mutation),
    mutation.args.flatMap((arg) => {
      const type = getNamedType(arg.type);
      const fields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
      const inner = fields.filter(isRequiredInputField).map(({ name }) => `${arg.name}.${name}`);
      return isInputObjectType(type) ? inner : isRequiredArgument(arg) ? [arg.name] : [];
    }),
  ]),
);

/** Documents of all mutations, with all arguments and what is to be shown. */
export const mutationDocuments = mutations.map(documentOf);

/** Prints a module of names in the schema: all mutations, what lists can be sorted and filtered by, fields and values. */
export function plugin(): string {
  return [
    "import type * as types from './graphql.js';",
    ...mutations.map((mutation) => {
      const text = JSON.stringify(documentOf(mutation));
      return `export const ${mutation.name} = ${text} as unknown as typeof types.${operationName(mutation)}Document;`;
    }),
    `export const orderFields = ${JSON.stringify(namesIn('OrderField'))} as const;`,
    `export const filteredById: readonly string[] = ${JSON.stringify(typesFilteredBy('id'))};`,
    `export const requiredFields: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(required)};`,
    'export interface FilterFields {',
    ...Object.entries(namesIn('Filter')).map(([type, filters]) => `  ${type}: ${unionOf(filters)};`),
    '}',
    `export type FieldName = ${unionOf(types.filter((type) => !isEnumType(type)).flatMap(namesOf))};`,
    `export type EnumValue = ${unionOf(types.filter(isEnumType).flatMap(namesOf))};`,
  ].join('\n');
}

/** Fields of a type, or values of an enumeration. */
function namesOf(type?: GraphQLNamedType): readonly string[] {
  if (isEnumType(type)) return type.getValues().map(({ name }) => name);
  return isObjectType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
}

/** Names in the enumerations or inputs with this ending, by types of records: those in `AppFilter` by `App`. */
const namesIn = (ending: string): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    types
      .filter(({ name }) => schema.getType(name + ending) !== undefined)
      .map(({ name }) => [name, namesOf(schema.getType(name + ending))]),
  );

const typesFilteredBy = (field: string): readonly string[] =>
  Object.entries(namesIn('Filter')).flatMap(([type, filters]) => (filters.includes(field) ? [type] : []));

const unionOf = (names: readonly string[]): string =>
  [...new Set(names)].map((name) => `'${name}'`).join(' | ');

function operationName({ name }: Mutation): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

function documentOf(mutation: Mutation): string {
  const { name, args, type } = mutation;
  const variables = args.map((each) => `$${each.name}: ${String(each.type)}`).join(', ');
  const given = args.map((each) => `${each.name}: $${each.name}`).join(', ');
  const [declared, passed] = args.length === 0 ? ['', ''] : [`(${variables})`, `(${given})`];
  const payload = getNamedType(type) as GraphQLObjectType;
  const parts = Object.values(payload.getFields()).map((field) => selectionOf(field, REVERTIBLE.test(name)));
  return `mutation ${operationName(mutation)}${declared} { ${name}${passed} { ${parts.join(' ')} } }`;
}

/** True for a list of values without ids, such as the changes of a row. */
function isOfRows({ type }: Mutation): boolean {
  const inner = getNamedType(type);
  return (
    isListType(isNonNullType(type) ? type.ofType : type) &&
    isObjectType(inner) &&
    !('id' in inner.getFields())
  );
}

/** A field of a payload: a plain value, id and name of a record, plain values of rows of a result, or that there is one. */
function selectionOf({ name, type }: Mutation, isRevertible: boolean): string {
  const inner = getNamedType(type);
  if (isLeafType(inner)) return name;
  if (isUnionType(inner)) return '';
  const fields = inner.getFields();
  const plain = Object.values(fields).filter((field) => isLeafType(getNamedType(field.type)));
  const names = plain.map((field) => field.name);
  const isList = isListType(isNonNullType(type) ? type.ofType : type);
  const rows = Object.values(fields).flatMap((field) => (isOfRows(field) ? selectionOf(field, false) : []));
  if (fields.id === undefined) return `${name} { ${isList ? [...names, ...rows].join(' ') : '__typename'} }`;
  const last =
    isRevertible && fields.history !== undefined ? ' history(first: 1) { nodes { sequence } }' : '';
  return `${name} { ${['id', ...names.filter((each) => NAMES.includes(each))].join(' ')}${last} }`;
}
