import { COUNTED, COUNTED_LATER } from '../../totals/count.js';

/**
 * A trigger function that adds the rows of a statement to `counters`, by company, or subtracts them. The
 * first argument of the trigger is the name of the counter. Counters are locked in the order of their
 * companies. Rows without a company are not counted.
 */
function countingFunction(name: string, rows: 'new_rows' | 'old_rows', sign: '' | '-'): string {
  return `create function ${name}() returns trigger language plpgsql set search_path from current as $$
    begin
      insert into counters as counter (company_id, name, total)
        select company_id, tg_argv[0], ${sign}count(*) from ${rows}
        where company_id is not null group by company_id order by company_id
      on conflict (company_id, name) do update set total = counter.total + excluded.total;
      return null;
    end $$`;
}

const STAYS = `create function refuse_other_company() returns trigger language plpgsql as $$
  begin
    raise exception 'a record stays with its company';
  end $$`;

const APPEND_ONLY = `create function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception '% can only be added to', tg_table_name;
  end $$`;

const countedIn = (table: string, counter = table): string =>
  `create trigger ${table}_counted_in after insert on ${table} referencing new table as new_rows
    for each statement execute function count_added_rows('${counter}')`;

/** Triggers that count the rows of a table, and keep a row in its company. */
export function counted(table: string, counter = table): readonly string[] {
  return [
    countedIn(table, counter),
    `create trigger ${table}_counted_out after delete on ${table} referencing old table as old_rows
      for each statement execute function count_deleted_rows('${counter}')`,
    `create trigger ${table}_stays before update of company_id on ${table}
      for each row when (new.company_id <> old.company_id) execute function refuse_other_company()`,
  ];
}

const ADDED = `select company_id, count(*) as change from new_rows where state = 'queued' group by company_id`;
const REMOVED = `select company_id, -count(*) as change from old_rows where state = 'queued' group by company_id`;

/** A trigger function that counts the queued deliveries of each company. */
function countingOfQueued(name: string, changes: string): string {
  return `create function ${name}() returns trigger language plpgsql set search_path from current as $$
    begin
      insert into counters as counter (company_id, name, total)
        select company_id, 'queued_deliveries', sum(change) from (${changes}) as changes
        group by company_id having sum(change) <> 0 order by company_id
      on conflict (company_id, name) do update set total = counter.total + excluded.total;
      return null;
    end $$`;
}

const countedQueued = (event: string, rows: string, name: string): string =>
  `create trigger notification_deliveries_queued_${event} after ${event} on notification_deliveries
    referencing ${rows} for each statement execute function ${name}()`;

const QUEUED: readonly string[] = [
  countingOfQueued('count_added_queued', ADDED),
  countingOfQueued('count_removed_queued', REMOVED),
  countingOfQueued('count_changed_queued', `${ADDED} union all ${REMOVED}`),
  countedQueued('insert', 'new table as new_rows', 'count_added_queued'),
  countedQueued('delete', 'old table as old_rows', 'count_removed_queued'),
  countedQueued('update', 'old table as old_rows new table as new_rows', 'count_changed_queued'),
];

/**
 * Triggers that count the rows of each company, keep a row in its company, and refuse changes of ledger
 * entries.
 */
export const COUNTER_TRIGGERS: readonly string[] = [
  countingFunction('count_added_rows', 'new_rows', ''),
  countingFunction('count_deleted_rows', 'old_rows', '-'),
  STAYS,
  APPEND_ONLY,
  ...[...COUNTED, ...COUNTED_LATER].filter((table) => table !== 'ledger').flatMap((table) => counted(table)),
  ...counted('memberships', 'users'),
  ...QUEUED,
  countedIn('ledger'),
  `create trigger ledger_only_added_to before update or delete or truncate on ledger
    for each statement execute function refuse_change()`,
];
