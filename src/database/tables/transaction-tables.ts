interface Sums {
  total: number;
  /** Cents; transactions without an amount count as 0. The sum of the three amounts below. */
  amount_total: number;
  approved_amount: number;
  denied_amount: number;
  cancelled_amount: number;
}

/** Number and amount of transactions by UTC day, status and type, of all applications; maintained by triggers. */
export interface TransactionDayTotalsTable extends Sums {
  company_id: number;
  /** Days since 1970-01-01, UTC. */
  day: number;
  status: string;
  transaction_type: string;
}

/** The same by hour. */
export interface TransactionHourTotalsTable extends Omit<TransactionDayTotalsTable, 'day'> {
  /** Hours since 1970-01-01, UTC. */
  hour: number;
}

/** By UTC day, status, type and application. `transaction_app_days` has the same rows in the order of applications. */
export interface TransactionDaysTable extends TransactionDayTotalsTable {
  app_name: string;
}

/** The same by hour. */
export interface TransactionHoursTable extends TransactionHourTotalsTable {
  app_name: string;
}
