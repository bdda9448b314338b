/**
 * Executes a query level by level: each field is resolved for all records of its level at once, each record once
 * however often it appears there, with one promise per field instead of one per record.
 *
 * It handles success only. At the first error, and for what it does not support, it gives up, and graphql-js executes
 * the operation and renders the errors.
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

import { isTurnOver, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import type { OperationContext } from './context.js';
import type { Variables } from '../limits/cost.js';
import { FieldCollector, type CollectedField } from './field-collector.js';
import { Base64 } from '../schema/scalars.js';

export interface Execution {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables;
  readonly context: OperationContext;
}

type Result = Record<string, unknown>;

/** Ends the attempt: graphql-js executes the operation instead. Its message is never shown. */
class Unsupported extends Error {}

/** The data of a query; null where graphql-js is to execute it. */
export async function executeQuery(execution: Execution): Promise<Result | null> {
  const { schema, document, operation, context } = execution;
  if (operation.operation !== OperationTypeNode.QUERY || !isSupported(schema, document)) return null;
  const attempt = context.withOwnCounters();
  try {
    const data = await context.loaders.byLevels(() =>
      new LevelExecutor({ ...execution, context: attempt }).run(),
    );
    context.counters.nodes += attempt.counters.nodes;
    return data;
  } catch {
    return null;
  }
}

const supported = new WeakMap<DocumentNode, boolean>();

/** Not introspection, and not bytes: a second attempt would count them twice against their limit. */
function isSupported(schema: GraphQLSchema, document: DocumentNode): boolean {
  const known = supported.get(document);
  if (known !== undefined) return known;
  let found = true;
  const types = new TypeInfo(schema);
  const check = ({ name }: FieldNode): void => {
    const type = types.getType();
    if (/^__(schema|type)$/.test(name.value) || (type != null && getNamedType(type) === Base64))
      found = false;
  };
  visit(document, visitWithTypeInfo(types, { Field: check }));
  supported.set(document, found);
  return found;
}

/** Of a level with more records, one field with values is resolved in each turn of the event loop. */
const SOURCES_PER_TURN = 1_000;
/** Of a level with more records, as many as there is time for. */
const FEW_SOURCES = 100;

const mustYield = (sources: number): boolean =>
  sources > SOURCES_PER_TURN || (sources > FEW_SOURCES && isTurnOver());

class LevelExecutor {
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #fields: FieldCollector;

  constructor(private readonly execution: Execution) {
    const { schema, document, operation, variables } = execution;
    const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
    if (coerced === undefined) throw new Unsupported('The variables are invalid');
    this.#variables = coerced;
    this.#fields = new FieldCollector(schema, document, coerced);
  }

  async run(): Promise<Result> {
    const { schema, operation } = this.execution;
    const root = schema.getQueryType();
    if (root == null) throw new Unsupported('The schema has no queries');
    const [data] = await this.#level(root, [operation.selectionSet], [undefined]);
    if (data === undefined) throw new Unsupported('No data');
    return data;
  }

