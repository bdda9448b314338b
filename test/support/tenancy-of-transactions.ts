import type { ReadWork } from '../../src/database/work.js';
import { ALL_ROWS } from '../../src/domain/payments/transaction/summary/transaction-summary.model.js';
import { summarizeTransactions } from '../../src/domain/payments/transaction/summary/transaction-summary.service.js';
import * as totals from '../../src/domain/payments/transaction/transaction-totals.repository.js';
import {
  transactionNewRows,
  getTransaction,
  listTransactions,
} from '../../src/domain/payments/transaction/transaction.service.js';
import { START, TWIN } from './two-companies.js';

const PAGE = { page: 1, perPage: 100 };
const SINCE = { field: 'startedAt', operator: 'gte', value: new Date(START - 1) } as const;
const UNTIL = { field: 'startedAt', operator: 'lt', value: new Date(START + 1) } as const;

const summaryBy = (request: object) => (work: ReadWork) =>
  summarizeTransactions(work, {
    ...ALL_ROWS,
    where: null,
    timeZone: null,
    bucket: 'day',
    by: [],
    ...request,
  });

/** Reads of transactions by a company, see `test/database/tenancy.test.ts`. */
export const TRANSACTION_READS: Readonly<Record<string, (work: ReadWork) => Promise<unknown>>> = {
  transaction: (work) => getTransaction(work, TWIN + 1),
  transactions: (work) => listTransactions(work, {}, PAGE),
  'transactions of a status': (work) => listTransactions(work, { status: 'success' }, PAGE),
  'transactions of a device': (work) => listTransactions(work, { serialNumber: 'S' }, PAGE),
  'failed transactions': (work) => listTransactions(work, { status: 'fail' }, PAGE),
  'recorded transactions': (work) =>
    transactionNewRows.read(work, { after: 0, upTo: 9e6, limit: 50, condition: null }),
  'summary by day': summaryBy({ by: ['status'] }),
  'summary by hour': summaryBy({ bucket: 'hour', by: ['appName'] }),
  'summary from a part of an hour on': summaryBy({ where: SINCE, bucket: 'hour', by: ['status'] }),
  'summary up to a part of an hour': summaryBy({ where: UNTIL, bucket: 'hour', by: ['status'] }),
  'summary by group': summaryBy({ bucket: 'none', by: ['group'] }),
  'summary by days of a zone': summaryBy({ by: ['brand'], timeZone: 'Asia/Kolkata' }),
  'transactions of half hours': (work) => totals.countInHalfHours(work, [{ from: START, to: START }]),
};
