import { Arg, Int, Resolver, Root, Subscription, type SubscribeResolverData } from 'type-graphql';

import {
  choice,
  computed,
  enumeration,
  graphqlModule,
  fields,
  instant,
  listTypes,
  many,
  nodeType,
  nullable,
  object,
  queries,
  text,
  int,
  objectType,
  type FilterInput,
  type FollowArgs,
  type GraphqlContext,
} from '../../../graphql/index.js';
import { DeviceType } from '../../fleet/device/device.graphql.js';
import { LogicalNumberType } from '../../fleet/logical-number/logical-number.graphql.js';
import { AppType } from '../../software/app/app.graphql.js';
import { ParsedPaymentType } from './parsed-payment.graphql.js';
import {
  transactions,
  transactionsOfDevice,
  transactionsOfLogicalNumber,
  transactionNewRows,
} from './transaction-totals.service.js';
import type { Transaction } from './transaction.model.js';
import { appsOf, devicesOf } from './transaction.service.js';

export const TransactionStatus = enumeration<Transaction['status']>(
  'TransactionStatus',
  'State of a transaction.',
  { success: 'It ended successfully.', running: 'It has not ended yet.', fail: 'It failed.' },
);

export const TransactionKind = enumeration<Transaction['transactionType']>(
  'TransactionType',
  'Kind of an operation of a device.',
  {
    company: 'A release.',
    switch: 'A transaction with a host, such as a payment.',
    get_asset: 'A download.',
  },
);

export const TransactionType = nodeType<Transaction>(
  'Transaction',
  'An operation of a device. Card numbers are truncated.',
  {
    transactionType: choice(TransactionKind, 'Release, transaction or download.'),
    serialNumber: text('Serial number of the device, as recorded.'),
    logicalNumber: text('Logical number that the device worked under, as recorded.'),
    appName: text('Name of the app that ran, as recorded.'),
    detail: text('Additional details. Empty if there are none.'),
    frameworkVersion: nullable(text('Version of the framework on the device. Null if it was not reported.')),
    status: choice(TransactionStatus, 'State of the transaction.'),
    sent: nullable(text('Data sent to the host. Null if none was sent.')),
    received: nullable(text('Data received from the host. Null if none was received.')),
    parsed: nullable(
      object(
        ParsedPaymentType,
        'The payment. Null unless a financial app recorded it and the status is SUCCESS.',
      ),
    ),
    startedAt: instant('When the transaction started.'),
    finishedAt: nullable(instant('When the transaction ended. Null while it is running.')),
    reference: nullable(
      text('Name of the transaction at its source, unique for its serial number. Null if none.'),
    ),
  },
);

export const TransactionList = listTypes(transactions, TransactionType, {
  status: TransactionStatus,
  transactionType: TransactionKind,
});

const NEWEST_FIRST = { field: 'STARTED_AT', direction: 'desc' } as const;

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

/** A filter that few transactions meet reads many: nine such fields use up the cost of one operation. */
const FILTER_COST = 1_000;

export const transactionGraphql = graphqlModule(
  TransactionRecorded,
  queries(TransactionList, {
    order: NEWEST_FIRST,
    listDescription: 'All transactions of the company, newest first by default.',
    filterCost: FILTER_COST,
  }),
  fields(TransactionType, {
    device: computed(
      nullable(object(DeviceType, 'Device with this serial number. Null if the company has none now.')),
      (transaction, ctx) => ctx.related(devicesOf, transaction),
    ),
    app: computed(
      nullable(object(AppType, 'App with this name. Null if the company has none now.')),
      (transaction, ctx) => ctx.related(appsOf, transaction),
    ),
  }),
  fields(DeviceType, {
    transactions: many(
      TransactionList,
      transactionsOfDevice,
      'serialNumber',
      'Transactions recorded under the serial number of the device, newest first by default.',
      { order: NEWEST_FIRST },
    ),
  }),
  fields(LogicalNumberType, {
    transactions: many(
      TransactionList,
      transactionsOfLogicalNumber,
      'number',
      'Transactions recorded under the number, newest first by default.',
      { order: NEWEST_FIRST },
    ),
  }),
);
