import {
  bytes,
  companyTable,
  flag,
  instant,
  integer,
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
      searched: 'name',
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
      searched: 'name',
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

  app_version_groups: linkTable(VERSION, ['group_id', 'groups']),

  app_version_modules: linkTable(VERSION, ['module_id', 'app_versions']),

  app_version_files: linkTable(VERSION, ['file_id', 'files']),

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
};
