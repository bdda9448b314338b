import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';

import { LedgerEntryType } from '../../domain/base/ledger-entry/ledger-entry.graphql.js';
import {
  Node,
  parseGlobalId,
  requestError,
  type GraphqlModule,
  type GraphqlContext,
  computed,
  fields,
  nullable,
  object,
} from '../../graphql/index.js';
import { GRAPHQL_MODULES } from './graphql-modules.js';

/** Where the records of each type are read from, by type name. */
export const nodeSources = new Map(
  GRAPHQL_MODULES.flatMap((graphqlModule) => graphqlModule.nodes).map((source) => [source.list.name, source]),
);

const MAX_NODES = 100;

/** A record as a `Node`; null without a source, and if the company has none with this id. */
async function readNode(
  ctx: GraphqlContext,
  source: GraphqlModule['nodes'][number] | undefined,
  id: number | null,
): Promise<Node | null> {
  if (source === undefined) return null;
  const record = await ctx.one(source.list, id, source.scope);
  return record && ({ ...record, __typename: source.list.name } as unknown as Node);
}

/** The record with a global id, of any type; null if the company has none. */
async function nodeOf(ctx: GraphqlContext, globalId: string): Promise<Node | null> {
  const parsed = parseGlobalId(globalId);
  return parsed === undefined ? null : await readNode(ctx, nodeSources.get(parsed.typeName), parsed.id);
}

@Resolver()
export class NodeLookup {
  @Query(() => Node, {
    nullable: true,
    description: 'A record of any type by its global id. Null if the company has none.',
  })
  node(
    @Arg('id', () => ID, { description: 'Global id of the record.' }) id: string,
    @Ctx() ctx: GraphqlContext,
  ) {
    return nodeOf(ctx, id);
  }

  @Query(() => [Node], {
    nullable: 'items',
    description:
      'Records of any types, in the order of their ids. Null for each id that the company does not have.',
  })
  nodes(
    @Arg('ids', () => [ID], { description: `Global ids of the records, at most ${MAX_NODES}.` })
    ids: string[],
    @Ctx() ctx: GraphqlContext,
  ) {
    if (ids.length > MAX_NODES)
      throw requestError(`nodes takes at most ${MAX_NODES} ids, not ${ids.length}.`);
    return ids.map((id) => nodeOf(ctx, id));
  }
}

/** Where the records of each type are read from, by their entity type in the ledger: `app_version` for `AppVersion`. */
const sourcesByEntityType = new Map(
  [...nodeSources.values()].map((source) => [source.entityType ?? snakeCase(source.list.name), source]),
);

function snakeCase(typeName: string): string {
  return typeName.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

export const ledgerEntityGraphql = fields(LedgerEntryType, {
  entity: computed(
    nullable(
      object(
        Node,
        'The changed record as it is now. Null if it was deleted, or if records of `entityType` have no global id.',
      ),
    ),
    ({ entityType, entityId }, ctx) => readNode(ctx, sourcesByEntityType.get(entityType), entityId),
  ),
});
