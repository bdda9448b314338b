import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import { references, required, type Db } from '../table-builders.js';

const STATES = ['queued', 'sent', 'delivered', 'failed', 'expired', 'cancelled'];

const NEW_COLUMNS = [
  ...['sent_at', 'finished_at', 'lease_ends_at', 'due_at'].map((name) => `${name} integer`),
  'reason text',
  'attempts integer not null default 0',
  'sequence integer not null default 0',
];

const INDEXES = [
  `create index notification_deliveries_waiting on notification_deliveries
    (company_id, logical_number_id, id) where finished_at is null`,
  `create index notification_deliveries_due on notification_deliveries (company_id, due_at, id)
    where due_at is not null`,
  `create index notification_deliveries_by_notification_id_id on notification_deliveries
    (company_id, notification_id, id)`,
  `create index notification_deliveries_by_notification_id_state_id on notification_deliveries
    (company_id, notification_id, state, id)`,
  `create index notification_deliveries_by_sequence on notification_deliveries (company_id, sequence)`,
  `create index notification_totals_waiting on notification_totals (company_id, notification_id)
    where queued + sent > 0`,
];

const assigned = (changes: readonly (readonly [sign: '+' | '-', row: 'new' | 'old'])[]): string =>
  STATES.map((state) => {
    const terms = changes.map(([sign, row]) => `${sign} (${row}.state = '${state}')`);
    return `${state} = ${state} ${terms.join(' ')}`;
  }).join(', ');

const TOTALS = [
  `create trigger notification_deliveries_totalled_in after insert on notification_deliveries begin
    insert into notification_totals (company_id, notification_id, ${STATES.join(', ')})
      values (new.company_id, new.notification_id, ${STATES.map((state) => `new.state = '${state}'`).join(', ')})
      on conflict (company_id, notification_id) do update set ${assigned([['+', 'new']])};
  end`,
  `create trigger notification_deliveries_totalled_out after delete on notification_deliveries begin
    update notification_totals set ${assigned([['-', 'old']])}
      where company_id = old.company_id and notification_id = old.notification_id;
  end`,
  `create trigger notification_deliveries_totalled_moved after update of state on notification_deliveries
    when new.state <> old.state begin
    update notification_totals set ${assigned([
      ['+', 'new'],
      ['-', 'old'],
    ])}
      where company_id = new.company_id and notification_id = new.notification_id;
  end`,
];

/**
 * Triggers that make deliveries for a logical number due again when one of its devices may use the service.
 */
const due = (
  condition: string,
): string => `when new.enabled and new.logical_number_id is not null ${condition} begin
    update notification_deliveries set due_at = max(coalesce(lease_ends_at, 0), new.updated_at)
      where company_id = new.company_id and logical_number_id = new.logical_number_id
        and finished_at is null and due_at is not null;
  end`;
const REACHABLE = [
  `create trigger devices_reachable_in after insert on devices ${due('')}`,
  `create trigger devices_reachable after update of enabled, logical_number_id on devices
    ${due('and (not old.enabled or old.logical_number_id is not new.logical_number_id)')}`,
];

/**
 * Adds states of deliveries: when each was sent and finished, its lease, when it is due, the position of its
 * last change, and how many deliveries of a notification are in which state. All existing deliveries are
 * queued.
 */
export async function up(db: Db): Promise<void> {
  await run(db, 'alter table notification_deliveries rename column updated_at to queued_at');
  for (const column of NEW_COLUMNS) await run(db, `alter table notification_deliveries add column ${column}`);
  let totals = required(
    db.schema.createTable('notification_totals'),
    ddl.integer,
    ...['company_id', 'notification_id', ...STATES],
  );
  totals = references(totals, 'notification_id', 'notifications', 'cascade');
  await totals
    .addPrimaryKeyConstraint('notification_totals_pk', ['company_id', 'notification_id'])
    .modifyEnd(ddl.keyed)
    .execute();
  await run(db, 'update notification_deliveries set sequence = id');
  await run(
    db,
    `insert into counters (company_id, name, total, last_drawn)
      select company_id, 'delivery_changes', 0, max(id) from notification_deliveries group by company_id`,
  );
  await run(
    db,
    `update notification_deliveries set due_at = queued_at where (company_id, id) in (
      select company_id, min(id) from notification_deliveries group by company_id, logical_number_id)`,
  );
  await run(
    db,
    `insert into notification_totals (company_id, notification_id, ${STATES.join(', ')})
      select company_id, notification_id, count(*), 0, 0, 0, 0, 0 from notification_deliveries group by 1, 2`,
  );
  for (const statement of [...INDEXES, ...TOTALS, ...REACHABLE]) await run(db, statement);
}

async function run(db: Db, statement: string): Promise<void> {
  await sql.raw(statement).execute(db);
}
