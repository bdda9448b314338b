import {
  execute,
  GraphQLList,
  GraphQLObjectType,
  GraphQLSchema,
  isObjectType,
  parse,
  print,
  type DocumentNode,
} from 'graphql';

import type { List } from '../../database/list/list.js';
import type { ListRow } from '../../database/list/listing.js';
import type { Fragments } from '../limits/structure.js';
import { JsonValue } from '../schema/scalars.js';
import type { Nodes } from './relations.js';
import { Unplanned, type FieldText, type PlanRun } from './texts.js';

/** Place of a selected field: records of `list`, which have the type `type`. */
interface Place {
  readonly schema: GraphQLSchema;
  readonly type: GraphQLObjectType;
  readonly list: List<unknown>;
  readonly fragments: Fragments;
}

/**
 * A field of records that only resolvers can read, selected by `nodes`. graphql-js executes it for all rows together: for
 * each row once, or as often as the response shows it if the resolvers count what they read. Errors: the first one of a
 * resolver.
 */
export function executedText({ schema, type, list, fragments }: Place, nodes: Nodes): FieldText<ListRow> {
  const [{ alias, name }] = nodes;
  const { value: key } = alias ?? name;
  const document = documentOf(type, nodes, fragments);
  let isCounted = false;
  return {
    texts: async (run, rows, times) => {
      const records = rows.map((row) => run.recordOf(list, row));
      const results = async (copies: readonly number[]) => {
        const shown = records.flatMap((record, index) => new Array<unknown>(copies[index] ?? 0).fill(record));
        const all = await executed(run, recordsSchema(schema), document, type.name, shown);
        let place = 0;
        return copies.map((each) => {
          const result = all[place];
          place += each;
          return result;
        });
      };
      const { counters } = run.context;
      const before = { ...counters };
      const wasCounted = isCounted;
      let found = await results(wasCounted ? times : times.map(() => 1));
      const hasCounted = counters.nodes !== before.nodes || counters.entries !== before.entries;
      if (!wasCounted && hasCounted && times.some((each) => each !== 1)) {
        isCounted = true;
        Object.assign(counters, before);
        found = await results(times);
      }
      return await run.textOfEach(found, (result) => JSON.stringify(result?.[key]));
    },
  };
}

async function executed(
  { context, variables }: PlanRun,
  schema: GraphQLSchema,
  document: DocumentNode,
  name: string,
  records: readonly unknown[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { data, errors } = await execute({
    schema,
    document,
    rootValue: { [name]: await context.loaders.rendered(records) },
    variableValues: variables,
    contextValue: context,
  });
  if (data == null || errors !== undefined) {
    throw errors?.[0]?.originalError ?? new Unplanned('An error of graphql-js');
  }
  return data[name] as Readonly<Record<string, unknown>>[];
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
  const variables = [...new Set(text.match(/\$[_a-z]\w*/gi))].map((name) => `${name}: ${JsonValue.name}`);
  return parse(`query ${variables.length === 0 ? '' : `(${variables.join()})`} ${text}`, {
    noLocation: true,
  });
}
