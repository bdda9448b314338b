import type { outcomeOf } from '../transaction.model.js';

type Outcome = ReturnType<typeof outcomeOf>;

/** Sums over the rows of an export, which equal those of `transactionSummary` for the same transactions. In cents. */
export const exportedTotals = {
  columns: ['amount', 'payment_outcome'],
  start: () => {
    const amounts: Record<Outcome, number> = { approved: 0, denied: 0, cancelled: 0 };
    return {
      add: (row: Readonly<Record<string, unknown>>): void => {
        const amount = row.amount as number;
        if (row.payment_outcome !== null && amount > 0) amounts[row.payment_outcome as Outcome] += amount;
      },
      sums: () => ({
        amount_total: amounts.approved + amounts.denied + amounts.cancelled,
        approved_amount: amounts.approved,
        denied_amount: amounts.denied,
        cancelled_amount: amounts.cancelled,
      }),
    };
  },
};
