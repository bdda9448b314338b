import * as g from '../../../graphql/index.js';
import { DeviceType } from '../../fleet/device/device.graphql.js';
import { findDevicesBySerialNumbers } from '../../fleet/device/device.service.js';
import { LogicalNumberType } from '../../fleet/logical-number/logical-number.graphql.js';
import { AppType } from '../../software/app/app.graphql.js';
import { findAppsByNames } from '../../software/app/app.service.js';
import type { ParsedPayment, Transaction } from './transaction.model.js';
import * as service from './transaction.service.js';

export const TransactionStatus = g.enumeration<Transaction['status']>(
  'TransactionStatus',
  'State of a transaction.',
  { success: 'It ended successfully.', running: 'It has not ended yet.', fail: 'It failed.' },
);

export const TransactionKind = g.enumeration<Transaction['transactionType']>(
  'TransactionType',
  'Kind of an operation of a device.',
  {
    company: 'A release.',
    switch: 'A transaction with a host, such as a payment.',
    get_asset: 'A download.',
  },
);

export const PaymentStatus = g.enumeration<ParsedPayment['status']>(
  'PaymentStatus',
  'Decision of the authorizer.',
  { approved: 'The payment was approved.', denied: 'The payment was denied.' },
);

const Installment = g.objectType<ParsedPayment['installment']>('Installment', 'Installments of a payment.', {
  type: g.text.orNull('Who finances the installments: merchant, issuer or another. Null if unknown.'),
  quantity: g.int.orNull('Number of installments. Null if the payment has none, or it is unknown.'),
});

const PaymentCard = g.objectType<NonNullable<ParsedPayment['card']>>(
  'PaymentCard',
  'The card of a payment. Its full number is not stored.',
  {
    holderName: g.text.orNull('Name of the card holder. Null if unknown.'),
    brand: g.text.orNull('Brand: mastercard, visa, amex or another. Null if unknown.'),
    expirationDate: g.text.orNull('Month and year, for example 0131. Null if unknown.'),
    firstDigits: g.text.orNull('First digits of the number, at most 6. Null if unknown.'),
    lastDigits: g.text.orNull('Last digits of the number, at most 4. Null if unknown.'),
  },
);

const Merchant = g.objectType<ParsedPayment['merchant']>('Merchant', 'The merchant that was paid.', {
  id: g.text.orNull('Id of the merchant at the acquirer. Null if unknown.'),
  document: g.text.orNull('CNPJ or CPF of the merchant. Null if unknown.'),
  name: g.text.orNull('Name of the merchant. Null if unknown.'),
});

const ParsedPaymentType = g.objectType<ParsedPayment>(
  'ParsedPayment',
  'A payment, in one form for all financial protocols.',
  {
    acquirer: g.text.orNull('Name of the acquirer. Null if unknown.'),
    type: g.text('Kind of payment: sale, cancellation, refund or another.'),
    status: g.choice(PaymentStatus, 'Decision of the authorizer.'),
    statusReason: g.text.orNull(
      'Response code of the authorizer, see `responseCodes`. Null if it gave none.',
    ),
    captureMethod: g.text.orNull(
      'How the card was read: emv, magnetic-stripe, contactless or another. Null if unknown.',
    ),
    amount: g.safeInt('Amount in cents.'),
    paymentMethod: g.text.orNull('Debit or credit. Null if unknown.'),
    installment: g.object(Installment, 'Installments of the payment.'),
    nsu: g.text.orNull('NSU (sequence number) that the app generated. Null if it generated none.'),
    nsuReference: g.text.orNull('NSU of the cancelled transaction. Null unless this is a cancellation.'),
    authorizationCode: g.text.orNull('Authorization code of the host. Null if it gave none.'),
    transactionId: g.text.orNull('Transaction id or NSU of the host. Null if it gave none.'),
    card: g.object.orNull(
      PaymentCard,
      'The card that was used. Null for a payment without a card, for example PIX or cash.',
    ),
    merchant: g.object(Merchant, 'The merchant that was paid.'),
    metadata: g.json('Other data of the acquirer, as a JSON object.'),
  },
);

