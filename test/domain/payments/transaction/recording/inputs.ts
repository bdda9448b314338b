import type { Fields } from '../../../../support/client.js';
import { PAID, report } from '../records.js';

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
