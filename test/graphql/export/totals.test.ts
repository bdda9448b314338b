import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

import { DAY } from '../../../src/platform/clock.js';
import { transactionFilters } from '../../domain/payments/transaction/filters.js';
import { PAID, record, report } from '../../domain/payments/transaction/records.js';
import { FIRST } from '../../domain/payments/transaction/rows.js';
import { answered } from '../../support/dashboard.js';
import { exported } from '../../support/export.js';
import { useServer, type Fields } from '../../support/server.js';

const DAYS = 11;
const ROWS = 600;
const PAYMENTS = [
  { status: 'approved' },
  { status: 'denied' },
  { status: 'approved', type: 'refund' },
  { status: 'approved', nsuReference: '000122' },
  { status: 'approved', amount: 0 },
  null,
];

const server = useServer();
beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const paid = PAYMENTS[n % PAYMENTS.length] ?? null;
    const at = new Date(FIRST + ((n * n) % DAYS) * DAY + n * 60_000);
    return report({
      transactionType: 'switch',
      appName: n % 2 === 0 ? 'a.rb' : 'b.rb',
      startedAt: at,
      finishedAt: at,
      serialNumber: `S-${n % 4}`,
      logicalNumber: `L-${n % 6}`,
      status: n % 7 === 0 ? 'fail' : 'success',
      ...(paid !== null && n % 7 !== 0 && { parsed: { ...PAID, amount: 100 + n, ...paid } }),
    });
  });
  await record(server, server.acme, rows);
  await record(server, server.beta, rows.slice(0, 20));
});

const SUMMARY = `query ($filter: TransactionFilter) { transactionSummary(bucket: NONE, filter: $filter) {
  count amountTotal approvedAmount deniedAmount cancelledAmount } }`;

describe('the last line of an export of transactions', () => {
  it('has the totals of the summary with the same filter, and of the lines before it', async () => {
    await fc.assert(
      fc.asyncProperty(transactionFilters(FIRST, DAYS), async (filter) => {
        const { transactionSummary: rows } = await answered<{ transactionSummary: Fields[] }>(
          server.acme,
          SUMMARY,
          {
            filter,
          },
        );
        const { records, totals } = await exported(server.acme, 'transactions', {
          format: 'ndjson',
          columns: 'database_id,parsed.amount',
          filter: JSON.stringify(filter),
        });
        const [
          summary = { count: 0, amountTotal: 0, approvedAmount: 0, deniedAmount: 0, cancelledAmount: 0 },
        ] = rows;
        expect(totals).toEqual({
          count: summary.count,
          amount_total: summary.amountTotal,
          approved_amount: summary.approvedAmount,
          denied_amount: summary.deniedAmount,
          cancelled_amount: summary.cancelledAmount,
        });
        const amounts = records.map(({ parsed }) => Number((parsed as Fields | null)?.amount ?? 0));
        expect([records.length, amounts.reduce((sum, amount) => sum + amount, 0)]).toEqual([
          totals.count,
          totals.amount_total,
        ]);
        expect(new Set(records.map(({ database_id: id }) => id)).size).toBe(records.length);
      }),
      { numRuns: 25 },
    );
  });

  it('has those of what is left, after a record', async () => {
    const all = await exported(server.acme, 'transactions', { format: 'ndjson' });
    expect(all.totals.count).toBe(ROWS);
    const after = Number(all.records[399]?.database_id);
    const rest = await exported(server.acme, 'transactions', { format: 'ndjson', after });
    expect(rest.records).toEqual(all.records.slice(400));
    expect(rest.totals.count).toBe(200);
    expect(rest.after).toBe(all.after);
  });
});
