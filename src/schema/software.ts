import {
  bytes,
  companyTable,
  flag,
  instant,
  integer,
  jsonb,
  linkTable,
  optional,
  ownedBy,
  recordTable,
} from './table.js';
import { referenceTo, sinceEpoch, table, text, withFallback } from './table.js';

const VERSION = ['app_version_id', 'app_versions'] as const;

/** States of an app version on a terminal. */
export const SOFTWARE_STATES = ['granted', 'downloaded', 'installed', 'proven', 'failed'] as const;

/** Name in `counters` of the positions of their changes. */
export const SOFTWARE_CHANGES = 'software_changes';

/** True if the terminal of a row of `terminal_versions` is to have the version: its logical number has it. */
export const isToHave = (row: string): string => `exists (select 1 from devices as device
    cross join logical_number_app_versions as link
    where device.company_id = ${row}.company_id and device.id = ${row}.device_id and link.company_id = device.company_id
      and link.logical_number_id = device.logical_number_id and link.app_version_id = ${row}.app_version_id)`;

/** Condition of the terminals of rollouts that have got versions and not given them back. */
export const HAVING_VERSIONS = 'granted_at is not null and undone_at is null';
/** Condition of those that still count: triggers maintain their states. */
export const KNOWN_VERSIONS = `${HAVING_VERSIONS} and obstacle is null`;

/**
 * SQL of the state of the versions on a row of `rollout_terminals`: `failed` if one has failed, otherwise `proven` if one
 * is, otherwise what is so for all of them. `id` is the id of a version, in `part` of those of the rollout `own`.
 */
const rolloutState = (part: string, id: string): string => `(
  select case max(case held.state when 'failed' then 2 when 'proven' then 1 else 0 end)
      when 2 then 'failed' when 1 then 'proven'
      else case min(case held.state when 'downloaded' then 1 when 'installed' then 2 else 0 end)
        when 1 then 'downloaded' when 2 then 'installed' else 'granted' end end
    from rollouts as own cross join ${part} cross join terminal_versions as held
    where own.company_id = rollout_terminals.company_id and own.id = rollout_terminals.rollout_id
      and held.company_id = own.company_id and held.device_id = rollout_terminals.device_id
      and held.app_version_id = ${id})`;

export const ROLLOUT_STATE = {
  sqlite: rolloutState('json_each(own.app_version_ids) as part', 'part.value'),
  postgres: rolloutState(
    'jsonb_array_elements_text(own.app_version_ids) as part(value)',
    'part.value::bigint',
  ),
};

const total = withFallback(integer, 0);
const byState = Object.fromEntries(SOFTWARE_STATES.map((state) => [state, total])) as Record<
  (typeof SOFTWARE_STATES)[number],
  typeof total
>;

