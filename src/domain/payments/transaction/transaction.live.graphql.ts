import { Arg, Int, Resolver, Root, Subscription, type SubscribeResolverData } from 'type-graphql';

import {
  graphqlModule,
  int,
  object,
  objectType,
  type FilterInput,
  type FollowArgs,
  type GraphqlContext,
} from '../../../graphql/index.js';
import { transactionNewRows } from './totals/transaction-totals.service.js';
import { TransactionList, TransactionType } from './transaction.graphql.js';
import type { Transaction } from './transaction.model.js';

interface Recorded {
  readonly sequence: number;
  readonly transaction: Transaction;
}

const RecordedTransaction = objectType<Recorded>(
  'RecordedTransaction',
  'A transaction and its position in the order of recording.',
  {
    sequence: int(
      'Position among the recorded transactions of the company. Grows with each one; numbers may be missing.',
    ),
    transaction: object(TransactionType, 'The transaction as it was when the event was sent.'),
  },
);

@Resolver()
class TransactionRecorded {
  @Subscription(() => RecordedTransaction, {
    description: 'Each transaction of the company once it is recorded, in order.',
    subscribe: ({ args, context }: SubscribeResolverData<unknown, FollowArgs, GraphqlContext>) =>
      context.follow(transactionNewRows, args),
  })
  transactionRecorded(
    @Root() transaction: Transaction,
    @Arg('filter', () => TransactionList.Filter, {
      nullable: true,
      description: 'Only transactions for which this holds.',
    })
    _filter: FilterInput | null,
    @Arg('after', () => Int, {
      nullable: true,
      description:
        'Resumes after the transaction with this `sequence`. Without it, only transactions from now on are sent.',
    })
    _after: number | null,
  ): Recorded {
    return { sequence: transaction.id, transaction };
  }
}

export const transactionLiveGraphql = graphqlModule(TransactionRecorded);
