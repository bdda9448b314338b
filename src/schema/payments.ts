import { companyTable, instant, integer, json, optional, table, text, withFallback } from './table.js';

const KIND = ['status', 'transaction_type', 'app_name'];
const OUTCOME = ['amount', 'payment_outcome'];
/** Columns besides the kind by which payments are summed up. */
export const PAYMENT_COLUMNS = [
  'payment_status',
  'payment_type',
  'brand',
  'acquirer',
  'installments',
  'group_id',
];
/** Columns of payments that are grouped without sums of their own. */
const METHOD_COLUMNS = ['payment_method', 'capture_method', 'status_reason'];

/** An index in the order of lists, newest first. */
const newestFirst = (name: string, by: readonly string[], ...included: string[]) => ({
  name,
  columns: ['company_id', ...by, 'started_at desc', 'id desc'],
  included,
});

export const payments = {
  /** Transactions as terminals reported them, without references (decisions.md#values-without-references). */
  transactions: companyTable(
    {
      transaction_type: text,
      serial_number: text,
      logical_number: text,
      app_name: text,
      detail: text,
      framework_version: optional(text),
      status: text,
      sent: optional(text),
      received: optional(text),
      parsed: optional(json),
      /** Cents; copied from `parsed`. -1 without a payment. */
      amount: withFallback(integer, -1),
      /** `approved`, `denied` or `cancelled`, derived from `parsed`; null without a payment. */
      payment_outcome: optional(text),
      /** `approved` or `denied`, as in `parsed`; empty without a payment. */
      payment_status: withFallback(text, ''),
      /** As in `parsed`, or `other` (see `transaction_payment_kinds`); empty if unknown or without a payment. */
      payment_type: withFallback(text, ''),
      brand: withFallback(text, ''),
      acquirer: withFallback(text, ''),
      /** -1 if unknown or without a payment. */
      installments: withFallback(integer, -1),
      /** As in `parsed`; null if unknown or without a payment. */
      payment_method: optional(text),
      capture_method: optional(text),
      status_reason: optional(text),
      nsu: optional(text),
      authorization_code: optional(text),
      /** Last digits of the card, as in `parsed`. */
      last_digits: optional(text),
      /** Group that the logical number had at the time, which may be deleted since; 0 for none. */
      group_id: withFallback(integer, 0),
      started_at: instant,
      finished_at: optional(instant),
      recorded_at: instant,
      /** Name of the transaction on its terminal; unique in the company together with the serial number. */
      reference: optional(text),
      /** Logical number that its terminal had when it began, empty for none; null if it is the one above, or unknown. */
      number_at_start: optional(text),
    },
    {
      isCounted: true,
      indexes: [
        newestFirst(
          'newest',
          [],
          ...KIND,
          'logical_number',
          'serial_number',
          ...OUTCOME,
          ...PAYMENT_COLUMNS,
          ...METHOD_COLUMNS,
        ),
        newestFirst('serial', ['serial_number'], ...KIND, 'logical_number', ...OUTCOME),
        newestFirst('logical_number', ['logical_number'], ...KIND, 'serial_number', ...OUTCOME),
        newestFirst('status', ['status'], 'transaction_type', 'app_name'),
        newestFirst('app', ['app_name'], 'status', 'transaction_type'),
        ['amount', 'id'],
        { ...newestFirst('nsu', ['nsu']), where: 'nsu is not null' },
        { ...newestFirst('number_at_start', [], 'number_at_start'), where: 'number_at_start is not null' },
        { ...newestFirst('authorization', ['authorization_code']), where: 'authorization_code is not null' },
        { ...newestFirst('last_digits', ['last_digits']), where: 'last_digits is not null' },
        {
          name: 'reference',
          columns: ['company_id', 'reference', 'serial_number'],
          isUnique: true,
          where: 'reference is not null',
        },
        // All that lists show of failed transactions: few among others, each would be read from a page of its own.
        // On PostgreSQL, an entry has at most 2,700 bytes.
        {
          ...newestFirst('failed', []),
          included: [
            'transaction_type',
            'serial_number',
            'logical_number',
            'app_name',
            'detail',
            'framework_version',
            'sent',
            'received',
            'parsed',
            'finished_at',
            'reference',
            'number_at_start',
          ],
          where: "status = 'fail'",
          isOnlySqlite: true,
        },
      ],
    },
  ),

  /** Payment types with brands and acquirers that are summed up by their names; others of a month are `other`. */
  transaction_payment_kinds: table(
    {
      company_id: integer,
      /** UTC months since the year 0: 12 times the year, plus the month from 0 to 11. */
      month: integer,
      payment_type: text,
      brand: text,
      acquirer: text,
    },
    { key: ['company_id', 'month', 'payment_type', 'brand', 'acquirer'], isKeyed: true },
  ),
};
