/** Triggers of PostgreSQL that maintain the sums of transactions. */
import { calling, trigger } from './postgres-triggers.js';
import { addends, keyOf, ROLLUPS, SPAN_VALUES, SUMMED, SUMS, type Rollup } from './rollups.js';

/** Minute of a transaction since 1970; rounds toward zero, as SQLite does. */
export const MINUTE_OF_TRANSACTION = 'div(extract(epoch from started_at), 60)::bigint';

const COLUMNS = ['company_id', `${MINUTE_OF_TRANSACTION} as minute`, ...SUMMED].join(', ');

/** Rows with a sign: 1 for rows that a statement added, -1 for rows that it removed. */
const CHANGED = {
  added: `select ${COLUMNS}, 1 as sign from new_rows`,
  deleted: `select ${COLUMNS}, -1 as sign from old_rows`,
  updated: `select ${COLUMNS}, -1 as sign from old_rows union all select ${COLUMNS}, 1 from new_rows`,
} as const;

/** An upsert of the rows of `query`: the key and the sums of the rollup. */
function addTo(rollup: Rollup, query: string): string {
  const key = keyOf(rollup).join(', ');
  const changes = SUMS.map((each) => `${each} = stored.${each} + excluded.${each}`);
  return `insert into ${rollup.name} as stored (${key}, ${SUMS.join(', ')}) ${query}
      on conflict (${key}) do update set ${changes.join(', ')};`;
}

/** FROM with each changed row once for each span. `offset 0` computes the minute of each row once. */
const changedInSpans = (change: keyof typeof CHANGED): string =>
  `from (${CHANGED[change]} offset 0) as changed cross join (values ${SPAN_VALUES}) as spans (span)`;

const keyOfChange = (rollup: Rollup): readonly string[] =>
  keyOf(rollup).map((each) => (each === 'start' ? 'minute / span * span' : each));

/** One upsert for all rows of a statement, in the order of the keys. Sums that do not change are not written. */
function sumUp(rollup: Rollup, change: keyof typeof CHANGED): string {
  const key = keyOfChange(rollup);
  const places = key.map((_, place) => place + 1).join(', ');
  const sums = addends('changed').map((each) => `sum(${each} * sign)`);
  return addTo(
    rollup,
    `select ${[...key, ...sums].join(', ')} ${changedInSpans(change)}
      group by ${places} having ${sums.map((sum) => `${sum} <> 0`).join(' or ')} order by ${places}`,
  );
}

/** For a single new row: without sorting and grouping, which take most of the time of `sumUp` for one row. */
const sumUpOne = (rollup: Rollup): string =>
  addTo(
    rollup,
    `select ${[...keyOfChange(rollup), ...addends('changed')].join(', ')} ${changedInSpans('added')}`,
  );

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
