import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';

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
  const [operation] = operations;
  if (document === null || operation?.kind !== Kind.OPERATION_DEFINITION || operations.length > 1)
    return null;
  const root = schema.getRootType(operation.operation);
  if (root == null) return null;
  return new Shape(schema, document).of(data, root, [operation.selectionSet], 'data');
}

function areErrors(errors: unknown): boolean {
  return (
    Array.isArray(errors) &&
    errors.length > 0 &&
    errors.every(
      (error) =>
        isFields(error) &&
        typeof error.message === 'string' &&
        isFields(error.extensions) &&
        typeof error.extensions.code === 'string',
    )
  );
}

class Shape {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
  ) {
    this.#fragments = new Map(
      document.definitions
        .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
        .map((node) => [node.name.value, node]),
    );
  }

  /** `sets` are the selections of all fields that share the response name. */
  of(
    value: unknown,
    type: GraphQLOutputType,
    sets: readonly SelectionSetNode[],
    path: string,
  ): string | null {
    if (value === null) return isNonNullType(type) ? `${path} is null` : null;
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      if (!Array.isArray(value)) return `${path} is not a list`;
      const inner = nullable.ofType;
      return first(value.map((each: unknown, index) => this.of(each, inner, sets, `${path}.${index}`)));
    }
    if (isEnumType(nullable)) {
      return nullable.getValues().some(({ name }) => name === value)
        ? null
        : `${path} is not a ${nullable.name}`;
    }
    if (isLeafType(nullable)) {
      const wanted = { Int: 'number', Boolean: 'boolean', String: 'string', ID: 'string' }[nullable.name];
      return wanted === undefined || typeof value === wanted ? null : `${path} is not a ${nullable.name}`;
    }
    return isFields(value) ? this.#object(value, type, sets, path) : `${path} is not an object`;
  }

  #object(
    value: Fields,
    type: GraphQLOutputType,
    sets: readonly SelectionSetNode[],
    path: string,
  ): string | null {
    const expected = new Map<string, Expected>();
    for (const set of sets) this.#collect(set, getNamedType(type).name, expected);
    const extra = Object.keys(value).find((name) => !expected.has(name));
    if (extra !== undefined) return `${path} has ${extra}, which was not selected`;
    return first(
      Object.entries(value).map(([name, each]) => {
        const field = expected.get(name);
        return field?.type === undefined ? null : this.of(each, field.type, field.sets, `${path}.${name}`);
      }),
    );
  }

  /** Adds each response name that an object of the type may have. */
  #collect(set: SelectionSetNode, typeName: string, into: Map<string, Expected>): void {
    for (const selection of set.selections) {
      if (selection.kind !== Kind.FIELD) {
        const fragment =
          selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
        if (fragment !== undefined) {
          this.#collect(fragment.selectionSet, fragment.typeCondition?.name.value ?? typeName, into);
        }
        continue;
      }
      const name = selection.alias?.value ?? selection.name.value;
      const type = this.schema.getType(typeName);
      const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
      const known = into.get(name) ?? { type: fields[selection.name.value]?.type, sets: [] };
      if (selection.selectionSet !== undefined) known.sets.push(selection.selectionSet);
      into.set(name, known);
    }
  }
}

interface Expected {
  /** Absent for `__typename`. */
  readonly type: GraphQLOutputType | undefined;
  readonly sets: SelectionSetNode[];
}

const first = (problems: readonly (string | null)[]): string | null =>
  problems.find((problem) => problem !== null) ?? null;
