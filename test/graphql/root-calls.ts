import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import type { GraphQLField, GraphQLInputType, GraphQLSchema } from 'graphql';

export interface RootField {
  /** For example `Query.groups`. */
  readonly name: string;
  readonly operation: 'query' | 'mutation';
  readonly field: GraphQLField<unknown, unknown>;
}

/** Every root field for operations over HTTP. */
export function rootFieldsOf(schema: GraphQLSchema): readonly RootField[] {
  return [['query', schema.getQueryType()] as const, ['mutation', schema.getMutationType()] as const].flatMap(
    ([operation, type]) =>
      Object.values(type?.getFields() ?? {}).map((field) => ({
        name: `${type?.name ?? ''}.${field.name}`,
        operation,
        field,
      })),
  );
}

/** A well-formed id of a record that does not exist. */
const NO_ID = Buffer.from('Group:999999').toString('base64url');

/**
 * A call with the required arguments, and with `databaseId` where the field has a choice of keys. A file is the
 * variable `$file`.
 */
export function callOf({ operation, field }: RootField): {
  readonly query: string;
  readonly hasFile: boolean;
} {
  const required = field.args.filter(isRequiredArgument);
  const chosen = field.args.filter(({ name }) => name === 'databaseId');
  const args = (required.length > 0 ? required : chosen).map(
    (argument) => `${argument.name}: ${valueOf(argument.type)}`,
  );
  const given = args.length === 0 ? '' : `(${args.join(', ')})`;
  const hasFile = given.includes('$file');
  const head = hasFile ? `${operation} ($file: Upload!)` : operation;
  return { query: `${head} { ${field.name}${given} ${selectionOf(field)} }`, hasFile };
}

/** All scalar fields of a type. */
function selectionOf(field: GraphQLField<unknown, unknown>): string {
  const type = getNamedType(field.type);
  if (isLeafType(type)) return '';
  const values = isObjectType(type)
    ? Object.values(type.getFields()).filter((own) => isLeafType(getNamedType(own.type)))
    : [];
  return `{ __typename ${values.map((own) => own.name).join(' ')} }`;
}

const SCALARS: Readonly<Record<string, string>> = {
  ID: `"${NO_ID}"`,
  Int: '1',
  Boolean: 'true',
  Upload: '$file',
  JSON: '{}',
  DateTime: '"2026-01-01T00:00:00Z"',
};

function valueOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return valueOf(type.ofType);
  if (isListType(type)) return `[${valueOf(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? 'null';
  if (!isInputObjectType(type)) return SCALARS[type.name] ?? '"x"';
  const fields = Object.values(type.getFields());
  const given = type.isOneOf ? fields.slice(0, 1) : fields.filter(isRequiredInputField);
  return `{ ${given.map((field) => `${field.name}: ${valueOf(field.type)}`).join(', ')} }`;
}