export const software = {
  apps: recordTable(
    {
      name: text,
      description: optional(text),
      communication_format: text,
      kind: text,
      language: text,
    },
    {
      searched: ['name'],
      unique: [['company_id', 'name']],
      indexes: [
        ['communication_format', 'id'],
        ['kind', 'id'],
        ['language', 'id'],
      ],
    },
  ),

  /** The bytes of a file or of an app version, in chunks; they never change. */
  contents: companyTable(
    {
      size: integer,
      crc: text,
      sha256: text,
      created_at: instant,
      /** Time when its owner was changed or deleted; it is deleted later: a response may still be streaming it. */
      released_at: optional(instant),
    },
    { indexes: [{ name: 'released', columns: ['released_at'], where: 'released_at is not null' }] },
  ),

  content_chunks: table(
    { company_id: integer, content_id: ownedBy('contents'), sequence: integer, bytes },
    { key: ['company_id', 'content_id', 'sequence'] },
  ),

  files: recordTable(
    {
      name: text,
      file_type: text,
      description: optional(text),
      content_id: referenceTo('contents'),
      size: integer,
      crc: text,
    },
    {
      searched: ['name'],
      unique: [['company_id', 'name']],
      // The first index finds the file of a released content.
      indexes: [['content_id'], ['file_type', 'id']],
    },
  ),

  app_versions: recordTable(
    {
      app_id: referenceTo('apps'),
      number: text,
      displayable: flag,
      authorizer_url: optional(text),
      pos_display_label: optional(text),
      uuid: text,
      content_id: optional(referenceTo('contents')),
      size: integer,
      crc: text,
    },
    {
      unique: [['company_id', 'app_id', 'number']],
      indexes: [['app_id', 'id'], ['content_id'], ['number', 'id']],
    },
  ),

  app_version_groups: linkTable(VERSION, ['group_id', 'groups'], {}),

  app_version_modules: linkTable(VERSION, ['module_id', 'app_versions'], {}),

  app_version_files: linkTable(VERSION, ['file_id', 'files'], {}),

  logical_number_app_versions: linkTable(['logical_number_id', 'logical_numbers'], VERSION, {
    granted_at: sinceEpoch,
  }),

  /** Reach of each app version: its terminals by state; triggers maintain it. Without references, as `terminal_versions`. */
  app_version_totals: table(
    {
      company_id: integer,
      app_version_id: integer,
      /** Logical numbers that have it. */
      numbers: total,
      ...byState,
      /** Terminals that downloaded it as a whole. */
      fetched: total,
    },
    { key: ['company_id', 'app_version_id'], isKeyed: true, fillFactor: 70 },
  ),

  /** App versions that a logical number gets when it enters the group. */
  group_default_versions: table(
    { company_id: integer, group_id: integer, app_version_id: integer },
    {
      key: ['company_id', 'group_id', 'app_version_id'],
      owner: 'app_version_groups',
      indexes: [['app_version_id', 'group_id']],
      isCounted: true,
    },
  ),

  /** App versions that many terminals get in waves. */
  rollouts: recordTable(
    {
      name: text,
      /** See `RolloutState`. */
      state: text,
      app_version_ids: jsonb,
      /** Versions that terminals have lost by it, which an undo gives back. */
      replaced_ids: jsonb,
      /** Conditions of each wave, see `RolloutWave`. */
      waves: jsonb,
      /** When it stops by itself, see `StopWhen`. */
      stop_when: jsonb,
      /** Hours of the day in which waves begin; null for all hours. */
      hours: jsonb,
      start_at: optional(instant),
      /** Terminals of the target, and those whose row is stored in `rollout_terminals`. */
      total: integer,
      drawn: integer,
      /** Place of the wave that gets the versions, or got them last, from 0; -1 before the first one. */
      wave: integer,
      wave_started_at: optional(instant),
      /** Job that gives or takes back the versions; null before the first wave. */
      job_id: optional(integer),
      /** Numbers of terminals of each wave when a node last looked, see `WaveFigures`. */
      figures: jsonb,
      figures_at: optional(instant),
      /** Since when no terminal has moved for which its wave waits; null while it waits for none. */
      unmoved_since: optional(instant),
      /** Payments of the terminals of each wave that has begun, see `WavePayments`. */
      payments: jsonb,
      stopped_because: optional(text),
      /** Next time at which a node decides about it; null if nothing is to be decided. */
      due_at: optional(instant),
      /** Position of its last change among all changes of the company's rollouts; drawn from `counters`. */
      sequence: integer,
    },
    {
      indexes: [
        ['state', 'id'],
        ['unmoved_since', 'id'],
        ['sequence'],
        { name: 'due', columns: ['due_at'], where: 'due_at is not null' },
      ],
    },
  ),

  /** Terminals of a rollout: each is drawn into a wave once. */
  rollout_terminals: companyTable(
    {
      rollout_id: ownedBy('rollouts'),
      /** Place of its wave, from 0; -1 if it was left out when the waves were drawn. */
      wave: integer,
      device_id: integer,
      /** Logical number that the device had when it was drawn. */
      logical_number_id: integer,
      /** State of the versions on it, see `WaveFigures`; triggers maintain it while it has them. */
      state: text,
      /** Why it does not get the versions or does not count any more, see `Obstacle`; null if it does. */
      obstacle: optional(text),
      granted_at: optional(instant),
      /** True if it has sent a request since it got the versions; triggers maintain it. */
      has_answered: flag,
      /** Ids of the versions that its logical number got and lost by the grant, which an undo takes back. */
      added: jsonb,
      removed: jsonb,
      undone_at: optional(instant),
    },
    {
      unique: [['company_id', 'rollout_id', 'device_id']],
      indexes: [['rollout_id', 'wave', 'state', 'has_answered'], ['device_id']],
    },
  ),
};
