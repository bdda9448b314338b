import * as g from '../../../../graphql/index.js';
import { BUCKET_MEANINGS, type Bucket } from '../../../../platform/buckets.js';
import { DomainError } from '../../../../platform/errors.js';
import { orProblem } from '../../../../platform/validate.js';
import { GroupList } from '../../../fleet/group/group.graphql.js';
import {
  PaymentStatus,
  TransactionKind,
  TransactionList,
  TransactionStatus,
} from '../transaction.graphql.js';
import { MAX_KINDS } from '../transaction.model.js';
import { transactions } from '../transaction.service.js';
import {
  ALL_ROWS,
  MAX_READ,
  MAX_ROWS,
  MAX_ZONED_YEARS,
  paymentsOf,
  type SummaryOrder,
  type Dimension,
  type SummaryRow,
} from './transaction-summary.model.js';
import {
  searchOfSummary,
  summarizeTransactions,
  type SummaryRequest,
} from './transaction-summary.service.js';

/** A summary may read as much as a long list: ten of them use up the cost of one operation. */
const SUMMARY_COST = 1_000;

const SummaryBucket = g.enumeration<Bucket>(
  'TransactionSummaryBucket',
  'Time interval of a row of a summary.',
  BUCKET_MEANINGS,
);

const SummaryDimension = g.enumeration<Dimension>(
  'TransactionSummaryDimension',
  'A property by which a summary groups transactions.',
  {
    status: 'By `status`.',
    transactionType: 'By `transactionType`.',
    appName: 'By `appName`, as recorded.',
    logicalNumber: 'By `logicalNumber`, as recorded.',
    serialNumber: 'By `serialNumber` of the terminal, as recorded.',
    group: 'By the group that the logical number belonged to when the transaction was recorded.',
    paymentStatus: 'By `parsed.status`.',
    paymentType: 'By `parsed.type`. The types of rare payments are summed up as `other`, see BRAND.',
    brand: `By \`parsed.card.brand\`. Of each UTC month, the first ${MAX_KINDS} combinations of payment type, brand and acquirer have their names; type, brand and acquirer of all later ones are \`other\`.`,
    acquirer: 'By `parsed.acquirer`. The acquirers of rare payments are summed up as `other`, see BRAND.',
    installments: 'By `parsed.installment.quantity`.',
    paymentMethod: 'By `parsed.paymentMethod`.',
    captureMethod: 'By `parsed.captureMethod`.',
    statusReason: 'By `parsed.statusReason`.',
  },
);

const OrderInput = g.inputType(
  'TransactionSummaryOrder',
  'Order of the rows of a summary. Rows that are equal in it are in the order of time and then of their properties.',
  {
    field: g.choice(
      g.enumeration<SummaryOrder['field']>('TransactionSummaryOrderField', 'What rows are ordered by.', {
        time: 'By `bucketStart`.',
        count: 'By `count`.',
        approvedCount: 'By `approvedCount`.',
        deniedCount: 'By `deniedCount`.',
        deniedPercent: 'By `deniedPercent`. Rows without a payment come last in both directions.',
        amountTotal: 'By `amountTotal`.',
        approvedAmount: 'By `approvedAmount`.',
        deniedAmount: 'By `deniedAmount`.',
      }),
      'What rows are ordered by.',
    ),
    direction: { ...g.choice(g.OrderDirection, 'Direction of the order.'), defaultValue: 'asc' },
  },
);

const ONLY_BY = (dimension: string) => `Null unless the summary is by ${dimension}.`;
const PAID_BY = (dimension: string) => `${ONLY_BY(dimension)} Also null without a payment, or if unknown.`;

