import {
  buildASTSchema,
  executeSync,
  Kind,
  parse,
  printSchema,
  visit,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { isDeepStrictEqual } from 'node:util';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** First violation of the GraphQL specification, schema or document in a response; null if there is none. */
export function shapeProblem(
  schema: GraphQLSchema,
  body: unknown,
  status: number,
  document: DocumentNode | null,
): string | null {
  if (!isFields(body)) return 'the body is not an object';
  const unknown = Object.keys(body).find((name) => !['data', 'errors', 'extensions'].includes(name));
  if (unknown !== undefined) return `the body has ${unknown}`;
  const { data, errors } = body;
  if (data === undefined && errors === undefined) return 'the body has neither data nor errors';
  if (errors !== undefined && !areErrors(errors))
    return 'errors is not a list of errors with a message and a code';
  if (data === undefined || data === null) return errors === undefined ? 'data is null without errors' : null;
  if (status !== 200) return `data with status ${status}`;
  const operations = document?.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION) ?? [];
  return document === null || operations.length !== 1 ? null : dataProblem(schema, data, document);
}

const areErrors = (errors: unknown): boolean =>
  Array.isArray(errors) &&
  errors.length > 0 &&
  errors.every(
    (error) =>
      isFields(error) &&
      typeof error.message === 'string' &&
      isFields(error.extensions) &&
      typeof error.extensions.code === 'string',
  );

/** Schemas without resolvers and without arguments. */
const plainSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>();

function plainSchemaOf(schema: GraphQLSchema): GraphQLSchema {
  const known = plainSchemas.get(schema);
  if (known !== undefined) return known;
  const document = visit(parse(printSchema(schema)), {
    FieldDefinition: (node) => ({ ...node, arguments: [] }),
  });
  const plain = buildASTSchema(document);
  plainSchemas.set(schema, plain);
  return plain;
}

/** Executes the document over the data, which must come out as it went in. */
function dataProblem(schema: GraphQLSchema, data: unknown, document: DocumentNode): string | null {
  const plain = plainSchemaOf(schema);
  const { data: again, errors } = executeSync({
    schema: plain,
    document: visit(document, {
      OperationDefinition: (node) => ({ ...node, variableDefinitions: [] }),
      Field: (node) => ({ ...node, arguments: [] }),
    }),
    rootValue: data,
    fieldResolver: (source: Fields, _args, _context, { path }) => source[path.key],
    typeResolver: (value: { readonly __typename?: string }, _context, _info, type) =>
      value.__typename ?? plain.getPossibleTypes(type)[0]?.name,
  });
  if (errors?.[0] !== undefined) return errors[0].message;
  return isDeepStrictEqual(JSON.parse(JSON.stringify(again)), data) ? null : 'data is not what was selected';
}
