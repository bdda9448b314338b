/**
 * Executes a query level by level: each field for all records of its level at once, each record once however often
 * it appears there, and one waiting for each field instead of one for each record.
 *
 * It knows success only. Whatever goes wrong ends it, and the library's executor, which runs the operation
 * instead, says what and where.
 */
import {
  getArgumentValues,
  getNamedType,
  getVariableValues,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

import type { GraphqlContext } from './context.js';
import type { Variables } from '../limits/cost.js';
import { FieldCollector, type Asked } from './field-collector.js';
import { Base64 } from '../schema/scalars.js';

export interface Execution {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables;
  readonly context: Pick<GraphqlContext, 'tried' | 'counters'>;
}

type Result = Record<string, unknown>;

/** Ends the attempt; what it says is for nobody. */
class NotHere extends Error {}

/** The data of a query; null where the library's executor has to say what is wrong, or can do more. */
export async function executeQuery(execution: Execution): Promise<Result | null> {
  const { schema, document, operation, context } = execution;
  if (operation.operation !== OperationTypeNode.QUERY || !isPlain(schema, document)) return null;
  const tried = context.tried();
  try {
    const data = await new LevelExecutor({ ...execution, context: tried }).run();
    context.counters.nodes += tried.counters.nodes;
    return data;
  } catch {
    return null;
  }
}

const plain = new WeakMap<DocumentNode, boolean>();

/** Bytes are read for one answer, so that there must be no second try; the schema tells of itself elsewhere. */
function isPlain(schema: GraphQLSchema, document: DocumentNode): boolean {
  const known = plain.get(document);
  if (known !== undefined) return known;
  let found = true;
  const types = new TypeInfo(schema);
  const look = ({ name }: FieldNode): void => {
    const type = types.getType();
    if (/^__(schema|type)$/.test(name.value) || (type != null && getNamedType(type) === Base64))
      found = false;
  };
  visit(document, visitWithTypeInfo(types, { Field: look }));
  plain.set(document, found);
  return found;
}

class LevelExecutor {
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #fields: FieldCollector;

  constructor(private readonly execution: Execution) {
    const { schema, document, operation, variables } = execution;
    const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
    if (coerced === undefined) throw new NotHere('The variables are not what they should be');
    this.#variables = coerced;
    this.#fields = new FieldCollector(schema, document, coerced);
  }

  async run(): Promise<Result> {
    const { schema, operation } = this.execution;
    const root = schema.getQueryType();
    if (root == null) throw new NotHere('There are no queries');
    const [data] = await this.#level(root, [operation.selectionSet], [undefined]);
    if (data === undefined) throw new NotHere('Nothing was answered');
    return data;
  }

  /** Everything that is asked of some records of one type. */
  async #level(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    sources: readonly unknown[],
  ): Promise<readonly Result[]> {
    const asked = this.#fields.of(type, sets);
    const blank = Object.fromEntries(asked.map(({ key }) => [key, null]));
    const results = sources.map((): Result => ({ ...blank }));
    await Promise.all(
      asked.map(async ({ key, nodes }) => {
        const values = await this.#field(type, key, nodes, sources);
        for (const [place, result] of results.entries()) result[key] = values[place];
      }),
    );
    return results;
  }

  /** A field of some records; what is not promised is there at once. */
  #field(
    type: GraphQLObjectType,
    key: string,
    nodes: Asked['nodes'],
    sources: readonly unknown[],
  ): readonly unknown[] | Promise<readonly unknown[]> {
    const { name } = nodes[0];
    if (name.value === '__typename') return sources.map(() => type.name);
    const field = type.getFields()[name.value];
    if (field === undefined) throw new NotHere('No such field, or one about the schema itself');
    const values = this.#resolve(type, key, field, nodes, sources);
    return this.#complete(field.type, nodes, values);
  }

  #resolve(
    parentType: GraphQLObjectType,
    key: string,
    field: GraphQLField<unknown, unknown>,
    nodes: Asked['nodes'],
    sources: readonly unknown[],
  ): unknown[] {
    const { schema, operation, context } = this.execution;
    const args = getArgumentValues(field, nodes[0], this.#variables);
    const info: GraphQLResolveInfo = {
      fieldName: field.name,
      fieldNodes: nodes,
      returnType: field.type,
      parentType,
      path: { prev: undefined, key, typename: parentType.name },
      schema,
      fragments: this.#fields.fragments,
      rootValue: undefined,
      operation,
      variableValues: this.#variables,
    };
    const { resolve } = field;
    if (resolve !== undefined) return sources.map((source) => resolve(source, args, context, info));
    return sources.map((source) => {
      const value = (source as Readonly<Record<string, unknown>>)[field.name];
      return typeof value === 'function' ? (value.call(source, args, context, info) as unknown) : value;
    });
  }

  #complete(
    type: GraphQLOutputType,
    nodes: Asked['nodes'],
    values: readonly unknown[],
  ): readonly unknown[] | Promise<readonly unknown[]> {
    if (values.some(isPromise)) {
      return Promise.all(values).then((settled) => this.#complete(type, nodes, settled));
    }
    if (isNonNullType(type)) {
      if (values.some((value) => value == null)) throw new NotHere('Null where there must be something');
      return this.#complete(type.ofType, nodes, values);
    }
    if (isLeafType(type)) return values.map((value) => (value == null ? null : serialized(type, value)));
    if (isListType(type)) return this.#lists(type.ofType, nodes, values);
    return this.#objects(type, nodes, values);
  }

  /** The entries of all lists together, then each list anew. */
  async #lists(
    type: GraphQLOutputType,
    nodes: Asked['nodes'],
    lists: readonly unknown[],
  ): Promise<readonly unknown[]> {
    const entries: unknown[] = [];
    for (const list of lists) {
      if (list == null) continue;
      if (!Array.isArray(list)) throw new NotHere('No list');
      for (const entry of list) entries.push(entry);
    }
    const completed = await this.#complete(type, nodes, entries);
    let from = 0;
    return lists.map((list) => {
      if (!Array.isArray(list)) return null;
      from += list.length;
      return completed.slice(from - list.length, from);
    });
  }

  /** The same record is answered once and shown wherever it appears. */
  async #objects(
    type: GraphQLOutputType,
    nodes: Asked['nodes'],
    values: readonly unknown[],
  ): Promise<readonly unknown[]> {
    const records = [...new Set(values)].filter((value) => value != null);
    const byType = await this.#byType(type, records);
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const results = new Map<unknown, Result | undefined>();
    await Promise.all(
      [...byType].map(async ([own, sources]) => {
        const level = await this.#level(own, sets, sources);
        for (const [place, source] of sources.entries()) results.set(source, level[place]);
      }),
    );
    return values.map((value) => (value == null ? null : results.get(value)));
  }

  async #byType(
    type: GraphQLOutputType,
    records: readonly unknown[],
  ): Promise<ReadonlyMap<GraphQLObjectType, readonly unknown[]>> {
    if (isObjectType(type)) return new Map([[type, records]]);
    if (!isAbstractType(type)) throw new NotHere('No object');
    const types = await Promise.all(records.map((record) => this.#possibleType(type, record)));
    return new Map(
      [...new Set(types)].map((own) => [own, records.filter((_record, place) => types[place] === own)]),
    );
  }

  async #possibleType(type: GraphQLAbstractType, value: unknown): Promise<GraphQLObjectType> {
    const { schema, context } = this.execution;
    // The schema's library makes every one of these asynchronous.
    const name = await type.resolveType?.(value, context, undefined as never, type);
    const own = typeof name === 'string' ? schema.getType(name) : undefined;
    if (!isObjectType(own) || !schema.isSubType(type, own)) throw new NotHere('Of no type');
    return own;
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function serialized(type: { serialize(value: unknown): unknown }, value: unknown): unknown {
  const text = type.serialize(value);
  if (text == null) throw new NotHere('Nothing to show for a value');
  return text;
}