  /** All selected fields of some records of one type. */
  async #level(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    sources: readonly unknown[],
  ): Promise<readonly Result[]> {
    const fields = this.#fields.of(type, sets);
    // Assigned to an object, this key would set its prototype.
    if (fields.some(({ key }) => key === '__proto__')) throw new Unsupported('A field named __proto__');
    const blank = Object.fromEntries(fields.map(({ key }) => [key, null]));
    const results = sources.map((): Result => ({ ...blank }));
    await Promise.all(
      fields.map(async ({ key, nodes }) => {
        // Leaves are no keys of loaders: what is loaded together is still asked for in one turn.
        if (mustYield(sources.length) && isLeafField(type, nodes)) await yieldToEventLoop();
        const values = await this.#field(type, key, nodes, sources);
        for (const [index, result] of results.entries()) result[key] = values[index];
      }),
    );
    return results;
  }

  /** The values of a field for some records; no promise where no resolver returns one. */
  #field(
    type: GraphQLObjectType,
    key: string,
    nodes: CollectedField['nodes'],
    sources: readonly unknown[],
  ): readonly unknown[] | Promise<readonly unknown[]> {
    const { name } = nodes[0];
    if (name.value === '__typename') return sources.map(() => type.name);
    const field = type.getFields()[name.value];
    if (field === undefined) throw new Unsupported('No such field, or introspection');
    const values = this.#resolve(type, key, field, nodes, sources);
    return this.#complete(field.type, nodes, values);
  }

  #resolve(
    parentType: GraphQLObjectType,
    key: string,
    field: GraphQLField<unknown, unknown>,
    nodes: CollectedField['nodes'],
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
    nodes: CollectedField['nodes'],
    values: readonly unknown[],
  ): readonly unknown[] | Promise<readonly unknown[]> {
    if (values.some(isPromise)) {
      return Promise.all(values).then((settled) => this.#complete(type, nodes, settled));
    }
    if (isNonNullType(type)) {
      if (values.some((value) => value == null))
        throw new Unsupported('Null in a field that is not nullable');
      return this.#complete(type.ofType, nodes, values);
    }
    if (isLeafType(type)) return values.map((value) => (value == null ? null : serialized(type, value)));
    if (isListType(type)) return this.#lists(type.ofType, nodes, values);
    return this.#objects(type, nodes, values);
  }

  /** Completes the entries of all lists together, then divides them into lists again. */
  async #lists(
    type: GraphQLOutputType,
    nodes: CollectedField['nodes'],
    lists: readonly unknown[],
  ): Promise<readonly unknown[]> {
    const entries: unknown[] = [];
    for (const list of lists) {
      if (list == null) continue;
      if (!Array.isArray(list)) throw new Unsupported('Not a list');
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

  /** A record that appears several times is completed once. */
  async #objects(
    type: GraphQLOutputType,
    nodes: CollectedField['nodes'],
    values: readonly unknown[],
  ): Promise<readonly unknown[]> {
    const records = [...new Set(values)].filter((value) => value != null);
    const byType = await this.#byType(type, records);
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const results = new Map<unknown, Result | undefined>();
    await Promise.all(
      [...byType].map(async ([own, sources]) => {
        const level = await this.#level(own, sets, sources);
        for (const [index, source] of sources.entries()) results.set(source, level[index]);
      }),
    );
    return values.map((value) => (value == null ? null : results.get(value)));
  }

  async #byType(
    type: GraphQLOutputType,
    records: readonly unknown[],
  ): Promise<ReadonlyMap<GraphQLObjectType, readonly unknown[]>> {
    if (isObjectType(type)) return new Map([[type, records]]);
    if (!isAbstractType(type)) throw new Unsupported('Not an object type');
    const types = await Promise.all(records.map((record) => this.#possibleType(type, record)));
    return new Map(
      [...new Set(types)].map((own) => [own, records.filter((_record, index) => types[index] === own)]),
    );
  }

  async #possibleType(type: GraphQLAbstractType, value: unknown): Promise<GraphQLObjectType> {
    const { schema, context } = this.execution;
    // Asynchronous in every type that type-graphql builds.
    const name = await type.resolveType?.(value, context, undefined as never, type);
    const own = typeof name === 'string' ? schema.getType(name) : undefined;
    if (!isObjectType(own) || !schema.isSubType(type, own)) throw new Unsupported('Not a possible type');
    return own;
  }
}

function isLeafField(type: GraphQLObjectType, [{ name }]: CollectedField['nodes']): boolean {
  const field = type.getFields()[name.value];
  return field === undefined || isLeafType(getNamedType(field.type));
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function serialized(type: { serialize(value: unknown): unknown }, value: unknown): unknown {
  const result = type.serialize(value);
  if (result == null) throw new Unsupported('A value that is not serialized');
  return result;
}
