import { z } from 'zod';

import { listResponse, listShape, TimestampShape } from '../../rest/envelope.js';
import type { QueryParameter, Route } from '../../rest/route.js';
import { timestamp } from '../../rest/timestamp.js';
import {
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
  type ParsedPayment,
  type Transaction,
} from './transaction.model.js';
import { listTransactions } from './transaction.service.js';

/** What the contract's examples show where there is nothing (contract 11). */
const NOTHING = 'null';

const text = z.string().nullable();
const ParsedShape = z
  .strictObject({
    acquirer: text,
    type: z.string(),
    status: z.enum(['approved', 'denied']),
    status_reason: text,
    capture_method: text,
    amount: z.int().describe('Cents.'),
    payment_method: text,
    installment: z.strictObject({ type: text, quantity: z.int().nullable() }),
    nsu: text,
    nsu_reference: z.string().optional().describe('NSU of the transaction that this one cancels.'),
    authorization_code: text,
    transaction_id: text,
    card: z.strictObject({
      holder_name: z.string().optional(),
      brand: text,
      expiration_date: text.describe('Month and year, 4 digits.'),
      first_digits: z.string().max(6).nullable(),
      last_digits: z.string().max(4).nullable(),
    }),
    merchant: z.strictObject({ id: text, document: text, name: text }),
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
    sent: z.string().describe('The text "null" where nothing was sent.'),
    received: z.string().describe('The text "null" where nothing was received.'),
    parsed: z.union([ParsedShape, z.literal(NOTHING)]),
    started_at: TimestampShape,
    finished_at: TimestampShape.nullable(),
  })
  .meta({ id: 'Transaction', description: 'What a terminal did; card numbers are truncated.' });

function transactionFields(transaction: Transaction) {
  return {
    id: transaction.id,
    transaction_type: transaction.transactionType,
    serial_number: transaction.serialNumber,
    logical_number: transaction.logicalNumber,
    app_name: transaction.appName,
    detail: transaction.detail,
    framework_version: transaction.frameworkVersion,
    status: transaction.status,
    sent: transaction.sent ?? NOTHING,
    received: transaction.received ?? NOTHING,
    parsed: transaction.parsed === null ? NOTHING : parsedFields(transaction.parsed),
    started_at: timestamp(transaction.startedAt),
    finished_at: transaction.finishedAt && timestamp(transaction.finishedAt),
  };
}

/** In the contract's order; what it calls optional is left out where it is unknown. */
function parsedFields({ card, merchant, installment, ...parsed }: ParsedPayment) {
  return {
    acquirer: parsed.acquirer,
    type: parsed.type,
    status: parsed.status,
    status_reason: parsed.statusReason,
    capture_method: parsed.captureMethod,
    amount: parsed.amount,
    payment_method: parsed.paymentMethod,
    installment: { type: installment.type, quantity: installment.quantity },
    nsu: parsed.nsu,
    nsu_reference: parsed.nsuReference,
    authorization_code: parsed.authorizationCode,
    transaction_id: parsed.transactionId,
    card: {
      holder_name: card.holderName,
      brand: card.brand,
      expiration_date: card.expirationDate,
      first_digits: card.firstDigits,
      last_digits: card.lastDigits,
    },
    merchant: { id: merchant.id, document: merchant.document, name: merchant.name },
    metadata: parsed.metadata,
  };
}

const moment = (what: string): string =>
  `${what}: YYYY-MM-DD, a whole UTC day, or a timestamp, YYYY-MM-DDTHH:MM:SSZ; included.`;
const string = { type: 'string' } as const;

/** By the names of the query: what each is to the model. */
const FILTERS: readonly (QueryParameter & { readonly field: string })[] = [
  {
    name: 'status',
    field: 'status',
    description: 'How it ended, if it has.',
    schema: { ...string, enum: TRANSACTION_STATUSES },
  },
  {
    name: 'transaction_type',
    field: 'transactionType',
    description: 'Release, transaction or download.',
    schema: { ...string, enum: TRANSACTION_TYPES },
  },
  {
    name: 'serial_number',
    field: 'serialNumber',
    description: 'Serial number of the device, exactly.',
    schema: string,
  },
  {
    name: 'logical_number',
    field: 'logicalNumber',
    description: 'Logical number, exactly.',
    schema: string,
  },
  {
    name: 'app_name',
    field: 'appName',
    description: 'Name of the application, exactly.',
    schema: string,
  },
  { name: 'since', field: 'since', description: moment('Started not before'), schema: string },
  { name: 'until', field: 'until', description: moment('Started not after'), schema: string },
];

/** /v1/transactions (contract 27). */
export const transactionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/transactions',
    scope: 'read',
    summary: 'List transactions, newest first',
    description: 'A transaction in the list matches all filters that are given.',
    paged: true,
    query: FILTERS.map(({ name, description, schema }) => ({ name, description, schema })),
    response: listShape('transactions', 'transaction', TransactionShape),
    read: async (work, call) => {
      const given = FILTERS.filter(({ name }) => call.query.has(name));
      const filter = Object.fromEntries(given.map(({ name, field }) => [field, call.query.get(name)]));
      const page = await listTransactions(work, filter, call.page);
      return listResponse('transactions', 'transaction', page, transactionFields);
    },
  },
];
