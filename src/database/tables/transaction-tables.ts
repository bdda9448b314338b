interface Sums {
  total: number;
  /** Cents; transactions without an amount count as 0. The sum of the three amounts below. */
  amount_total: number;
  approved_amount: number;
  denied_amount: number;
  cancelled_amount: number;
}

/**
 * Sums over the transactions from a time within the unit on, for example `total_from_noon`; see `UNIT_PARTS`.
 */
type PartSums<Part extends string> = { [Name in keyof Sums as `${Name}_${Part}`]: number };

/**
 * Number and amount of transactions by UTC day, status and type, of all applications; maintained by triggers.
 */
export interface TransactionDayTotalsTable extends Sums, PartSums<'from_noon'> {
  company_id: number;
  /** Days since 1970-01-01, UTC. */
  day: number;
  status: string;
  transaction_type: string;
}

/**
 * Sums by UTC day, status, type and application. `transaction_app_days` has the same rows, in the order of
 * applications.
 */
export interface TransactionDaysTable extends TransactionDayTotalsTable {
  app_name: string;
}

interface PaidTable extends TransactionDayTotalsTable {
  /** See `TransactionsTable`. */
  payment_status: string;
}

/** Sums by UTC day, and by type, brand and acquirer of payments; maintained by triggers. */
export interface TransactionPaymentDaysTable extends PaidTable {
  payment_type: string;
  brand: string;
  acquirer: string;
}

export interface TransactionInstallmentDaysTable extends PaidTable {
  installments: number;
}

export interface TransactionGroupDaysTable extends PaidTable {
  group_id: number;
}

/** A table of sums by UTC hour instead of by day. */
export type ByHour<Table extends { day: number }> = Omit<Table, 'day' | keyof PartSums<'from_noon'>> & {
  /** Hours since 1970-01-01, UTC. */
  hour: number;
} & PartSums<'from_15' | 'from_30'>;

/**
 * Payment types with brands and acquirers that are summed up by their names; all others of a month are
 * `other`.
 */
export interface TransactionPaymentKindsTable {
  company_id: number;
  /** UTC months since the year 0: 12 times the year, plus the month from 0 to 11. */
  month: number;
  payment_type: string;
  brand: string;
  acquirer: string;
}
