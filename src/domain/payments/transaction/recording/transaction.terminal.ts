import { z } from 'zod';

import { LastLine, RejectedLine, StoredLine } from '../../../../platform/encoding/json.js';
import { LINE_STATUSES, NDJSON_TYPE, type TerminalRoute } from '../../../../terminal/index.js';
import type { AdmittedDevice } from '../../../terminals/terminal/access.service.js';
import { TransactionRecord } from '../transaction.model.js';
import { OWN_ROW_EXAMPLE, checkOwnRows, reporterOf, storeRows } from './transaction-rows.service.js';

export const TRANSACTION_LIMITS = { rows: 1_000, bytes: 1024 * 1024 } as const;

const { serialNumber, logicalNumber } = TransactionRecord.shape;
const OwnRow = z.object({
  ...TransactionRecord.shape,
  serialNumber: serialNumber.optional(),
  logicalNumber: logicalNumber.optional(),
});

export const transactionRoutes: readonly TerminalRoute<AdmittedDevice>[] = [
  {
    method: 'POST',
    path: '/transactions',
    scope: 'terminals',
    operationId: 'recordTerminalTransactions',
    summary: 'Record transactions of the terminal',
    description: `Up to ${TRANSACTION_LIMITS.rows} rows as NDJSON, or one as JSON. The answer has a line for each row, and a last one with totals. A repeated row changes nothing.`,
    body: OwnRow,
    bodyTypes: [NDJSON_TYPE, 'application/json'],
    example: OWN_ROW_EXAMPLE,
    response: z.union([StoredLine, RejectedLine, LastLine]),
    responseType: NDJSON_TYPE,
    statuses: LINE_STATUSES,
    rows: TRANSACTION_LIMITS,
    answer: async (call) => {
      const reporter = await call.read(reporterOf);
      return await call.storeRows({
        check: (rows) => checkOwnRows(rows, reporter),
        store: storeRows,
        shows: () => true,
      });
    },
  },
];
