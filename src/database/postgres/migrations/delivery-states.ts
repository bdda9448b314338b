import { sql, type Kysely } from 'kysely';

import { inCompany, index, TEXT } from '../schema/builders.js';
import { companyPolicies } from '../schema/policies.js';
import { SYSTEM_ROLE } from '../schema/roles.js';

const STATES = ['queued', 'sent', 'delivered', 'failed', 'expired', 'cancelled'];

const COLUMNS: readonly string[] = [
  'alter table notification_deliveries rename column updated_at to queued_at',
  `alter table notification_deliveries
    ${['sent_at', 'finished_at', 'lease_ends_at', 'due_at'].map((name) => `add column ${name} timestamptz,`).join(' ')}
    add column reason ${TEXT},
    add column attempts bigint not null default 0,
    add column sequence bigint not null default 0`,
];

const TOTALS = `create table notification_totals (
  company_id bigint not null,
  notification_id bigint not null,
  ${STATES.map((state) => `${state} bigint not null,`).join('\n')}
  ${inCompany('notification_id', 'notifications', 'cascade')},
  constraint notification_totals_pk primary key (company_id, notification_id)) with (fillfactor = 70)`;

/** Sets the new columns and totals: all existing deliveries are queued. */
const FILL: readonly string[] = [
  'update notification_deliveries set sequence = id',
  `insert into counters (company_id, name, total, last_drawn)
    select company_id, 'delivery_changes', 0, max(id) from notification_deliveries group by company_id`,
  `update notification_deliveries set due_at = queued_at where (company_id, id) in (
    select company_id, min(id) from notification_deliveries group by company_id, logical_number_id)`,
  `insert into notification_totals (company_id, notification_id, ${STATES.join(', ')})
    select company_id, notification_id, count(*), 0, 0, 0, 0, 0 from notification_deliveries group by 1, 2`,
];

const INDEXES: readonly string[] = [
  `create index notification_deliveries_waiting on notification_deliveries
    (company_id, logical_number_id, id) where finished_at is null`,
  `create index notification_deliveries_due on notification_deliveries (company_id, due_at, id)
    where due_at is not null`,
  index('notification_deliveries', 'notification_id', 'id'),
  index('notification_deliveries', 'notification_id', 'state', 'id'),
  index('notification_deliveries', 'sequence'),
  `create index notification_totals_waiting on notification_totals (company_id, notification_id)
    where queued + sent > 0`,
];

const counts = (sign: string): string =>
  STATES.map(
    (state) => `coalesce(sum(${sign}) filter (where state = '${state}'), 0)::bigint as ${state}`,
  ).join(', ');

const added = (by: string): string =>
  STATES.map((state) => `${state} = total.${state} + ${by}.${state}`).join(', ');

const changing = (
  name: string,
  rows: string,
): string => `create function ${name}() returns trigger language plpgsql
  set search_path from current as $$
  begin
    update notification_totals as total set ${added('changed')}
      from (select company_id, notification_id, ${counts('sign')} from (${rows}) as signed
        group by company_id, notification_id) as changed
      where total.company_id = changed.company_id and total.notification_id = changed.notification_id
        and (${STATES.map((state) => `changed.${state} <> 0`).join(' or ')});
    return null;
  end $$`;

const ROW = 'company_id, notification_id, state';

const TOTALLING: readonly string[] = [
  `create function total_added_deliveries() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into notification_totals as total (company_id, notification_id, ${STATES.join(', ')})
      select company_id, notification_id, ${counts('1')} from new_rows
      group by company_id, notification_id order by company_id, notification_id
    on conflict (company_id, notification_id) do update set ${added('excluded')};
    return null;
  end $$`,
  changing('total_deleted_deliveries', `select ${ROW}, -1 as sign from old_rows`),
  changing(
    'total_changed_deliveries',
    `select ${ROW}, -1 as sign from old_rows union all select ${ROW}, 1 from new_rows`,
  ),
  `create trigger notification_deliveries_totalled_in after insert on notification_deliveries
    referencing new table as new_rows for each statement execute function total_added_deliveries()`,
  `create trigger notification_deliveries_totalled_out after delete on notification_deliveries
    referencing old table as old_rows for each statement execute function total_deleted_deliveries()`,
  `create trigger notification_deliveries_totalled_moved after update on notification_deliveries
    referencing old table as old_rows new table as new_rows
    for each statement execute function total_changed_deliveries()`,
];

const reachable = (
  name: string,
  rows: string,
): string => `create function ${name}() returns trigger language plpgsql
  set search_path from current as $$
  begin
    update notification_deliveries as delivery set due_at = greatest(delivery.lease_ends_at, device.updated_at)
      from (${rows}) as device
      where delivery.company_id = device.company_id and delivery.logical_number_id = device.logical_number_id
        and delivery.finished_at is null and delivery.due_at is not null;
    return null;
  end $$`;

/** Deliveries for a logical number become due again when one of its devices may use the service. */
const REACHABLE: readonly string[] = [
  reachable(
    'wake_deliveries_of_new_devices',
    'select * from new_rows where enabled and logical_number_id is not null',
  ),
  reachable(
    'wake_deliveries_of_devices',
    `select after.* from new_rows as after join old_rows as before
      on before.company_id = after.company_id and before.id = after.id
      where after.enabled and after.logical_number_id is not null
        and (not before.enabled or before.logical_number_id is distinct from after.logical_number_id)`,
  ),
  `create trigger devices_reachable_in after insert on devices referencing new table as new_rows
    for each statement execute function wake_deliveries_of_new_devices()`,
  `create trigger devices_reachable after update on devices
    referencing old table as old_rows new table as new_rows
    for each statement execute function wake_deliveries_of_devices()`,
];

/** Counterpart of the SQLite migration 0019. */
export async function addDeliveryStates<T>(db: Kysely<T>): Promise<void> {
  const statements = [
    ...COLUMNS,
    TOTALS,
    ...companyPolicies('notification_totals'),
    // Row-level security hides all rows from the owner of the tables.
    `set local role ${SYSTEM_ROLE}`,
    ...FILL,
    'reset role',
    ...INDEXES,
    ...TOTALLING,
    ...REACHABLE,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
