import {
  execute,
  getNamedType,
  GraphQLList,
  GraphQLObjectType,
  GraphQLSchema,
  isObjectType,
  parse,
  print,
  type DocumentNode,
  type GraphQLField,
} from 'graphql';

import type { List } from '../../database/list/list.js';
import type { ListRow } from '../../database/list/listing.js';
import type { Fragments } from '../limits/structure.js';
import { JsonValue } from '../schema/scalars.js';
import { argumentsOf, type Nodes, type Read } from './relations.js';
import {
  objectText,
  propertyOf,
  readerOf,
  Unplanned,
  valueWriter,
  type FieldText,
  type PlannedField,
  type PlanRun,
  type WriteValue,
} from './texts.js';

type Field = GraphQLField<unknown, unknown>;

/** Makes the text of a field of objects that have a type. */
export type MakeText<Row> = (field: Field, nodes: Nodes, type: GraphQLObjectType) => FieldText<Row>;

/** Compiles the fields that nodes select of the objects in a field. */
interface ObjectCompiler {
  readonly object: <Row>(field: Field, nodes: Nodes, textOf: MakeText<Row>) => readonly PlannedField<Row>[];
}

/** A value from a resolver, or an object in a property: read once for each record, however many lists have it. */
export function resolvedText(
  compiler: ObjectCompiler,
  field: Field,
  nodes: Nodes,
  { list, columns }: Read,
): FieldText<ListRow> {
  const valueOf = readerOf(field);
  const argsOf = argumentsOf(field, nodes[0], (args) => args);
  const write = valueWriter(field.type, () => objectWriter(compiler, field, nodes));
  for (const column of list.allColumns) columns.add(column);
  return {
    texts: async (run, rows, times) => {
      const args = argsOf(run.variables);
      const read = async (row: ListRow, index: number): Promise<unknown> => {
        const value = await valueOf(run.recordOf(list, row), run.context, args);
        return Array.isArray(value) ? await run.entries(value, times[index]) : value;
      };
      return await run.textOfEach(await Promise.all(rows.map(read)), (value) => write(value, run));
    },
  };
}

function objectWriter(compiler: ObjectCompiler, field: Field, nodes: Nodes): WriteValue {
  const type = getNamedType(field.type);
  if (!isObjectType(type) || type.getInterfaces().length > 0) throw new Unplanned('Bytes, or a record');
  if (type.name.endsWith('Connection')) throw new Unplanned('A page of a list that is not declared');
  const properties = compiler.object<unknown>(field, nodes, (own, ownNodes) => {
    if (own.resolve !== undefined) throw new Unplanned('A property with a resolver');
    const write = valueWriter(own.type, () => objectWriter(compiler, own, ownNodes));
    return { write: (value, run) => write(propertyOf(value, own.name), run) };
  });
  return (value, run) => objectText(properties, value, run);
}

/** Where a field is selected: on records of `list`, which have the type `type`. */
interface Place {
  readonly schema: GraphQLSchema;
  readonly type: GraphQLObjectType;
  readonly list: List<unknown>;
  readonly fragments: Fragments;
}

/**
 * A field of records that only resolvers can read, selected by `nodes`. graphql-js executes it for all rows together,
 * for each row as often as the response shows it, so that the records below it are counted. Errors: the first one of a
 * resolver.
 */
export function executedText({ schema, type, list, fragments }: Place, nodes: Nodes): FieldText<ListRow> {
  const [{ alias, name }] = nodes;
  const { value: key } = alias ?? name;
  const document = documentOf(type, nodes, fragments);
  return {
    texts: async (run, rows, times) => {
      const shown = rows.flatMap((row, index) =>
        Array.from({ length: times[index] ?? 0 }, () => run.recordOf(list, row)),
      );
      const root = { [type.name]: await run.context.loaders.rendered(shown) };
      const results = (await executed(run, schema, document, root))[type.name] as Record<string, unknown>[];
      let place = 0;
      return await run.textOfEach(rows, (_row, index) => {
        const result = results[place];
        place += times[index] ?? 0;
        return JSON.stringify(result?.[key]);
      });
    },
  };
}

async function executed(
  run: PlanRun,
  schema: GraphQLSchema,
  document: DocumentNode,
  rootValue: object,
): Promise<Readonly<Record<string, unknown>>> {
  const { context: contextValue, variables: variableValues } = run;
  const { counters } = contextValue;
  const { nodes: before } = counters;
  const { data, errors } = await execute({
    schema: recordsSchema(schema),
    document,
    rootValue,
    variableValues,
    contextValue,
  });
  if (data == null || errors !== undefined) {
    throw errors?.[0]?.originalError ?? new Unplanned('An error of graphql-js');
  }
  run.nodes += counters.nodes - before;
  counters.nodes = before;
  return data;
}

const known = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** The schema with another query type, which has a list of records of each type, under the name of the type. */
function recordsSchema(schema: GraphQLSchema): GraphQLSchema {
  const made = known.get(schema);
  if (made !== undefined) return made;
  const config = schema.toConfig();
  const types = config.types.filter(isObjectType);
  const fields = Object.fromEntries(types.map((type) => [type.name, { type: new GraphQLList(type) }]));
  const query = new GraphQLObjectType({ name: 'Records', fields });
  const records = new GraphQLSchema({ ...config, query, assumeValid: true });
  known.set(schema, records);
  return records;
}

/** A query of `nodes` on the records of a type. Values of its variables are coerced already: JSON leaves them as they are. */
function documentOf(type: GraphQLObjectType, nodes: Nodes, fragments: Fragments): DocumentNode {
  const selected = `{ ${type.name} { ${nodes.map(print).join(' ')} } }`;
  const text = [selected, ...Object.values(fragments).map(print)].join(' ');
  const variables = [...new Set(text.match(/\$\w+/g))].map((name) => `${name}: ${JsonValue.name}`);
  return parse(`query ${variables.length === 0 ? '' : `(${variables.join()})`} ${text}`, {
    noLocation: true,
  });
}
