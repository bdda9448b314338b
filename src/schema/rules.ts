/**
 * Rules of the business that triggers keep: other triggers count, sum and guard. As statements of services, these would
 * be one more for each payment, sighting or device: a payment alone took a tenth more time. A test looks whether the
 * services that rely on a rule name it.
 */
import { HAVING_VERSIONS, isToHave, KNOWN_VERSIONS, ROLLOUT_STATE } from './software.js';

export interface RuleTrigger {
  readonly name: string;
  readonly table: string;
  readonly event: 'insert' | 'update' | 'delete';
  /** After `on` the table: columns and condition of the trigger, which runs for each row, and its statements. */
  readonly sqlite: { readonly of?: string; readonly when?: string; readonly run: string };
  /** Statements that run once for all rows of a change, which are `new_rows` and `old_rows`. */
  readonly postgres: string;
}

/** The rows of a change of PostgreSQL, before and after it. */
const BOTH = `new_rows as after
        join old_rows as before on before.company_id = after.company_id and before.id = after.id`;
/** True if a device got another logical number. */
const IS_MOVED = 'before.logical_number_id is distinct from after.logical_number_id';
const MOVED = 'old.logical_number_id is not new.logical_number_id';

const PROVEN_ROW = {
  when: `new.status = 'success' and new.transaction_type = 'switch'`,
  run: `update terminal_versions set state = 'proven', since = new.started_at
        where company_id = new.company_id and device_id =
            (select id from devices where company_id = new.company_id and serial_number = new.serial_number)
          and +state = 'installed' and since <= new.started_at and exists (
            select 1 from app_versions as v join apps as a on a.company_id = v.company_id and a.id = v.app_id
            where v.company_id = new.company_id and v.id = app_version_id and a.name = new.app_name);`,
};

const PROVEN_ROWS = `update terminal_versions as held set state = 'proven', since = sale.started_at
      from (select company_id, serial_number, app_name, max(started_at) as started_at from new_rows
        where status = 'success' and transaction_type = 'switch' group by 1, 2, 3) as sale
      join devices as device on device.company_id = sale.company_id and device.serial_number = sale.serial_number
      where held.company_id = device.company_id and held.device_id = device.id
        and held.state = 'installed' and held.since <= sale.started_at and exists (
          select 1 from app_versions as version
          join apps as app on app.company_id = version.company_id and app.id = version.app_id
          where version.company_id = held.company_id and version.id = held.app_version_id
            and app.name = sale.app_name);`;

/** A completed sale proves the installed version of its application. */
const PROOFS: readonly RuleTrigger[] = [
  {
    name: 'prove_versions',
    table: 'transactions',
    event: 'insert',
    sqlite: PROVEN_ROW,
    postgres: PROVEN_ROWS,
  },
  {
    name: 'prove_versions_later',
    table: 'transactions',
    event: 'update',
    sqlite: { of: 'status', ...PROVEN_ROW },
    postgres: PROVEN_ROWS,
  },
];

/** Notes the changed state `new` in the rollouts of the version. */
const NOTED_ROW = `update rollout_terminals set has_answered = has_answered or new.state <> 'granted',
          state = ${ROLLOUT_STATE.sqlite}
        where company_id = new.company_id and device_id = new.device_id and ${KNOWN_VERSIONS}
          and exists (select 1 from rollouts as own cross join json_each(own.app_version_ids) as part
            where own.company_id = rollout_terminals.company_id and own.id = rollout_terminals.rollout_id
              and part.value = new.app_version_id);`;

/** Notes the changed states of many rows: `query` returns company, device, version and state. */
const notedRows = (query: string): string =>
  `update rollout_terminals set has_answered = has_answered or changed.state <> 'granted', state = ${ROLLOUT_STATE.postgres}
      from (${query}) as changed (company_id, device_id, app_version_id, state)
      where rollout_terminals.company_id = changed.company_id and rollout_terminals.device_id = changed.device_id
        and ${KNOWN_VERSIONS} and exists (select 1 from rollouts as own
          where own.company_id = rollout_terminals.company_id and own.id = rollout_terminals.rollout_id
            and own.app_version_ids @> to_jsonb(changed.app_version_id));`;

/** The terminals of a rollout have the states of its versions, and have answered once they sent a request. */
const ROLLOUTS: readonly RuleTrigger[] = [
  {
    name: 'note_new_software',
    table: 'terminal_versions',
    event: 'insert',
    sqlite: { when: `new.state <> 'granted'`, run: NOTED_ROW },
    postgres: `if exists (select 1 from new_rows where state <> 'granted') then
        ${notedRows('select company_id, device_id, app_version_id, state from new_rows')}
      end if;`,
  },
  {
    name: 'note_changed_software',
    table: 'terminal_versions',
    event: 'update',
    sqlite: {
      of: 'state',
      when: `new.state <> old.state and (new.state <> 'granted' or ${isToHave('new')})`,
      run: NOTED_ROW,
    },
    postgres: notedRows(`select company_id, device_id, app_version_id, after.state from new_rows as after
        join old_rows as before using (company_id, device_id, app_version_id)
        where after.state <> before.state and (after.state <> 'granted' or ${isToHave('after')})`),
  },
  {
    name: 'note_answers',
    table: 'device_presence',
    event: 'update',
    sqlite: {
      of: 'last_seen_at',
      run: `update rollout_terminals set has_answered = 1
        where company_id = new.company_id and device_id = new.device_id and ${HAVING_VERSIONS}
          and not has_answered and granted_at <= new.last_seen_at;`,
    },
    postgres: `update rollout_terminals as t set has_answered = true from new_rows as seen
        where t.company_id = seen.company_id and t.device_id = seen.device_id and ${HAVING_VERSIONS}
          and not t.has_answered and t.granted_at <= seen.last_seen_at;`,
  },
];

