/** Triggers of PostgreSQL that maintain the sums of transactions. */
import { UNIT_PARTS } from '../platform/clock.js';
import { PAYMENT_COLUMNS } from './payments.js';
import { calling, trigger } from './postgres-triggers.js';
import { columnsOf, keyOf, ROLLUPS, sumsOf, UNIT_MS, type Rollup, type RollupSum } from './rollups.js';

/** `div` rounds toward zero, also before 1970. */
const unitAt = (unit: Rollup['unit']): string =>
  `div(extract(epoch from started_at), ${UNIT_MS[unit] / 1000})`;
const elapsedIn = (unit: Rollup['unit']): string =>
  `mod(extract(epoch from started_at) * 1000, ${UNIT_MS[unit]})`;

/** SQL columns for the day and the hour of a transaction, and for the parts of them that its time is in. */
const TIMES = (['day', 'hour'] as const).flatMap((unit) => [
  `${unitAt(unit)} as ${unit}`,
  ...UNIT_PARTS[unit].map(({ name, from }) => `${elapsedIn(unit)} >= ${from} as ${name}`),
]);
const SUMMED = [
  ...['company_id', ...TIMES, 'status', 'transaction_type', 'app_name', ...PAYMENT_COLUMNS],
  ...['payment_outcome', 'coalesce(amount, 0) as amount'],
].join(', ');

/** Rows with a sign: 1 for rows that a statement added, -1 for rows that it removed. */
const CHANGED = {
  added: `select ${SUMMED}, 1 as sign from new_rows`,
  deleted: `select ${SUMMED}, -1 as sign from old_rows`,
  updated: `select ${SUMMED}, -1 as sign from old_rows union all select ${SUMMED}, 1 from new_rows`,
} as const;

/** The conditions of a sum as SQL over `CHANGED`. */
function conditionsOf({ of, from }: RollupSum, unit: Rollup['unit']): readonly string[] {
  const part = UNIT_PARTS[unit].find((each) => each.from === from);
  return [
    ...(of === 'total' || of === 'amount' ? [] : [`payment_outcome = '${of}'`]),
    ...(part === undefined ? [] : [part.name]),
  ];
}

/** An upsert of the rows of `query`: the company, the key and the sums of the rollup. */
function addTo(rollup: Rollup, query: string): string {
  const { name, unit } = rollup;
  const key = ['company_id', ...keyOf(rollup)].join(', ');
  const columns = columnsOf(unit);
  const changes = columns.map((each) => `${each} = stored.${each} + excluded.${each}`);
  return `insert into ${name} as stored (${key}, ${columns.join(', ')}) ${query}
      on conflict (${key}) do update set ${changes.join(', ')};`;
}

/**
 * One upsert for all rows of a statement, in the order of the keys. Sums that do not change are not written.
 * `offset 0` makes PostgreSQL compute the times of each row once.
 */
function sumUp(rollup: Rollup, change: keyof typeof CHANGED): string {
  const key = ['company_id', ...keyOf(rollup)];
  const places = key.map((_, place) => place + 1).join(', ');
  const sums = sumsOf(rollup.unit).map((sum) => {
    const conditions = conditionsOf(sum, rollup.unit).join(' and ');
    const value = sum.of === 'total' ? 'sign' : 'amount * sign';
    return conditions === '' ? `sum(${value})` : `coalesce(sum(${value}) filter (where ${conditions}), 0)`;
  });
  return addTo(
    rollup,
    `select ${[...key, ...sums].join(', ')} from (${CHANGED[change]} offset 0) as changed
      group by ${places} having ${sums.map((sum) => `${sum} <> 0`).join(' or ')} order by ${places}`,
  );
}

/** For a single new row: without sorting and grouping, which take most of the time of `sumUp` for one row. */
function sumUpOne(rollup: Rollup): string {
  const sums = sumsOf(rollup.unit).map((sum) => {
    const conditions = conditionsOf(sum, rollup.unit).join(' and ');
    const value = sum.of === 'total' ? '1' : 'amount';
    return conditions === '' ? value : `case when ${conditions} then ${value} else 0 end`;
  });
  const key = ['company_id', ...keyOf(rollup)];
  return addTo(rollup, `select ${[...key, ...sums].join(', ')} from (${CHANGED.added}) as changed`);
}

const sumUpAll = (change: keyof typeof CHANGED): string =>
  ROLLUPS.map((rollup) => sumUp(rollup, change)).join('\n    ');

export const SUM_TRIGGERS: readonly string[] = [
  trigger(
    'total_added_transactions',
    `if (select count(*) from (select from new_rows limit 2) as few) = 1 then
      ${ROLLUPS.map(sumUpOne).join('\n    ')}
    else
      ${sumUpAll('added')}
    end if;`,
  ),
  trigger('total_deleted_transactions', sumUpAll('deleted')),
  trigger('total_updated_transactions', sumUpAll('updated')),
  calling('transactions', 'insert', 'total_added_transactions'),
  calling('transactions', 'delete', 'total_deleted_transactions'),
  calling('transactions', 'update', 'total_updated_transactions'),
];
