import * as g from '../../../../graphql/index.js';
import {
  PaymentStatus,
  TransactionType,
  TransactionKind,
  TransactionStatus,
} from '../transaction.graphql.js';
import * as model from '../transaction.model.js';
import { getTransaction } from '../transaction.service.js';
import * as recording from './transaction-recording.service.js';

const InstallmentInput = g.inputOf('InstallmentInput', model.Installment, {
  description: 'Installments of a payment.',
  descriptions: {
    type: 'Who finances the installments: merchant, issuer or another.',
    quantity: 'Number of installments, at most 999.',
  },
});

const PaymentCardInput = g.inputOf('PaymentCardInput', model.Card, {
  description:
    'The card of a payment. Of a card number at most the first 6 and the last 4 digits are stored.',
  descriptions: {
    holderName: 'Name of the card holder.',
    brand: 'Brand: mastercard, visa, amex or another.',
    expirationDate: 'Month and year, for example 0131.',
    firstDigits: 'First digits of the number; 6 are stored.',
    lastDigits: 'Last digits of the number; 4 are stored.',
  },
});

const MerchantInput = g.inputOf('MerchantInput', model.Merchant, {
  description: 'The merchant that was paid.',
  descriptions: {
    id: 'Id of the merchant at the acquirer.',
    document: 'CNPJ or CPF of the merchant.',
    name: 'Name of the merchant.',
  },
});

const ParsedPaymentInput = g.inputOf('ParsedPaymentInput', model.ParsedPayment, {
  description: 'A payment, in one form for all financial protocols.',
  enums: { status: PaymentStatus },
  inputs: { installment: InstallmentInput, card: PaymentCardInput, merchant: MerchantInput },
  descriptions: {
    acquirer: 'Name of the acquirer.',
    type: 'Kind of payment: sale, cancellation, refund or another. At most 64 characters.',
    status: 'Decision of the authorizer.',
    statusReason: 'Response code of the authorizer.',
    captureMethod: 'How the card was read: emv, magnetic-stripe, contactless or another.',
    amount: 'Amount in cents, at most 999999999999.',
    paymentMethod: 'Debit or credit.',
    installment: 'Installments of the payment.',
    nsu: 'NSU (sequence number) that the app generated.',
    nsuReference: 'NSU of the cancelled transaction. Only for cancellations.',
    authorizationCode: 'Authorization code of the host.',
    transactionId: 'Transaction id or NSU of the host.',
    card: 'The card that was used. Absent or null for a payment without a card, for example PIX or cash.',
    merchant: 'The merchant that was paid.',
    metadata: 'Other data of the acquirer: a JSON object of at most 10000 values and 32 levels.',
  },
});

const RESULT = {
  detail: 'Additional details. At most 4096 characters.',
  sent: 'Data sent to the host. At most 65536 characters.',
  received: 'Data received from the host. At most 65536 characters.',
  parsed: 'The payment. Only with the status SUCCESS.',
};

const TransactionInput = g.inputOf('TransactionInput', model.TransactionRecord, {
  description: 'A transaction as a device reports it. Card data is masked before it is stored.',
  enums: { transactionType: TransactionKind, status: TransactionStatus },
  inputs: { parsed: ParsedPaymentInput },
  descriptions: {
    ...RESULT,
    transactionType: 'Release, transaction or download.',
    serialNumber: 'Serial number of the device. 1 to 64 characters.',
    logicalNumber: 'Logical number that the device worked under. 1 to 64 characters.',
    appName: 'Name of the app that ran. 1 to 255 characters.',
    frameworkVersion: 'Version of the framework on the device. 1 to 64 characters.',
    status: 'State of the transaction. One that is RUNNING is ended by `transactionFinish`.',
    startedAt: 'When the transaction started.',
    finishedAt: 'When the transaction ended. Required unless the status is RUNNING.',
    reference:
      'Name of the transaction at its source, unique in the company, 1 to 128 characters. A transaction with a known reference is not recorded again.',
  },
});

const TransactionResult = g.enumeration<model.TransactionFinish['status']>(
  'TransactionResult',
  'How a transaction ended.',
  { success: 'It ended successfully.', fail: 'It failed.' },
);

const TransactionFinishInput = g.inputOf('TransactionFinishInput', model.TransactionFinish, {
  description: 'Result of a running transaction. Absent fields keep their values.',
  enums: { status: TransactionResult },
  inputs: { parsed: ParsedPaymentInput },
  descriptions: {
    ...RESULT,
    status: 'How the transaction ended.',
    finishedAt: 'When the transaction ended. Defaults to the time of the call.',
  },
});

const REPEATS =
  'A known `reference` with the same values returns the stored transaction; with other values it is TAKEN.';

const record = g.ownMutation('TransactionRecord', {
  description: `Records a transaction of a device. ${REPEATS} Requires the scope INGEST.`,
  args: { input: g.object(TransactionInput, 'The transaction.') },
  payload: {
    transaction: g.object.orNull(
      TransactionType,
      'The transaction, as it is stored. Null if it was not recorded.',
    ),
    repeated: g.flag.orNull('Whether the transaction had been recorded before. Null if it was not recorded.'),
  },
  scope: 'ingest',
  run: async (work, { input }) => {
    const { transaction, repeated } = await recording.recordTransaction(work, input);
    recording.addWarnings(work, transaction);
    return { transaction, repeated };
  },
});

const finish = g.ownMutation('TransactionFinish', {
  description:
    'Ends a running transaction. The same result again changes nothing; another one is INVALID. Requires the scope INGEST.',
  args: { id: g.id('Global id of the transaction.'), input: g.object(TransactionFinishInput, 'The result.') },
  payload: { transaction: g.changedRecord(TransactionType) },
  scope: 'ingest',
  run: async (work, given) => {
    const current = await getTransaction(work, g.idOf('Transaction', given.id));
    const transaction = await recording.finishTransaction(work, current, given.input);
    recording.addWarnings(work, transaction);
    return { transaction };
  },
});

const bulk = g.bulkMutation<g.Input, model.Transaction, recording.CheckedRecords>({
  name: 'TransactionBulkRecord',
  description: `Records up to 1000 transactions of devices. Rejected rows do not stop the others. ${REPEATS} Requires the scope INGEST.`,
  argument: 'inputs',
  rows: g.object.list(TransactionInput, 'The transactions.'),
  field: 'transaction',
  record: g.object(TransactionType, 'The transaction, as it is stored. Null if it was rejected.'),
  rowFields: { repeated: g.flag('Whether the transaction had been recorded before, or by an earlier row.') },
  countDescription: 'Number of new transactions, without repeated ones.',
  scope: 'ingest',
  errorPolicy: 'REJECT_FAILED_ROWS',
  prepare: (inputs) => recording.checkRecords(inputs),
  run: async (work, checked) => {
    const results = await recording.storeRecords(work, checked);
    for (const [index, { transaction }] of results.entries()) {
      if (transaction !== null) recording.addWarnings(work, transaction, `inputs.${index}.`);
    }
    return results.map(({ transaction, repeated, problem }) => ({
      record: transaction,
      problem,
      more: { repeated },
      counts: transaction !== null && !repeated,
    }));
  },
});

export const transactionRecordingGraphql = g.graphqlModule(record, finish, bulk);