const MAY_USE = 'new.enabled and new.logical_number_id is not null';
const DUE_ROW = `update notification_deliveries set due_at = max(coalesce(lease_ends_at, 0), new.updated_at)
        where company_id = new.company_id and lane in (new.logical_number_id, -2 * new.id, -2 * new.id - 1)
          and finished_at is null and due_at is not null;`;
const dueRows = (devices: string): string =>
  `update notification_deliveries as delivery set due_at = greatest(delivery.lease_ends_at, device.updated_at)
      from (${devices}) as device
      where delivery.company_id = device.company_id
        and delivery.lane in (device.logical_number_id, -2 * device.id, -2 * device.id - 1)
        and delivery.finished_at is null and delivery.due_at is not null;`;

/** Deliveries for a logical number become due again when one of its devices may use the service, commands when theirs may. */
const DELIVERIES: readonly RuleTrigger[] = [
  {
    name: 'wake_deliveries_of_new_devices',
    table: 'devices',
    event: 'insert',
    sqlite: { when: MAY_USE, run: DUE_ROW },
    postgres: dueRows('select * from new_rows where enabled and logical_number_id is not null'),
  },
  {
    name: 'wake_deliveries_of_devices',
    table: 'devices',
    event: 'update',
    sqlite: {
      of: 'enabled, logical_number_id',
      when: `${MAY_USE} and (not old.enabled or ${MOVED})`,
      run: DUE_ROW,
    },
    postgres: dueRows(`select after.* from ${BOTH}
        where after.enabled and after.logical_number_id is not null and (not before.enabled or ${IS_MOVED})`),
  },
];

/** Adds former numbers of devices. `query` returns company, device, end of the time and number. */
const former = (query: string): string =>
  `insert into device_numbers (company_id, device_id, ended_at, number) ${query} on conflict do nothing;`;

/** A device is beside its presence and its former numbers, and no unknown terminal has its serial number. */
const DEVICES: readonly RuleTrigger[] = [
  {
    name: 'add_device_presence',
    table: 'devices',
    event: 'insert',
    sqlite: {
      run: 'insert into device_presence (company_id, device_id, last_seen_at) values (new.company_id, new.id, 0);',
    },
    postgres: `insert into device_presence (company_id, device_id, last_seen_at)
        select company_id, id, 'epoch' from new_rows;`,
  },
  {
    name: 'forget_unknown_terminals',
    table: 'devices',
    event: 'insert',
    sqlite: {
      run: 'delete from unknown_terminals where company_id = new.company_id and serial_number = new.serial_number;',
    },
    postgres: `delete from unknown_terminals as unknown using new_rows as device
        where unknown.company_id = device.company_id and unknown.serial_number = device.serial_number;`,
  },
  {
    name: 'note_numbers_of_devices',
    table: 'devices',
    event: 'update',
    sqlite: {
      of: 'logical_number_id',
      when: MOVED,
      run: former(`values (new.company_id, new.id, new.updated_at,
          (select number from logical_numbers where company_id = old.company_id and id = old.logical_number_id))`),
    },
    postgres: former(`select after.company_id, after.id, after.updated_at, number.number from ${BOTH}
        left join logical_numbers as number
          on number.company_id = before.company_id and number.id = before.logical_number_id
        where ${IS_MOVED}`),
  },
  {
    name: 'note_renamed_numbers',
    table: 'logical_numbers',
    event: 'update',
    sqlite: {
      of: 'number',
      when: 'old.number <> new.number',
      run: former(`select company_id, id, new.updated_at, old.number from devices
        where company_id = new.company_id and logical_number_id = new.id`),
    },
    postgres: former(`select device.company_id, device.id, after.updated_at, before.number from ${BOTH}
        join devices as device on device.company_id = after.company_id and device.logical_number_id = after.id
        where before.number <> after.number`),
  },
];

/** The tags of a record are also rows of the table `tags`, with the id of the record in the column `owner`. */
function tagging(table: string, tags: string, owner: string): readonly RuleTrigger[] {
  const insert = `insert into ${tags} (company_id, ${owner}, tag)`;
  const added = `${insert} select new.company_id, new.id, value from json_each(new.tags);`;
  const addedOf = (rows: string): string => `${insert} select after.company_id, after.id, tag
        from ${rows} cross join jsonb_array_elements_text(after.tags) as tag`;
  const isChanged = 'after.tags <> before.tags';
  return [
    {
      name: `tag_new_${table}`,
      table,
      event: 'insert',
      sqlite: { when: `new.tags <> '[]'`, run: added },
      postgres: `${addedOf('new_rows as after')};`,
    },
    {
      name: `tag_${table}`,
      table,
      event: 'update',
      sqlite: {
        of: 'tags',
        when: 'new.tags <> old.tags',
        run: `delete from ${tags} where company_id = new.company_id and ${owner} = new.id; ${added}`,
      },
      postgres: `delete from ${tags} as tagged using ${BOTH}
        where ${isChanged} and tagged.company_id = after.company_id and tagged.${owner} = after.id;
      ${addedOf(BOTH)} where ${isChanged};`,
    },
  ];
}

const TAGS = [
  ...tagging('devices', 'device_tags', 'device_id'),
  ...tagging('logical_numbers', 'logical_number_tags', 'logical_number_id'),
];

export const RULES: readonly RuleTrigger[] = [...DEVICES, ...TAGS, ...DELIVERIES, ...ROLLOUTS, ...PROOFS];
