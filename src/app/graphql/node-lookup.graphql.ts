import { entityTypeOf, historyField, LedgerEntryType } from '../../domain/base/ledger/ledger.graphql.js';
import type { LedgerEntry } from '../../domain/base/ledger/ledger.service.js';
import { SearchResultType } from '../../domain/base/search/search.graphql.js';
import type { Found } from '../../domain/base/search/search.model.js';
import { auditedTypes } from '../../domain/people/user/user.graphql.js';
import * as g from '../../graphql/index.js';
import * as modules from './graphql-modules.js';

/** Lists from which the records of each type are read, by type name. */
export const nodeSources = new Map(
  g.graphqlModule(...Object.values(modules)).nodes.map((source) => [source.list.name, source]),
);

const MAX_NODES = 100;

/** A record as a `Node`; null without a source, and if the company has none with this id. */
async function readNode(
  ctx: g.GraphqlContext,
  source: g.GraphqlModule['nodes'][number] | undefined,
  number: number | null,
): Promise<object | null> {
  if (source === undefined) return null;
  const record = await ctx.one(source.list, number, source.scope);
  return record && { ...record, __typename: source.list.name };
}

/** The record with a global id, of any type; null if the company has none. */
async function nodeOf(ctx: g.GraphqlContext, globalId: string): Promise<object | null> {
  const parsed = g.parseGlobalId(globalId);
  return parsed === undefined ? null : await readNode(ctx, nodeSources.get(parsed.typeName), parsed.id);
}

const node = g.query('node', {
  field: g.object.orNull(g.Node, 'A record of any type by its global id. Null if the company has none.'),
  args: { id: g.id('Global id of the record.') },
  resolve: (_source, ctx, args) => nodeOf(ctx, args.id),
});

const nodes = g.query('nodes', {
  field: {
    ...g.object.list(
      g.Node,
      'Records of any types, in the order of their ids. Null for each id that the company does not have.',
    ),
    isNullable: 'items',
  },
  args: { ids: g.id.list(`Global ids of the records, at most ${MAX_NODES}.`) },
  resolve: (_source, ctx, { ids }) => {
    if (ids.length > MAX_NODES)
      throw g.requestError(`nodes takes at most ${MAX_NODES} ids, not ${ids.length}.`);
    return ids.map((each) => nodeOf(ctx, each));
  },
});

/** Lists by the entity type of their records in the ledger: `app_version` for `AppVersion`. */
const sourcesByEntityType = new Map(
  [...nodeSources.values()].map((source) => [source.entityType ?? entityTypeOf(source.list.name), source]),
);

const entity = g.computed(
  g.object.orNull(
    g.Node,
    'The changed record as it is now. Null if it was deleted, or if records of `entityType` have no global id.',
  ),
  ({ entityType, entityId }: LedgerEntry, ctx) =>
    readNode(ctx, sourcesByEntityType.get(entityType), entityId),
);

const found = g.computed(
  g.object.orNull(g.Node, 'The record. Null if the caller may not read it.'),
  ({ type, id }: Found, ctx) => readNode(ctx, nodeSources.get(type), id),
);

const histories = [...auditedTypes].map(([name, Type]) =>
  g.fields(Type, { history: historyField(entityTypeOf(name)) }),
);

export const nodeLookupGraphql = g.graphqlModule(
  node,
  nodes,
  g.fields(LedgerEntryType, { entity }),
  g.fields(SearchResultType, { record: found }),
  ...histories,
);
