import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';

import type { List } from '../database/list/list.js';
import type { Scope } from '../platform/caller.js';
import { apiTokens } from '../resources/access-token/access-token.service.js';
import { appVersions } from '../resources/app-version/app-version.service.js';
import { apps } from '../resources/app/app.service.js';
import { companies } from '../resources/company/company.service.js';
import { devices } from '../resources/device/device.service.js';
import { files } from '../resources/file/file.service.js';
import { groups } from '../resources/group/group.service.js';
import { ledgerEntries } from '../resources/ledger-entry/ledger-entry.service.js';
import { logicalNumbers } from '../resources/logical-number/logical-number.service.js';
import { metacontentList } from '../resources/metacontent/metacontent.service.js';
import { notifications } from '../resources/notification/notification.service.js';
import { parameterList } from '../resources/parameter/parameter.service.js';
import { transactions } from '../resources/transaction/transaction.totals.service.js';
import { users } from '../resources/user/user.service.js';
import type { GraphqlContext } from '../graphql/execution/context.js';
import { requestError } from '../graphql/schema/errors.js';
import { Node, parseGlobalId } from '../graphql/schema/node.js';

interface Source {
  readonly list: List<object>;
  /** The right that looking one up takes. */
  readonly scope: Scope;
}

/** Where the records of each type are. */
const SOURCES: readonly Source[] = [
  { list: companies, scope: 'read' },
  { list: users, scope: 'admin' },
  { list: apiTokens, scope: 'admin' },
  { list: groups, scope: 'read' },
  { list: logicalNumbers, scope: 'read' },
  { list: devices, scope: 'read' },
  { list: apps, scope: 'read' },
  { list: appVersions, scope: 'read' },
  { list: files, scope: 'read' },
  { list: parameterList, scope: 'read' },
  { list: metacontentList, scope: 'read' },
  { list: notifications, scope: 'read' },
  { list: transactions, scope: 'read' },
  { list: ledgerEntries, scope: 'admin' },
];

const sourceOf = new Map(SOURCES.map((source) => [source.list.name, source]));

const MAX_NODES = 100;

/** The record behind an id, whatever it is of; null where the company has none. */
async function nodeOf(ctx: GraphqlContext, id: string): Promise<object | null> {
  const parsed = parseGlobalId(id);
  const source = parsed && sourceOf.get(parsed.typeName);
  if (source === undefined) return null;
  const record = await ctx.one(source.list, parsed?.id ?? null, source.scope);
  return record && { ...record, __typename: parsed?.typeName };
}

@Resolver()
export class NodeResolver {
  @Query(() => Node, { nullable: true, description: 'Anything by its id; null where there is none.' })
  node(@Arg('id', () => ID, { description: 'Its id.' }) id: string, @Ctx() ctx: GraphqlContext) {
    return nodeOf(ctx, id);
  }

  @Query(() => [Node], {
    nullable: 'items',
    description: `Up to ${MAX_NODES} things by their ids, in that order; null for those that are not there.`,
  })
  nodes(@Arg('ids', () => [ID], { description: 'Their ids.' }) ids: string[], @Ctx() ctx: GraphqlContext) {
    if (ids.length > MAX_NODES)
      throw requestError(`nodes takes at most ${MAX_NODES} ids, not ${ids.length}.`);
    return ids.map((id) => nodeOf(ctx, id));
  }
}