const SummaryRowType = g.objectType<SummaryRow, 'groupId'>(
  'TransactionSummaryRow',
  'Number and amount of the transactions with the same time interval and properties.',
  {
    bucketStart: g.instant.orNull(
      'First instant of the hour, day, week or month in the time zone of the summary. Null with the bucket NONE.',
    ),
    bucketEnd: g.instant.orNull(
      'First instant after the hour, day, week or month: `startedAt: { gte: bucketStart, lt: bucketEnd }` selects its transactions. Null with the bucket NONE.',
    ),
    status: g.choice.orNull(TransactionStatus, `State of the transactions. ${ONLY_BY('STATUS')}`),
    transactionType: g.choice.orNull(
      TransactionKind,
      `Release, transaction or download. ${ONLY_BY('TRANSACTION_TYPE')}`,
    ),
    appName: g.text.orNull(`Name of the app, as recorded. ${ONLY_BY('APP_NAME')}`),
    logicalNumber: g.text.orNull(`Logical number, as recorded. ${ONLY_BY('LOGICAL_NUMBER')}`),
    serialNumber: g.text.orNull(`Serial number of the terminal, as recorded. ${ONLY_BY('SERIAL_NUMBER')}`),
    paymentStatus: g.choice.orNull(PaymentStatus, `Decision of the authorizer. ${PAID_BY('PAYMENT_STATUS')}`),
    paymentType: g.text.orNull(`Kind of payment, or \`other\`. ${PAID_BY('PAYMENT_TYPE')}`),
    brand: g.text.orNull(`Brand of the card, or \`other\`. ${PAID_BY('BRAND')}`),
    acquirer: g.text.orNull(`Name of the acquirer, or \`other\`. ${PAID_BY('ACQUIRER')}`),
    installments: g.int.orNull(`Number of installments. ${PAID_BY('INSTALLMENTS')}`),
    paymentMethod: g.text.orNull(`Debit or credit. ${PAID_BY('PAYMENT_METHOD')}`),
    captureMethod: g.text.orNull(`How the card was read. ${PAID_BY('CAPTURE_METHOD')}`),
    statusReason: g.text.orNull(`Response code of the authorizer. ${PAID_BY('STATUS_REASON')}`),
    count: g.int('Number of transactions.'),
    approvedCount: g.int('Number of approved payments, without those that cancel or refund others.'),
    deniedCount: g.int('Number of denied payments, denied cancellations included.'),
    cancelledCount: g.int('Number of approved cancellations and refunds, see `cancelledAmount`.'),
    amountTotal: g.safeInt(
      'Sum of `parsed.amount` in cents, over approved, denied and cancelled payments alike: `approvedAmount`, `deniedAmount` and `cancelledAmount` together. Transactions without a payment count as 0.',
    ),
    approvedAmount: g.safeInt(
      'Sum of the approved payments in cents, without those that cancel or refund others.',
    ),
    deniedAmount: g.safeInt('Sum of the denied payments in cents, denied cancellations included.'),
    cancelledAmount: g.safeInt(
      'Sum of the approved cancellations and refunds in cents: payments of type `cancellation` or `refund`, or with an `nsuReference`.',
    ),
  },
);

const ARGS = {
  filter: g.object.orNull(TransactionList.Filter, 'Only transactions for which this holds.'),
  bucket: { ...g.choice(SummaryBucket, 'Time interval of a row.'), defaultValue: 'none' },
  by: {
    ...g.choice.list(
      SummaryDimension,
      'Properties to group by, besides time. Empty for one row for each time interval.',
    ),
    defaultValue: [],
  },
  timeZone: g.text.orNull(
    'IANA name of the time zone of hours, days, weeks and months, for example America/Sao_Paulo. UTC if null.',
  ),
  orderBy: g.object.orNull(OrderInput, 'Order of the rows; by time if null.'),
  first: g.int.orNull(
    `Maximum number of rows: 1 to ${MAX_ROWS}. All rows if null, if they are not more than ${MAX_ROWS}.`,
  ),
  skip: { ...g.int('Rows to skip, for pages: goes with `first`.'), defaultValue: ALL_ROWS.skip },
  minPayments: {
    ...g.int(
      'Only rows with at least so many payments. Otherwise the first by DENIED_PERCENT are those with a single denied payment.',
    ),
    defaultValue: ALL_ROWS.minPayments,
  },
  emptyBuckets: {
    ...g.flag(
      'Whether each hour, day, week or month without a transaction has a row with zeros and without properties: in the interval that the filter gives to `startedAt`, or from the first to the last transaction where an end is open. Not with `first`, `minPayments`, the bucket NONE, or another order than TIME.',
    ),
    defaultValue: ALL_ROWS.emptyBuckets,
  },
};

