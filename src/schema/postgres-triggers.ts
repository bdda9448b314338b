/** Triggers of PostgreSQL, which run once for each statement, in the search path in which they are created. */
import { addends, keyOf, ROLLUPS, SPAN_VALUES, SUMMED, SUMS, type Rollup } from './rollups.js';
import { RULES, type RuleTrigger } from './rules.js';
import { COUNTED, RETAINED } from './schema.js';
import { SOFTWARE_CHANGES } from './software.js';
import { STATE_TOTALS, type StateTotals } from './state-totals.js';

/** A trigger function. `body` are statements that use the rows of the change, `new_rows` and `old_rows`. */
const trigger = (name: string, body: string): string =>
  `create or replace function ${name}() returns trigger language plpgsql set search_path from current as $$
  begin
    ${body}
    return null;
  end $$`;

type Event = 'insert' | 'update' | 'delete';

/** Calls the function `name` after a change of the table; with an argument, that of several tables. */
function calling(table: string, event: Event, name: string, argument?: string): string {
  const old = event === 'insert' ? '' : ' old table as old_rows';
  const rows = event === 'delete' ? old : `${old} new table as new_rows`;
  const [label, given] = argument === undefined ? [name, ''] : [`${table}_${name}`, `'${argument}'`];
  return `create trigger ${label} after ${event} on ${table} referencing${rows}
    for each statement execute function ${name}(${given})`;
}

/** Adds the numbers of changed rows to counters, which are locked in the order of their companies. */
const countRows = (rows: string, sign: string): string =>
  `insert into counters as counter (company_id, name, total)
      select company_id, tg_argv[0], ${sign}count(*) from ${rows} where company_id is not null group by company_id
      order by company_id
      on conflict (company_id, name) do update set total = counter.total + excluded.total;`;

/** Triggers that count the rows of each company, and keep a row in its company. */
const COUNTERS: readonly string[] = [
  trigger('count_added_rows', countRows('new_rows', '')),
  trigger('count_deleted_rows', countRows('old_rows', '-')),
  `create or replace function refuse_other_company() returns trigger language plpgsql as $$
  begin
    raise exception 'a record stays with its company';
  end $$`,
  ...COUNTED.flatMap(({ table, counter }) => [
    calling(table, 'insert', 'count_added_rows', counter),
    calling(table, 'delete', 'count_deleted_rows', counter),
  ]),
  ...RETAINED.map(
    ({ table }) => `create trigger ${table}_stays before update of company_id on ${table}
      for each row when (new.company_id <> old.company_id) execute function refuse_other_company()`,
  ),
];

/** Triggers that refuse changes of ledger entries, except the deletion of those up to the one in `prunings`. */
const KEPT: readonly string[] = [
  `create or replace function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception '% can only be added to', tg_table_name;
  end $$`,
  `create or replace function refuse_kept_entry() returns trigger language plpgsql set search_path from current as $$
  begin
    if exists (select 1 from prunings where company_id = coalesce(old.company_id, 0) and name = 'ledger'
        and up_to >= old.sequence) then
      return old;
    end if;
    raise exception 'ledger can only be added to';
  end $$`,
  `create trigger ledger_only_added_to before update or truncate on ledger
    for each statement execute function refuse_change()`,
  'create trigger ledger_no_delete before delete on ledger for each row execute function refuse_kept_entry()',
];

/** Adds the numbers of rows of `rows`, in the order of the keys. */
const addToTotals = ({ into, by, counts }: StateTotals): string => {
  const key = `company_id, ${by}`;
  const numbers = Object.entries(counts).map(
    ([name, count]) => `count(*) filter (where ${count((column) => column)}) as ${name}`,
  );
  const sums = Object.keys(counts).map((name) => `${name} = total.${name} + excluded.${name}`);
  return `insert into ${into} as total (${key}, ${Object.keys(counts).join(', ')})
        select ${key}, ${numbers.join(', ')} from new_rows where ${by} is not null group by ${key} order by ${key}
        on conflict (${key}) do update set ${sums.join(', ')};`;
};

/** Changes numbers by rows with a sign: 1 for rows that are added, -1 for rows that are removed. */
const changeTotals = ({ into, by, counts }: StateTotals, rows: string): string => {
  const names = Object.keys(counts);
  const numbers = Object.entries(counts).map(
    ([name, count]) =>
      `coalesce(sum(sign) filter (where ${count((column) => column)}), 0)::bigint as ${name}`,
  );
  return `update ${into} as total set ${names.map((name) => `${name} = total.${name} + changed.${name}`).join(', ')}
      from (select company_id, ${by}, ${numbers.join(', ')} from (${rows}) as signed
        group by company_id, ${by}) as changed
      where total.company_id = changed.company_id and total.${by} = changed.${by}
        and (${names.map((name) => `changed.${name} <> 0`).join(' or ')});`;
};

/** Triggers that count rows by what they refer to. */
function totalling(totals: StateTotals): readonly string[] {
  const { of, into, by, columns } = totals;
  const signed = (rows: string, sign: number): string =>
    `select ${['company_id', by, ...columns].join(', ')}, ${sign} as sign from ${rows}`;
  const [removed, added] = [signed('old_rows', -1), signed('new_rows', 1)];
  const bodies: Partial<Record<Event, string>> = {
    insert: addToTotals(totals),
    delete: changeTotals(totals, removed),
    ...(columns.length === 0 ? {} : { update: changeTotals(totals, `${removed} union all ${added}`) }),
  };
  return Object.entries(bodies).flatMap(([event, body]) => {
    const name = `${into}_on_${event}_of_${of}`;
    return [trigger(name, body), calling(of, event as Event, name)];
  });
}

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
  ROLLUPS.map((rollup) => sumUp(rollup, change)).join('\n');

/** Triggers that draw the positions of changed states of app versions on terminals. */
const PLACING: readonly string[] = [
  `create or replace function place_software_change() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into counters as counter (company_id, name, total, last_drawn)
      values (new.company_id, '${SOFTWARE_CHANGES}', 0, 1)
      on conflict (company_id, name) do update set last_drawn = counter.last_drawn + 1
      returning counter.last_drawn into new.sequence;
    return new;
  end $$`,
  `create trigger place_new_software before insert on terminal_versions
    for each row when (new.state <> 'granted') execute function place_software_change()`,
  `create trigger place_changed_software before update on terminal_versions
    for each row when (new.state <> old.state or new.reason is distinct from old.reason or new.attempts <> old.attempts)
    execute function place_software_change()`,
];

const SUMMING: readonly Pick<RuleTrigger, 'name' | 'event' | 'postgres'>[] = [
  {
    name: 'total_added_transactions',
    event: 'insert',
    postgres: `if (select count(*) from (select from new_rows limit 2) as few) = 1 then
        ${ROLLUPS.map(sumUpOne).join('\n')}
      else
        ${sumUpAll('added')}
      end if;`,
  },
  { name: 'total_deleted_transactions', event: 'delete', postgres: sumUpAll('deleted') },
  { name: 'total_updated_transactions', event: 'update', postgres: sumUpAll('updated') },
];

const AFTER_CHANGES = [...SUMMING.map((each) => ({ ...each, table: 'transactions' })), ...RULES].flatMap(
  ({ name, table, event, postgres }) => [trigger(name, postgres), calling(table, event, name)],
);

export const TRIGGERS: readonly string[] = [
  ...COUNTERS,
  ...KEPT,
  ...STATE_TOTALS.flatMap(totalling),
  ...PLACING,
  ...AFTER_CHANGES,
];
