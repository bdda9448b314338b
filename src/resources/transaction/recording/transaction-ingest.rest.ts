import type { LineRoute } from '../../../rest/index.js';
import { checkRows, demandRoomForRows, storeRows, type CheckedRows } from './transaction-rows.service.js';

/** Transactions in bulk, from a system that has recorded them. Stored rows get no line of the answer. */
export const transactionIngest: LineRoute<CheckedRows> = {
  path: '/ingest/v1/transactions',
  scope: 'ingest',
  demandRoom: demandRoomForRows,
  check: checkRows,
  store: storeRows,
  shows: ({ result }) => result === 'rejected',
};
