import { z } from 'zod';

import { LastLine, RejectedLine, StoredLine } from '../../../platform/encoding/json.js';
import { camelCase } from '../../../platform/validate.js';
import {
  fieldsOf,
  listResponse,
  listShape,
  TimestampShape,
  parameter,
  type Route,
  ENDED_EARLY,
  LINE_STATUSES,
  NDJSON_TYPE,
  type LineRoute,
} from '../../../rest/index.js';
import * as rows from './recording/transaction-rows.service.js';
import {
  NULL_TEXT,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
  type ParsedPayment,
  type Transaction,
  TransactionRecord,
} from './transaction.model.js';
import { listTransactions } from './transaction.service.js';

const text = z.string().nullable();
const InstallmentShape = z.strictObject({ type: text, quantity: z.int().nullable() });
const CardShape = z.strictObject({
  holder_name: z.string().optional(),
  brand: text,
  expiration_date: text.describe('Month and year, 4 digits.'),
  first_digits: z.string().max(6).nullable(),
  last_digits: z.string().max(4).nullable(),
});
const MerchantShape = z.strictObject({ id: text, document: text, name: text });
const ParsedShape = z
  .strictObject({
    acquirer: text,
    type: z.string(),
    status: z.enum(['approved', 'denied']),
    status_reason: text,
    capture_method: text,
    amount: z.int().describe('Cents.'),
    payment_method: text,
    installment: InstallmentShape,
    nsu: text,
    nsu_reference: z.string().optional().describe('NSU of the transaction that this one cancels.'),
    authorization_code: text,
    transaction_id: text,
    card: CardShape.nullable().describe('Null for a payment without a card, for example PIX or cash.'),
    merchant: MerchantShape,
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'ParsedPayment', description: 'A payment, normalised from any financial protocol.' });

const TransactionShape = z
  .strictObject({
    id: z.int(),
    transaction_type: z.enum(TRANSACTION_TYPES),
    serial_number: z.string(),
    logical_number: z.string(),
    app_name: z.string(),
    detail: z.string(),
    framework_version: text,
    status: z.enum(TRANSACTION_STATUSES),
    sent: z.string().describe('The text "null" if nothing was sent.'),
    received: z.string().describe('The text "null" if nothing was received.'),
    parsed: z.union([ParsedShape, z.literal(NULL_TEXT)]),
    started_at: TimestampShape,
    finished_at: TimestampShape.nullable(),
  })
  .meta({ id: 'Transaction', description: 'A transaction of a terminal. Card numbers are truncated.' });

const installmentFields = fieldsOf(InstallmentShape).from<ParsedPayment['installment']>({});
const cardFields = fieldsOf(CardShape).from<NonNullable<ParsedPayment['card']>>({});
const merchantFields = fieldsOf(MerchantShape).from<ParsedPayment['merchant']>({});

/** Optional fields that are undefined are absent from the JSON. */
const parsedFields = fieldsOf(ParsedShape).from<ParsedPayment>({
  installment: ({ installment }, caller) => installmentFields.render(installment, caller),
  card: ({ card }, caller) => card && cardFields.render(card, caller),
  merchant: ({ merchant }, caller) => merchantFields.render(merchant, caller),
});

const transactionFields = fieldsOf(TransactionShape).from<Transaction>({
  sent: ({ sent }) => sent ?? NULL_TEXT,
  received: ({ received }) => received ?? NULL_TEXT,
  parsed: ({ parsed }, caller) => (parsed === null ? NULL_TEXT : parsedFields.render(parsed, caller)),
  reference: 'omitted',
  numberAtStart: 'omitted',
});

const TIME = 'YYYY-MM-DD (a whole UTC day) or YYYY-MM-DDTHH:MM:SSZ, inclusive.';

const FILTERS = [
  parameter('query', 'status', 'State or outcome.', { enum: TRANSACTION_STATUSES }),
  parameter('query', 'transaction_type', 'Release, transaction or download.', { enum: TRANSACTION_TYPES }),
  parameter('query', 'serial_number', 'Exact serial number of the device.'),
  parameter('query', 'logical_number', 'Exact logical number.'),
  parameter('query', 'app_name', 'Exact name of the application.'),
  parameter('query', 'since', `Start of the range of started_at: ${TIME}`),
  parameter('query', 'until', `End of the range of started_at: ${TIME}`),
];

/** /v1/transactions (contract 27). */
export const transactionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/transactions',
    scope: 'read',
    summary: 'List transactions, newest first',
    description: 'Filters are combined with AND.',
    paged: true,
    isLarge: true,
    parameters: FILTERS,
    response: listShape('transactions', 'transaction', TransactionShape),
    read: async (work, call) => {
      const given = FILTERS.filter(({ name }) => (call.query.get(name) ?? '') !== '');
      const values = Object.fromEntries(given.map(({ name }) => [camelCase(name), call.query.get(name)]));
      const page = await listTransactions(work, values, call.page);
      return listResponse('transactions', page, (transaction) => ({
        transaction: transactionFields.render(transaction, work.caller),
      }));
    },
  },
];

/** Transactions in bulk, from a system that has recorded them. */
export const transactionIngest: LineRoute<rows.CheckedRows> = {
  method: 'POST',
  path: '/transactions',
  scope: 'ingest',
  operationId: 'ingestTransactions',
  summary: 'Bring transactions in',
  description:
    'As many rows as there are, as NDJSON; they are stored 500 at a time. The answer comes when the last row was read: a line for each row that was rejected or has warnings, and a last one with totals, and an `error` if not all rows could be stored. A repeated row changes nothing.',
  body: TransactionRecord,
  bodyTypes: [NDJSON_TYPE],
  example: rows.ROW_EXAMPLE,
  response: z.union([RejectedLine, StoredLine, LastLine]),
  responseType: NDJSON_TYPE,
  statuses: { ...LINE_STATUSES, ...ENDED_EARLY },
  check: rows.checkRows,
  store: rows.storeRows,
  shows: (row) => row.result === 'rejected' || row.warnings !== undefined,
};
