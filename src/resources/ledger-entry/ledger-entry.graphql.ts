import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
  Subscription,
  type SubscribeResolverData,
} from 'type-graphql';

import type { FollowArgs, GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { listTypes } from '../../graphql/schema/list.js';
import { Node } from '../../graphql/schema/node.js';
import { DateTime, JsonValue } from '../../graphql/schema/scalars.js';
import { companies } from '../company/company.service.js';
import { CompanyType } from '../company/company.graphql.js';
import { CHANNELS } from '../user/audited.graphql.js';
import { UserType } from '../user/user.graphql.js';
import { users } from '../user/user.service.js';
import type { LedgerEntry } from './ledger-entry.model.js';
import { ledgerArrivals, ledgerEntries } from './ledger-entry.service.js';

@ObjectType('LedgerEntry', {
  implements: Node,
  simpleResolvers: true,
  description: 'One recorded change: who changed what, when, and what it was before and after.',
})
class LedgerEntryType extends Node {
  @Field(() => Int, { description: 'Place in the order of all changes; grows, with gaps.' })
  sequence!: number;

  @Field(() => DateTime, { description: 'When it happened.' })
  at!: Date;

  @Field(() => CHANNELS, { description: 'By which way it was done.' })
  channel!: LedgerEntry['channel'];

  @Field(() => String, { description: 'What was done: create, update, delete, or the name of an event.' })
  action!: string;

  @Field(() => String, { description: 'What it was done to, for instance logical_number.' })
  entityType!: string;

  @Field(() => Int, { nullable: true, description: 'The databaseId of what it was done to.' })
  entityId!: number | null;

  @Field(() => JsonValue, { nullable: true, description: 'The record before; null where there was none.' })
  before!: object | null;

  @Field(() => JsonValue, { nullable: true, description: 'The record after; null where there is none.' })
  after!: object | null;
}

const LedgerEntryList = listTypes(ledgerEntries, LedgerEntryType);

const BY_SEQUENCE = { field: 'SEQUENCE', direction: 'asc' } as const;

@Resolver(() => LedgerEntryType)
export class LedgerEntryResolver {
  @Query(() => LedgerEntryList.Connection, { description: 'What happened in the company, oldest first.' })
  ledger(@Args(() => LedgerEntryList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(ledgerEntries, args, 'admin', BY_SEQUENCE);
  }

  @Subscription(() => LedgerEntryType, {
    description: 'What happens in the company, in order, as it happens.',
    subscribe: ({ args, context }: SubscribeResolverData<unknown, FollowArgs, GraphqlContext>) =>
      context.follow(ledgerArrivals, args, 'admin'),
  })
  ledgerAppended(
    @Root() entry: LedgerEntry,
    @Arg('after', () => Int, {
      nullable: true,
      description: 'The sequence after which to begin; from now on where there is none.',
    })
    _after: number | null,
  ): LedgerEntry {
    return entry;
  }

  @FieldResolver(() => CompanyType, { nullable: true, description: 'Whose record it is part of.' })
  company(@Root() entry: LedgerEntry, @Ctx() ctx: GraphqlContext) {
    return ctx.one(companies, entry.companyId);
  }

  @FieldResolver(() => UserType, { nullable: true, description: 'Who did it; null where no user did.' })
  actor(@Root() entry: LedgerEntry, @Ctx() ctx: GraphqlContext) {
    return ctx.one(users, entry.userId);
  }
}
