import type { TerminalExchange, TerminalRoute } from '../../../terminal/index.js';
import type { AdmittedDevice } from '../../terminal/terminal-access.service.js';
import { checkOwnRows, reporterOf, storeRows } from './transaction-rows.service.js';

/** What one request may have. */
const LIMITS = { rows: 1_000, bytes: 1024 * 1024 } as const;

/** Transactions that a terminal reports. */
export const transactionRoutes: readonly TerminalRoute<AdmittedDevice>[] = [
  { method: 'POST', path: '/transactions', exchange: recordTransactions },
];

async function recordTransactions(exchange: TerminalExchange<AdmittedDevice>): Promise<void> {
  const rows = await exchange.rows(LIMITS);
  const reporter = await exchange.read(reporterOf);
  await exchange.answerRows(
    { check: (batch) => checkOwnRows(batch, reporter), store: storeRows, shows: () => true },
    rows,
  );
}
