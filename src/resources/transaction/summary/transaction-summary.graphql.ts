import { Arg, Ctx, Query, Resolver } from 'type-graphql';

import {
  choice,
  computed,
  conditionOf,
  counts,
  enumeration,
  examines,
  face,
  fields,
  instant,
  int,
  nullable,
  objectType,
  one,
  safeInt,
  text,
  type FilterInput,
  type GraphqlContext,
} from '../../../graphql/index.js';
import { GroupList } from '../../group/group.graphql.js';
import { TransactionKind, TransactionList, TransactionStatus } from '../transaction.graphql.js';
import { transactions } from '../totals/transaction-totals.service.js';
import {
  MAX_READ,
  MAX_ROWS,
  type Bucket,
  type Dimension,
  type SummaryRow,
} from './transaction-summary.model.js';
import { examinationsOfSummary, summarizeTransactions } from './transaction-summary.service.js';

/** A summary may read as much as a long list: ten of them use up the cost of one operation. */
const SUMMARY_COST = 1_000;

const SummaryBucket = enumeration<Bucket>(
  'TransactionSummaryBucket',
  'Time interval of a row of a summary.',
  {
    hour: 'One hour.',
    day: 'One day in UTC.',
    none: 'The whole time that the filter selects.',
  },
);

const SummaryDimension = enumeration<Dimension>(
  'TransactionSummaryDimension',
  'A property by which a summary groups transactions.',
  {
    status: 'By `status`.',
    transactionType: 'By `transactionType`.',
    appName: 'By `appName`, as recorded.',
    logicalNumber: 'By `logicalNumber`, as recorded.',
    group: 'By the group that the logical number belongs to now.',
  },
);

const ONLY_BY = (dimension: string) => `Null unless the summary is by ${dimension}.`;

const SummaryRowType = objectType<SummaryRow, 'groupId'>(
  'TransactionSummaryRow',
  'Number and amount of the transactions with the same time interval and properties.',
  {
    bucketStart: nullable(instant('Start of the hour or day. Null with the bucket NONE.')),
    status: nullable(choice(TransactionStatus, `State of the transactions. ${ONLY_BY('STATUS')}`)),
    transactionType: nullable(
      choice(TransactionKind, `Release, transaction or download. ${ONLY_BY('TRANSACTION_TYPE')}`),
    ),
    appName: nullable(text(`Name of the app, as recorded. ${ONLY_BY('APP_NAME')}`)),
    logicalNumber: nullable(text(`Logical number, as recorded. ${ONLY_BY('LOGICAL_NUMBER')}`)),
    count: int('Number of transactions.'),
    amountTotal: safeInt(
      'Sum of `parsed.amount` in cents, over approved, denied and cancelled payments alike: `approvedAmount`, `deniedAmount` and `cancelledAmount` together. Transactions without a payment count as 0.',
    ),
    approvedAmount: safeInt(
      'Sum of the approved payments in cents, without those that cancel or refund others.',
    ),
    deniedAmount: safeInt('Sum of the denied payments in cents, denied cancellations included.'),
    cancelledAmount: safeInt(
      'Sum of the approved cancellations and refunds in cents: payments of type `cancellation` or `refund`, or with an `nsuReference`.',
    ),
  },
);

interface SummaryArgs {
  readonly filter?: FilterInput | null;
  readonly bucket: Bucket;
  readonly by: readonly Dimension[];
}

@Resolver()
class TransactionSummary {
  @counts(SUMMARY_COST)
  @examines(({ filter, bucket, by }: SummaryArgs) =>
    examinationsOfSummary({ where: conditionOf(transactions, filter), bucket, by }),
  )
  @Query(() => [SummaryRowType], {
    description: [
      'Numbers and amounts of transactions, ordered by time and then by properties.',
      `Combinations without transactions have no row. At most ${MAX_ROWS} rows.`,
      'A summary by LOGICAL_NUMBER or GROUP, or with a filter on anything but startedAt, status, transactionType and appName,',
      `covers at most ${MAX_READ} transactions, unless the filter names serial or logical numbers with eq or in.`,
      `Adds ${SUMMARY_COST} records to the cost of the operation.`,
    ].join(' '),
  })
  async transactionSummary(
    @Ctx() ctx: GraphqlContext,
    @Arg('filter', () => TransactionList.Filter, {
      nullable: true,
      description: 'Only transactions for which this holds.',
    })
    filter: FilterInput | null | undefined,
    @Arg('bucket', () => SummaryBucket.values, {
      defaultValue: 'none',
      description: 'Time interval of a row.',
    })
    bucket: Bucket,
    @Arg('by', () => [SummaryDimension.values], {
      defaultValue: [],
      description: 'Properties to group by, besides time. Empty for one row for each time interval.',
    })
    by: Dimension[],
  ) {
    const where = conditionOf(transactions, filter);
    const request = { where, bucket, by };
    return ctx.loaders.rendered(
      await ctx.loadExamining(summarizeTransactions, request, examinationsOfSummary),
    );
  }
}

export const transactionSummaryFace = face(
  TransactionSummary,
  fields(SummaryRowType, {
    netAmount: computed(
      safeInt('`approvedAmount` minus `cancelledAmount`, in cents. Negative if more was cancelled.'),
      ({ approvedAmount, cancelledAmount }) => approvedAmount - cancelledAmount,
    ),
    group: one(
      GroupList,
      'groupId',
      `Group that the logical number belongs to now. ${ONLY_BY('GROUP')} Also null if the number has no group or was deleted.`,
    ),
  }),
);
