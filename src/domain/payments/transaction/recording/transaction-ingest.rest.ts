import { z } from 'zod';

import { LastLine, RejectedLine } from '../../../../platform/requests/rows.js';
import { NDJSON_TYPE, type LineRoute } from '../../../../rest/index.js';
import { TransactionRecord } from '../transaction.model.js';
import { ROW_EXAMPLE } from './transaction-row.model.js';
import { checkRows, demandRoomForRows, storeRows, type CheckedRows } from './transaction-rows.service.js';

/** Transactions in bulk, from a system that has recorded them. Stored rows get no line of the answer. */
export const transactionIngest: LineRoute<CheckedRows> = {
  method: 'POST',
  path: '/transactions',
  scope: 'ingest',
  operationId: 'ingestTransactions',
  summary: 'Bring transactions in',
  description:
    'As many rows as there are, as NDJSON; they are stored 500 at a time. The answer has a line for each rejected row, and a last one with totals, and an `error` if the stream was not read to its end. A repeated row changes nothing.',
  body: TransactionRecord,
  bodyTypes: [NDJSON_TYPE],
  example: ROW_EXAMPLE,
  response: z.union([RejectedLine, LastLine]),
  responseType: NDJSON_TYPE,
  statuses: { 200: 'Each line is such an object.' },
  demandRoom: demandRoomForRows,
  check: checkRows,
  store: storeRows,
  shows: ({ result }) => result === 'rejected',
};
