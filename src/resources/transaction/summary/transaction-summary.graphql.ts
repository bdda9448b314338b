import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  Int,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';

import type { GraphqlContext } from '../../../graphql/execution/context.js';
import { counts } from '../../../graphql/schema/counts.js';
import { conditionOf, type FilterInput } from '../../../graphql/schema/filter.js';
import { DateTime, SafeInt } from '../../../graphql/schema/scalars.js';
import { GroupType } from '../../group/group.graphql.js';
import { groups } from '../../group/group.service.js';
import { STATUSES, TransactionList, TYPES } from '../transaction.graphql.js';
import {
  MAX_READ,
  MAX_ROWS,
  type Bucket,
  type Dimension,
  type SummaryRow,
} from './transaction-summary.model.js';
import { summarizeTransactions } from './transaction-summary.service.js';
import { transactions } from '../transaction.totals.service.js';

/** Ten in one operation: each may read as much as a long list. */
const SUMMARY_COST = 1_000;

const BUCKETS: Readonly<Record<Uppercase<Bucket>, Bucket>> = { HOUR: 'hour', DAY: 'day', NONE: 'none' };
registerEnumType(BUCKETS, {
  name: 'TransactionSummaryBucket',
  description: 'Stretches of time that a summary tells apart.',
  valuesConfig: {
    HOUR: { description: 'Hours.' },
    DAY: { description: 'Days, UTC.' },
    NONE: { description: 'None: the interval as a whole.' },
  },
});

const DIMENSIONS: Readonly<Record<string, Dimension>> = {
  STATUS: 'status',
  TRANSACTION_TYPE: 'transactionType',
  APP_NAME: 'appName',
  LOGICAL_NUMBER: 'logicalNumber',
  GROUP: 'group',
};
registerEnumType(DIMENSIONS, {
  name: 'TransactionSummaryDimension',
  description: 'What a summary tells apart besides time.',
  valuesConfig: {
    STATUS: { description: 'How transactions ended, if they have.' },
    TRANSACTION_TYPE: { description: 'Releases, transactions and downloads.' },
    APP_NAME: { description: 'Applications, by their names of then.' },
    LOGICAL_NUMBER: { description: 'Logical numbers, as they were then.' },
    GROUP: { description: 'Groups that the logical numbers belong to now.' },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: 'Transactions that have in common what the summary tells apart; what it does not is null.',
})
class TransactionSummaryRow {
  @Field(() => DateTime, {
    nullable: true,
    description: 'When its hour or day begins; null without buckets.',
  })
  bucketStart!: Date | null;

  @Field(() => STATUSES, { nullable: true, description: 'How they ended, if they have.' })
  status!: SummaryRow['status'];

  @Field(() => TYPES, { nullable: true, description: 'Releases, transactions or downloads.' })
  transactionType!: SummaryRow['transactionType'];

  @Field(() => String, { nullable: true, description: 'Application that originated them.' })
  appName!: string | null;

  @Field(() => String, { nullable: true, description: 'Logical number, as it was then.' })
  logicalNumber!: string | null;

  @Field(() => Int, { description: 'Number of transactions.' })
  count!: number;

  @Field(() => SafeInt, {
    description:
      'Cents: the sum of parsed.amount of all those that have one, approved or denied, payments and cancellations alike.',
  })
  amountTotal!: number;
}

@Resolver(() => TransactionSummaryRow)
export class TransactionSummaryResolver {
  @counts(SUMMARY_COST)
  @Query(() => [TransactionSummaryRow], {
    description: `Transactions in numbers, in order of time and of the names; rows of nothing are left out. At most ${MAX_ROWS} rows. By logical number, by group, or with a filter on anything but time, status, type and app, the hours of the interval may have at most ${MAX_READ} transactions, unless the filter names serial or logical numbers. Counts as ${SUMMARY_COST} records.`,
  })
  transactionSummary(
    @Ctx() ctx: GraphqlContext,
    @Arg('filter', () => TransactionList.Filter, { nullable: true, description: 'Only what meets this.' })
    filter: FilterInput | null | undefined,
    @Arg('bucket', () => BUCKETS, { defaultValue: BUCKETS.NONE, description: 'Stretches of UTC time.' })
    bucket: Bucket,
    @Arg('by', () => [DIMENSIONS], { defaultValue: [], description: 'What is told apart besides time.' })
    by: Dimension[],
  ) {
    const where = conditionOf(transactions, filter);
    return ctx.loadOnce(summarizeTransactions, { where, bucket, by });
  }

  @FieldResolver(() => GroupType, {
    nullable: true,
    description:
      'Group that the logical number belongs to now; also null where it belongs to none, or is no longer there.',
  })
  group(@Root() { groupId }: SummaryRow, @Ctx() ctx: GraphqlContext) {
    return ctx.one(groups, groupId);
  }
}
