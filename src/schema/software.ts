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
import { referenceTo, table, text } from './table.js';

const VERSION = ['app_version_id', 'app_versions'] as const;

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

  logical_number_app_versions: linkTable(['logical_number_id', 'logical_numbers'], VERSION),

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