export const TransactionType = g.nodeType<Transaction>(
  'Transaction',
  'An operation of a device. Card numbers are truncated.',
  {
    transactionType: g.choice(TransactionKind, 'Release, transaction or download.'),
    serialNumber: g.text('Serial number of the device, as recorded.'),
    logicalNumber: g.text('Logical number that the device worked under, as recorded.'),
    appName: g.text('Name of the app that ran, as recorded.'),
    detail: g.text('Additional details. Empty if there are none.'),
    frameworkVersion: g.text.orNull('Version of the framework on the device. Null if it was not reported.'),
    status: g.choice(TransactionStatus, 'State of the transaction.'),
    sent: g.text.orNull('Data sent to the host. Null if none was sent.'),
    received: g.text.orNull('Data received from the host. Null if none was received.'),
    parsed: g.object.orNull(
      ParsedPaymentType,
      'The payment. Null unless a financial app recorded it and the status is SUCCESS.',
    ),
    startedAt: g.instant('When the transaction started.'),
    finishedAt: g.instant.orNull('When the transaction ended. Null while it is running.'),
    reference: g.text.orNull(
      'Name of the transaction at its source, unique for its serial number. Null if none.',
    ),
    numberAtStart: g.text.orNull(
      'Logical number that the terminal had at `startedAt`, if it sent the transaction under another one of its numbers: its clock may be wrong. Empty if it had none then. Null if it had `logicalNumber`, and for transactions that no terminal sent itself.',
    ),
  },
);

const AS_SUMMED = 'A value of a row of `transactionSummary`: rare ones are `other`.';

export const TransactionList = g.listTypes(
  service.transactions,
  TransactionType,
  { status: TransactionStatus, transactionType: TransactionKind },
  { paymentStatus: PaymentStatus },
  {
    acquirer: `Condition on the acquirer. ${AS_SUMMED}`,
    amount: 'Condition on `parsed.amount`. Null without a payment.',
    authorizationCode: 'Condition on `parsed.authorizationCode`.',
    brand: `Condition on the brand of the card. ${AS_SUMMED}`,
    captureMethod: 'Condition on `parsed.captureMethod`.',
    groupDatabaseId:
      'Condition on the `databaseId` of the group that the logical number had at the time, which may be deleted since.',
    groupId: 'Condition on the `id` of the group that the logical number had at the time.',
    installments: 'Condition on `parsed.installment.quantity`.',
    lastDigits: 'Condition on `parsed.card.lastDigits`.',
    nsu: 'Condition on `parsed.nsu`.',
    paymentMethod: 'Condition on `parsed.paymentMethod`.',
    paymentStatus: 'Condition on `parsed.status`. Null without a payment.',
    paymentType: `Condition on the kind of payment. ${AS_SUMMED}`,
    statusReason: 'Condition on `parsed.statusReason`.',
  },
);

const NEWEST_FIRST = { field: 'STARTED_AT', direction: 'desc' } as const;

const RecordedTransaction = g.objectType<{ readonly sequence: number; readonly transaction: Transaction }>(
  'RecordedTransaction',
  'A transaction and its position in the order of recording.',
  {
    sequence: g.int(
      'Position among the recorded transactions of the company. Grows with each one; numbers may be missing.',
    ),
    transaction: g.object(TransactionType, 'The transaction as it was when the event was sent.'),
  },
);

const transactionRecorded = g.subscription('transactionRecorded', {
  field: g.object(RecordedTransaction, 'Each transaction of the company once it is recorded, in order.'),
  args: {
    filter: g.object.orNull(TransactionList.Filter, 'Only transactions for which this holds.'),
    after: g.int.orNull(
      'Resumes after the transaction with this `sequence`. Without it, only transactions from now on are sent.',
    ),
  },
  subscribe: (ctx, args) => ctx.follow(service.transactionNewRows, args),
  resolve: (transaction: Transaction) => ({ sequence: transaction.id, transaction }),
});

/** A filter that few transactions meet reads many: nine such fields use up the cost of one operation. */
const FILTER_COST = 1_000;

export const transactionGraphql = g.graphqlModule(
  transactionRecorded,
  g.queries(TransactionList, {
    order: NEWEST_FIRST,
    listDescription: 'All transactions of the company, newest first by default.',
    filterCost: FILTER_COST,
  }),
  g.fields(TransactionType, {
    recordedAt: {
      ...g.required(
        g.computed(
          g.instant.orNull('When the server recorded the transaction. Its end may be later.'),
          (transaction, ctx) => ctx.loadForMany(service.recordedTimes, transaction),
        ),
      ),
      planned: { kind: 'column', property: 'recordedAt', scope: null },
    },
    device: g.named(
      g.object.orNull(DeviceType, 'Device with this serial number. Null if the company has none now.'),
      findDevicesBySerialNumbers,
      ({ serialNumber }) => serialNumber,
    ),
    app: g.named(
      g.object.orNull(AppType, 'App with this name. Null if the company has none now.'),
      findAppsByNames,
      ({ appName }) => appName,
    ),
  }),
  g.fields(DeviceType, {
    transactions: g.many(
      TransactionList,
      service.transactionsOfDevice,
      'Transactions recorded under the serial number of the device, newest first by default.',
      { key: 'serialNumber', order: NEWEST_FIRST },
    ),
  }),
  g.fields(LogicalNumberType, {
    transactions: g.many(
      TransactionList,
      service.transactionsOfLogicalNumber,
      'Transactions recorded under the number, newest first by default.',
      { key: 'number', order: NEWEST_FIRST },
    ),
  }),
);
