import type { TransactionRecord } from '../../../../src/domain/payments/transaction/transaction.model.js';
import { recordAll } from '../../../support/recording.js';
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
