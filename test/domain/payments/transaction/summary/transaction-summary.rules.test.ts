import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { SummaryRow } from '../../../../../src/domain/payments/transaction/summary/transaction-summary.model.js';
import { SummaryRows } from '../../../../../src/domain/payments/transaction/summary/transaction-summary.service.js';
import { partsOf } from '../../../../../src/domain/payments/transaction/transaction-period.model.js';

const blank: SummaryRow = {
  ...{ bucketStart: null, status: null, transactionType: null, appName: null, logicalNumber: null },
  ...{ paymentStatus: null, paymentType: null, brand: null, acquirer: null, installments: null },
  ...{ groupId: null, count: 0, amountTotal: 0, approvedAmount: 0, deniedAmount: 0, cancelledAmount: 0 },
};

describe('rows of several time ranges', () => {
  it('are added up if their dimensions are equal, in the order of the database', () => {
    const row = (day: number, appName: string, groupId: number | null): SummaryRow => ({
      ...{
        ...blank,
        bucketStart: new Date(Date.UTC(2026, 0, day)),
        appName,
        groupId,
        count: 1,
        amountTotal: 6,
        approvedAmount: 3,
        deniedAmount: 2,
        cancelledAmount: 1,
      },
    });
    const sum = new SummaryRows(['group', 'appName']);
    sum.add([row(2, '\u{1f600}', 1), row(1, 'a', 10), row(1, 'a', 9), row(1, 'Z', 9), row(1, 'a', null)]);
    sum.add([row(2, '\uffee', 1), row(1, 'a', 9)]);
    expect(sum.inOrder()).toEqual([
      row(1, 'a', null),
      row(1, 'Z', 9),
      {
        ...row(1, 'a', 9),
        ...{ count: 2, amountTotal: 12, approvedAmount: 6, deniedAmount: 4, cancelledAmount: 2 },
      },
      row(1, 'a', 10),
      // Ordered by UTF-8 bytes, not by UTF-16 units.
      row(2, '\uffee', 1),
      row(2, '\u{1f600}', 1),
    ]);
  });
});

describe('batches of time ranges', () => {
  it('contain every range once, in order, and exceed the limit only with a single range', () => {
    const totals = fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 50 });
    fc.assert(
      fc.property(totals, fc.integer({ min: 1, max: 150 }), (each, most) => {
        const stretches = each.map((total, from) => ({ from, to: from + 1, total }));
        const parts = partsOf(stretches, most);
        const held = parts.map(({ from, to }) => each.slice(from, to));
        expect(held.flat()).toEqual(each);
        for (const [place, { from, to, total }] of parts.entries()) {
          expect(total).toBe(held[place]?.reduce((sum, one) => sum + one, 0));
          expect(total <= most || to - from === 1).toBe(true);
        }
      }),
    );
  });
});
