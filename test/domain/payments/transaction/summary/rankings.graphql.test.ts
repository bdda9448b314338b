import { expect, it } from 'vitest';

import { answered } from '../../../../support/dashboard.js';
import { useServer } from '../../../../support/server.js';
import { payment, record } from '../records.js';
import { SUMMARY, type Question, type Summary } from './expected-summary.js';

const server = useServer();

const summary = async (question: Question): Promise<Summary> =>
  (await answered<{ transactionSummary: Summary }>(server.acme, SUMMARY, { ...question })).transactionSummary;

it('terminals with enough payments are ranked by their share of denied ones before rows are cut', async () => {
  const sold = (serialNumber: string, denied: number, approved: number) =>
    Array.from({ length: denied + approved }, (_, n) => ({
      ...payment({ status: n < denied ? 'denied' : 'approved' }),
      serialNumber,
    }));
  await record(server, server.acme, [...sold('ONE', 1, 0), ...sold('SOME', 2, 4), ...sold('MOST', 5, 5)]);
  const ranked = async (more: Partial<Question>) =>
    (
      await summary({
        bucket: 'NONE',
        by: ['SERIAL_NUMBER'],
        orderBy: { field: 'DENIED_PERCENT', direction: 'DESC' },
        first: 2,
        ...more,
      })
    ).map(({ serialNumber, deniedCount, deniedPercent }) => [serialNumber, deniedCount, deniedPercent]);
  expect(await ranked({})).toEqual([
    ['ONE', 1, 100],
    ['MOST', 5, 50],
  ]);
  expect(await ranked({ minPayments: 6 })).toEqual([
    ['MOST', 5, 50],
    ['SOME', 2, 100 / 3],
  ]);
  expect(await ranked({ minPayments: 11 })).toEqual([]);
});
