/** Bodies of the triggers of PostgreSQL for the states of app versions on terminals. */
import { KNOWN_VERSIONS, ROLLOUT_STATE, SOFTWARE_CHANGES } from './software.js';

/** Adds what devices get, unless their terminals have it already. `query` returns company, device, version and time. */
export const grant = (query: string): string =>
  `insert into terminal_versions (company_id, device_id, app_version_id, state, since)
      select found.company_id, found.device_id, found.app_version_id, 'granted', found.at
      from (${query}) as found (company_id, device_id, app_version_id, at) on conflict do nothing;`;

export const grantToDevices = (devices: string): string =>
  grant(`select device.company_id, device.id, link.app_version_id, device.at from (${devices}) as device
        join logical_number_app_versions as link on link.company_id = device.company_id
          and link.logical_number_id = device.logical_number_id`);

export const WITHOUT_BYTES = `held.state in ('granted', 'failed')`;

/** Proves the versions with which terminals have completed sales. */
export const PROVE = `update terminal_versions as held set state = 'proven', since = sale.started_at
      from (select company_id, serial_number, app_name, max(started_at) as started_at from new_rows
        where status = 'success' and transaction_type = 'switch' group by 1, 2, 3) as sale
      join devices as device on device.company_id = sale.company_id and device.serial_number = sale.serial_number
      where held.company_id = device.company_id and held.device_id = device.id
        and held.state = 'installed' and held.since <= sale.started_at and exists (
          select 1 from app_versions as version
          join apps as app on app.company_id = version.company_id and app.id = version.app_id
          where version.company_id = held.company_id and version.id = held.app_version_id
            and app.name = sale.app_name);`;

/** Notes changed states in the rollouts of the versions. `query` returns company, device, version and state. */
export const noteInRollouts = (query: string): string =>
  `update rollout_terminals set has_answered = has_answered or changed.state <> 'granted', state = ${ROLLOUT_STATE.postgres}
      from (${query}) as changed (company_id, device_id, app_version_id, state)
      where rollout_terminals.company_id = changed.company_id and rollout_terminals.device_id = changed.device_id
        and ${KNOWN_VERSIONS} and exists (select 1 from rollouts as own
          where own.company_id = rollout_terminals.company_id and own.id = rollout_terminals.rollout_id
            and own.app_version_ids @> to_jsonb(changed.app_version_id));`;

/** Triggers that draw the positions of changed states of app versions on terminals. */
export const PLACED: readonly string[] = [
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
