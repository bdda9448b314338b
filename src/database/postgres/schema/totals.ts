const SPANS = [
  ['transaction_days', 'day', 86_400],
  ['transaction_hours', 'hour', 3_600],
] as const;

const KIND = 'status, transaction_type, app_name';
const OUTCOMES = ['approved', 'denied', 'cancelled'] as const;
const TOTALS = ['total', 'amount_total', ...OUTCOMES.map((outcome) => `${outcome}_amount`)];

const COLUMNS = `company_id, started_at, ${KIND}, payment_outcome, coalesce(amount, 0) as amount`;

/** Rows with a sign: 1 for rows that a statement added, -1 for rows that it removed. */
const CHANGED = {
  added: `select ${COLUMNS}, 1 as sign from new_rows`,
  deleted: `select ${COLUMNS}, -1 as sign from old_rows`,
  updated: `select ${COLUMNS}, -1 as sign from old_rows union all select ${COLUMNS}, 1 from new_rows`,
} as const;

/**
 * One upsert for all rows of a statement, in the order of the keys. `div` rounds toward zero, also before
 * 1970. Totals that do not change are not written.
 */
function upsert(
  [table, span, seconds]: (typeof SPANS)[number],
  rows: string,
  timesSign: '' | ' * sign',
): string {
  const amounts = OUTCOMES.map(
    (outcome) => `coalesce(sum(amount${timesSign}) filter (where payment_outcome = '${outcome}'), 0)`,
  );
  const sums = [`sum(sign)`, `sum(amount${timesSign})`, ...amounts];
  return `insert into ${table} as stored (company_id, ${span}, ${KIND}, ${TOTALS.join(', ')})
    select company_id, div(extract(epoch from started_at), ${seconds}), ${KIND}, ${sums.join(', ')}
    from (${rows}) as changed
    group by 1, 2, 3, 4, 5 having ${sums.map((sum) => `${sum} <> 0`).join(' or ')} order by 1, 2, 3, 4, 5
    on conflict (company_id, ${span}, ${KIND})
    do update set ${TOTALS.map((name) => `${name} = stored.${name} + excluded.${name}`).join(', ')};`;
}

function totalling(change: keyof typeof CHANGED): string {
  const upserts = SPANS.map((span) => upsert(span, CHANGED[change], change === 'added' ? '' : ' * sign'));
  return `create function total_${change}_transactions() returns trigger language plpgsql
    set search_path from current as $$
    begin
      ${upserts.join('\n')}
      return null;
    end $$`;
}

/** Triggers that maintain the number and amounts of transactions by kind, and by day and hour. */
export const TOTAL_TRIGGERS: readonly string[] = [
  totalling('added'),
  totalling('deleted'),
  totalling('updated'),
  `create trigger transactions_summed_in after insert on transactions referencing new table as new_rows
    for each statement execute function total_added_transactions()`,
  `create trigger transactions_summed_out after delete on transactions referencing old table as old_rows
    for each statement execute function total_deleted_transactions()`,
  `create trigger transactions_summed_moved after update on transactions
    referencing old table as old_rows new table as new_rows
    for each statement execute function total_updated_transactions()`,
];
