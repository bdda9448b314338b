import {
  Arg,
  Field,
  Int,
  ObjectType,
  Resolver,
  Root,
  Subscription,
  type SubscribeResolverData,
} from 'type-graphql';

import type { FollowArgs, GraphqlContext } from '../../graphql/execution/context.js';
import type { FilterInput } from '../../graphql/schema/filter.js';
import { TransactionList, TransactionNode } from './transaction.graphql.js';
import type { Transaction } from './transaction.model.js';
import { transactionArrivals } from './transaction.totals.service.js';

@ObjectType({
  simpleResolvers: true,
  description: 'A transaction that was recorded, and its place in their order.',
})
class RecordedTransaction {
  @Field(() => Int, { description: 'Place in the order in which they were recorded; grows, with gaps.' })
  sequence!: number;

  @Field(() => TransactionNode, { description: 'As it is now.' })
  transaction!: Transaction;
}

@Resolver()
export class TransactionRecordedResolver {
  @Subscription(() => RecordedTransaction, {
    description: 'Transactions of the company, in the order and at the time they are recorded.',
    subscribe: ({ args, context }: SubscribeResolverData<unknown, FollowArgs, GraphqlContext>) =>
      context.follow(transactionArrivals, args),
  })
  transactionRecorded(
    @Root() transaction: Transaction,
    @Arg('filter', () => TransactionList.Filter, { nullable: true, description: 'Only what meets this.' })
    _filter: FilterInput | null,
    @Arg('after', () => Int, {
      nullable: true,
      description: 'The sequence after which to begin; from now on where there is none.',
    })
    _after: number | null,
  ) {
    return { sequence: transaction.id, transaction };
  }
}
