import {
  buildSchema,
  getNamedType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isUnionType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import { globSync, readFileSync } from 'node:fs';

type Mutation = GraphQLField<unknown, unknown>;

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const operations = schema.getMutationType()?.getFields() ?? {};
const paths = globSync('src/console/**/*.{ts,tsx}', { exclude: ['src/console/gql/**'] });
const sources = paths.map((path) => readFileSync(path, 'utf8'));
const named = sources.flatMap((source) => [...source.matchAll(/\bmutations\.(\w+)/g)]);
const used = [...new Set(named.map(([, name = '']) => name))].flatMap((name) => operations[name] ?? []);

/** Fields of a record that its references have, beside the id: what people call it. */
const NAMES = ['name', 'number', 'serialNumber'];
/** Mutations whose change of a record can be taken back, for which the last entry of its history is asked. */
const REVERTIBLE = /Update$|^logicalNumberSetAppVersions$/;

/** Documents of the mutations that the console calls `mutations.appUpdate`, with all arguments and what is to be shown. */
export const mutationDocuments = used.map(documentOf);

/** Fields by which lists that the console shows can be sorted, by the types of their records. */
const orderFields = Object.fromEntries(
  sources
    .flatMap((source) => [...source.matchAll(/fragment \w+(?:Row|Record) on (\w+)/g)])
    .flatMap(([, type = '']) => {
      const fields = schema.getType(`${type}OrderField`);
      return isEnumType(fields) ? [[type, fields.getValues().map(({ name }) => name)]] : [];
    }),
);

/** Prints the module of these documents with their types, and of what lists can be sorted by. */
export const plugin = (): string =>
  [
    "import type * as types from './graphql.js';",
    '',
    'type Document<Data, Variables> = types.TypedDocumentString<Data, Variables>;',
    '',
    'export const mutations = {',
    ...used.map((mutation) => {
      const type = typeName(mutation);
      const text = JSON.stringify(documentOf(mutation));
      return `  ${mutation.name}: ${text} as unknown as Document<types.${type}, types.${type}Variables>,`;
    }),
    '};',
    '',
    `export const orderFields = ${JSON.stringify(orderFields)} as const;`,
  ].join('\n');

function typeName({ name }: Mutation): string {
  return `${operationName(name)}Mutation`;
}

function operationName(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

function documentOf(mutation: Mutation): string {
  const { name, args, type } = mutation;
  const variables = args.map((each) => `$${each.name}: ${variableType(each)}`).join(', ');
  const given = args.map((each) => `${each.name}: $${each.name}`).join(', ');
  const [declared, passed] = args.length === 0 ? ['', ''] : [`(${variables})`, `(${given})`];
  const payload = getNamedType(type) as GraphQLObjectType;
  const parts = Object.values(payload.getFields()).map((field) => selectionOf(field, REVERTIBLE.test(name)));
  return `mutation ${operationName(name)}${declared} { ${name}${passed} { ${parts.join(' ')} } }`;
}

/** The type of an argument, which may be left out if it has a default. */
function variableType({ type, defaultValue }: GraphQLArgument): string {
  return String(isNonNullType(type) && defaultValue !== undefined ? type.ofType : type);
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
  if (fields.id === undefined) return `${name} { ${isList ? names.join(' ') : '__typename'} }`;
  const last =
    isRevertible && fields.history !== undefined ? ' history(first: 1) { nodes { sequence } }' : '';
  return `${name} { ${['id', ...names.filter((each) => NAMES.includes(each))].join(' ')}${last} }`;
}
