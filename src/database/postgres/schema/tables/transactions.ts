import { companyTable, TEXT } from '../builders.js';

const TRANSACTIONS = companyTable(
  'transactions',
  `transaction_type ${TEXT} not null`,
  `serial_number ${TEXT} not null`,
  `logical_number ${TEXT} not null`,
  `app_name ${TEXT} not null`,
  `detail ${TEXT} not null`,
  `status ${TEXT} not null`,
  `framework_version ${TEXT}`,
  `sent ${TEXT}`,
  `received ${TEXT}`,
  'parsed json',
  'amount bigint',
  'started_at timestamptz not null',
  'recorded_at timestamptz not null',
  'finished_at timestamptz',
  `reference ${TEXT}`,
  `payment_outcome ${TEXT}`,
);

/**
 * An index in the order of lists, newest first. With `included` columns, filters and summaries read no rows.
 */
function newestFirst(name: string, by: string, ...included: string[]): string {
  return `create index transactions_${name} on transactions (company_id, ${by}started_at desc, id desc)
    include (${included.join(', ')})`;
}

const KIND = ['status', 'transaction_type', 'app_name'] as const;
const PAYMENT = ['amount', 'payment_outcome'] as const;

/** Columns of numbers and amounts of transactions in `transaction_days` and `transaction_hours`. */
const TOTALS = `
  total bigint not null,
  amount_total bigint not null default 0,
  approved_amount bigint not null default 0,
  denied_amount bigint not null default 0,
  cancelled_amount bigint not null default 0`;

/** With free space in each page, updates of totals need no new index entries. */
const OFTEN_UPDATED = 'with (fillfactor = 70)';

const totals = (table: string, span: string): string => `create table ${table} (
  company_id bigint not null,
  ${span} bigint not null,
  ${KIND.map((column) => `${column} ${TEXT} not null`).join(', ')},
  ${TOTALS},
  constraint ${table}_pk primary key (company_id, ${span}, ${KIND.join(', ')})) ${OFTEN_UPDATED}`;

export const TRANSACTION_TABLES: readonly string[] = [
  TRANSACTIONS,
  newestFirst('newest', '', ...KIND, 'logical_number', 'serial_number', ...PAYMENT),
  newestFirst('serial', 'serial_number, ', ...KIND, 'logical_number', ...PAYMENT),
  newestFirst('logical_number', 'logical_number, ', ...KIND, 'serial_number', ...PAYMENT),
  newestFirst('status', 'status, ', 'transaction_type', 'app_name'),
  newestFirst('app', 'app_name, ', 'status', 'transaction_type'),
  `create unique index transactions_reference on transactions (company_id, reference)
    where reference is not null`,
  totals('transaction_days', 'day'),
  totals('transaction_hours', 'hour'),
];