type SummaryArgs = g.ValuesOf<typeof ARGS>;

const requestOf = ({ filter, timeZone, orderBy, first, ...args }: SummaryArgs): SummaryRequest => ({
  ...args,
  where: g.conditionOf(transactions, filter),
  timeZone: timeZone ?? null,
  order: orderBy ?? ALL_ROWS.order,
  first: first ?? null,
});

/** Nothing for arguments that the field refuses. */
function searchesBy(args: SummaryArgs): readonly ReturnType<typeof searchOfSummary>[] {
  const search = orProblem(() => searchOfSummary(requestOf(args)));
  return search instanceof DomainError ? [] : [search];
}

const transactionSummary = g.query('transactionSummary', {
  field: g.object.list(
    SummaryRowType,
    [
      'Numbers and amounts of transactions, ordered by time and then by properties. The properties of a row, and its `bucketStart` and `bucketEnd`, are filters of `transactions`: these find what the row counts, `isNull: true` where a property is null.',
      `Combinations without transactions have no row. At most ${MAX_ROWS} rows, or pages of them with \`first\` and \`skip\`.`,
      'Totals are kept by APP_NAME, by GROUP and PAYMENT_STATUS, by INSTALLMENTS and PAYMENT_STATUS, and by PAYMENT_TYPE, BRAND, ACQUIRER and PAYMENT_STATUS, each with STATUS and TRANSACTION_TYPE.',
      'A summary by LOGICAL_NUMBER, SERIAL_NUMBER or other combinations, or with a filter on a field that is not among those of one of them,',
      `covers at most ${MAX_READ} transactions, unless the filter names serial or logical numbers with eq or in.`,
      `With a time zone, it covers at most ${MAX_ZONED_YEARS} years. In a zone whose days begin at other minutes of UTC than 0 and 30, as in Kathmandu, it reads the transactions of the half hours in which days begin, or of all hours with the bucket HOUR.`,
      `Adds ${SUMMARY_COST} records to the cost of the operation.`,
    ].join(' '),
  ),
  args: ARGS,
  counts: SUMMARY_COST,
  searches: searchesBy,
  resolve: async (_source, ctx, args) =>
    ctx.loaders.rendered(await ctx.loadSelected(summarizeTransactions, requestOf(args))),
});

export const transactionSummaryGraphql = g.graphqlModule(
  transactionSummary,
  g.fields(SummaryRowType, {
    netAmount: g.computed(
      g.safeInt('`approvedAmount` minus `cancelledAmount`, in cents. Negative if more was cancelled.'),
      ({ approvedAmount, cancelledAmount }) => approvedAmount - cancelledAmount,
    ),
    deniedPercent: g.computed(
      g.float.orNull('Share of `deniedCount` in all payments, from 0 to 100. Null without a payment.'),
      (row) => (paymentsOf(row) === 0 ? null : (100 * row.deniedCount) / paymentsOf(row)),
    ),
    group: g.one(
      GroupList,
      'groupId',
      `Group that the logical number belonged to when the transactions were recorded. ${ONLY_BY('GROUP')} Also null without a group, or if the group was deleted.`,
    ),
    groupDatabaseId: g.computed(
      g.int.orNull(`Numeric id of this group, also of one that was deleted. ${ONLY_BY('GROUP')}`),
      ({ groupId }) => groupId,
    ),
  }),
);
