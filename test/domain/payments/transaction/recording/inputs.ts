import type { Fields } from '../../../../support/client.js';

/** Input of a card payment, with every field that a client can give. */
export function paymentInput(overrides: Fields = {}, parsed: Fields = {}): Fields {
  return {
    transactionType: 'SWITCH',
    serialNumber: 'S-1',
    logicalNumber: 'L-1',
    appName: 'shop.rb',
    detail: '',
    frameworkVersion: '8.31.2',
    status: 'SUCCESS',
    sent: '0200',
    received: '0210',
    parsed: {
      acquirer: 'Acquirer',
      type: 'sale',
      status: 'APPROVED',
      statusReason: '00',
      captureMethod: 'emv',
      amount: 9_999_999_999,
      paymentMethod: 'credit',
      installment: { type: 'merchant', quantity: 3 },
      nsu: '000123',
      nsuReference: null,
      authorizationCode: '998877',
      transactionId: '445566',
      card: {
        holderName: null,
        brand: 'visa',
        expirationDate: '0131',
        firstDigits: '411111',
        lastDigits: '1111',
      },
      merchant: { id: '77', document: '11222333000181', name: 'Shop' },
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
