import type { Dimension } from './transaction-summary.model.js';

const COLUMNS: Readonly<Record<Dimension, string>> = {
  status: 'status',
  transactionType: 'transaction_type',
  appName: 'app_name',
  logicalNumber: 'logical_number',
  group: 'group_id',
  paymentStatus: 'payment_status',
  paymentType: 'payment_type',
  brand: 'brand',
  acquirer: 'acquirer',
  installments: 'installments',
};

/** The column of a dimension, in transactions and in all tables of totals that have it. */
export function columnOf(dimension: Dimension): string {
  return COLUMNS[dimension];
}

/** Values of columns that represent no value, because these columns are never null. */
const NONE: Partial<Record<Dimension, string | number>> = {
  ...{ group: 0, paymentStatus: '', paymentType: '', brand: '', acquirer: '', installments: -1 },
};

export function valueOfColumn(dimension: Dimension, column: string | number | null): string | number | null {
  return column === NONE[dimension] ? null : column;
}
