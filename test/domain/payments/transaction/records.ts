import type { TransactionRecord } from '../../../../src/domain/payments/transaction/transaction.model.js';
import type { Fields } from '../../../support/client.js';
import { recordAll } from '../../../support/fleet.js';
import type { Member, TestServer } from '../../../support/server.js';

export const START = new Date('2026-03-01T12:00:00Z');

/** A successful transaction of a terminal, without a payment. */
export function report(overrides: Partial<Record<keyof TransactionRecord, unknown>> = {}) {
  return {
    transactionType: 'company',
    serialNumber: 'S-1',
    logicalNumber: 'L-1',
    appName: 'shop.rb',
    status: 'success',
    startedAt: START,
    finishedAt: new Date(START.getTime() + 2_000),
    ...overrides,
  };
}

const CARD = { brand: 'visa', expirationDate: '0131', firstDigits: '411111', lastDigits: '1111' };
/** A card payment, as a terminal reports it. */
export const PAID = {
  acquirer: 'Acquirer',
  type: 'sale',
  status: 'approved',
  statusReason: '00',
  captureMethod: 'emv',
  amount: 1234,
  paymentMethod: 'credit',
  installment: { type: 'merchant', quantity: 3 },
  nsu: '000123',
  authorizationCode: '998877',
  transactionId: '445566',
  card: CARD,
  merchant: { id: '77', document: '11222333000181', name: 'Shop' },
  metadata: { terminal: 'x' },
};

/** A transaction with a card payment; the argument replaces fields of `parsed`. */
export const payment = (parsed: Record<string, unknown> = {}) =>
  report({ transactionType: 'switch', parsed: { ...PAID, ...parsed } });

export async function record(server: TestServer, member: Member, rows: readonly unknown[]) {
  return await server.app.units.write(member.caller, (work) => recordAll(work, rows));
}

/** Input of a card payment, with every field that a client can give. */
export function paymentInput(overrides: Fields = {}, parsed: Fields = {}): Fields {
  return {
    ...report({ transactionType: 'SWITCH', status: 'SUCCESS', frameworkVersion: '8.31.2' }),
    detail: '',
    sent: '0200',
    received: '0210',
    parsed: {
      ...PAID,
      status: 'APPROVED',
      amount: 9_999_999_999,
      nsuReference: null,
      card: { holderName: null, ...PAID.card },
      metadata: { terminal: 'x', deep: { camelCase: [1, null] } },
      ...parsed,
    },
    startedAt: '2026-03-01T12:00:00.000Z',
    finishedAt: '2026-03-01T12:00:02.500Z',
    ...overrides,
  };
}

/** Input of a transaction that has not ended. */
export function runningInput(overrides: Fields = {}): Fields {
  return paymentInput({ status: 'RUNNING', parsed: null, received: null, finishedAt: null, ...overrides });
}

export const RECORD = `mutation ($input: TransactionInput!) { transactionRecord(input: $input) {
  repeated userErrors { message path code }
  transaction { id databaseId transactionType serialNumber logicalNumber appName detail frameworkVersion status sent
    received startedAt finishedAt reference
    parsed { acquirer type status statusReason captureMethod amount paymentMethod installment { type quantity } nsu
      nsuReference authorizationCode transactionId card { holderName brand expirationDate firstDigits lastDigits }
      merchant { id document name } metadata } } } }`;

export const BULK = `mutation ($inputs: [TransactionInput!]!) { transactionBulkRecord(inputs: $inputs) {
  count userErrors { message path code }
  results { index repeated transaction { databaseId reference } userErrors { message path code } } } }`;

export const FINISH = `mutation ($id: ID!, $input: TransactionFinishInput!) { transactionFinish(id: $id, input: $input) {
  userErrors { message path code } transaction { databaseId status detail received finishedAt parsed { amount } } } }`;
