/** Transactions of a database of before, as SQL: without a payment, with one, and with more kinds of payments than have names. */
const parsed = (acquirer: string, more = ''): string =>
  `'{"acquirer":"${acquirer}","type":"sale","status":"approved","amount":5,"installment":{"type":null,"quantity":3},"card":{"brand":"élo"}${more}}'`;

/** `instant` makes SQL of milliseconds since 1970. */
export function olderPayments(instant: (ms: number) => string): readonly string[] {
  const at = Date.UTC(2026, 1, 28, 23, 59, 59);
  const row = (id: number, ms: number, payment: string, number = 'L-1'): string =>
    `(${id}, 1, 'switch', 'S', '${number}', 'app', '', 'success', ${payment}, ${payment === 'null' ? 'null, null' : "5, 'approved'"}, ${instant(ms)}, ${instant(0)})`;
  const rows = [
    row(1, at, 'null', 'L-2'),
    row(2, at, parsed('Rede', ',"metadata":{}')),
    row(3, at, parsed('Rede')),
    ...Array.from({ length: 305 }, (_, n) => row(10 + n, at, parsed(`A-${n}`))),
    // The next month begins.
    row(900, at + 1_000, parsed('A-304')),
    row(
      901,
      at + 1_000,
      `'{"acquirer":null,"type":"","status":"denied","amount":5,"card":{"brand":null}}'`,
      'L-3',
    ),
  ];
  return [
    `insert into groups (id, company_id, name, revision, created_at, updated_at, created_via)
      values (7, 1, 'North', 1, ${instant(0)}, ${instant(0)}, 'api')`,
    `insert into logical_numbers (id, company_id, number, group_id, revision, created_at, updated_at, created_via)
      values (1, 1, 'L-1', 7, 1, ${instant(0)}, ${instant(0)}, 'api'), (2, 1, 'L-2', null, 1, ${instant(0)}, ${instant(0)}, 'api')`,
    `insert into transactions (id, company_id, transaction_type, serial_number, logical_number, app_name, detail, status,
      parsed, amount, payment_outcome, started_at, recorded_at) values ${rows.join()}`,
  ];
}

export const FIGURES = `select id, payment_status, payment_type, brand, acquirer, installments, group_id
  from transactions where id in (1, 2, 109, 900, 901) order by id`;

const PAID = { payment_status: 'approved', payment_type: 'sale', brand: 'élo', installments: 3, group_id: 7 };
const NO_PAYMENT = { payment_status: '', payment_type: '', brand: '', acquirer: '', installments: -1 };

/** Expected result of `FIGURES`. */
export const MIGRATED = [
  { id: 1, ...NO_PAYMENT, group_id: 0 },
  { id: 2, ...PAID, acquirer: 'Rede' },
  // All acquirers have equally many payments, so the last one in text order, A-99, is counted as `other`.
  { id: 109, ...PAID, ...{ payment_type: 'other', brand: 'other', acquirer: 'other' } },
  { id: 900, ...PAID, acquirer: 'A-304' },
  { id: 901, ...NO_PAYMENT, payment_status: 'denied', group_id: 0 },
];

/** The kinds of payments in each month. */
export const KINDS = `select month, count(*) as kinds from transaction_payment_kinds group by month order by month`;
export const MIGRATED_KINDS = [
  { month: 2026 * 12 + 1, kinds: 300 },
  { month: 2026 * 12 + 2, kinds: 2 },
];
