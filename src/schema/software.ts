import { bytes, flag, instant, integer, optional, text } from './columns.js';
import { companyTable, inCompany, linkTable, ownedBy, recordTable, table } from './table.js';

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
      /**
       * Time when its owner was changed or deleted. The content is deleted later, since a response may still be
       * streaming it.
       */
      released_at: optional(instant),
    },
    {
      indexes: [{ name: 'contents_released', columns: ['released_at'], where: 'released_at is not null' }],
    },
  ),

  content_chunks: table(
    { company_id: integer, content_id: integer, sequence: integer, bytes },
    { key: ['company_id', 'content_id', 'sequence'], references: [ownedBy('content_id', 'contents')] },
  ),

  files: recordTable(
    {
      name: text,
      file_type: text,
      description: optional(text),
      content_id: integer,
      size: integer,
      crc: text,
    },
    {
      unique: [['company_id', 'name']],
      references: [inCompany('content_id', 'contents')],
      // The first index finds the file of a released content.
      indexes: [['content_id'], ['file_type', 'id']],
    },
  ),

  app_versions: recordTable(
    {
      app_id: integer,
      number: text,
      displayable: flag,
      authorizer_url: optional(text),
      pos_display_label: optional(text),
      uuid: text,
      content_id: optional(integer),
      size: integer,
      crc: text,
    },
    {
      unique: [['company_id', 'app_id', 'number']],
      references: [inCompany('app_id', 'apps'), inCompany('content_id', 'contents')],
      indexes: [['app_id', 'id'], ['content_id'], ['number', 'id']],
    },
  ),

  app_version_groups: linkTable(VERSION, ['group_id', 'groups']),

  app_version_modules: linkTable(VERSION, ['module_id', 'app_versions']),

  app_version_files: linkTable(VERSION, ['file_id', 'files']),

  logical_number_app_versions: linkTable(['logical_number_id', 'logical_numbers'], VERSION),

  /**
   * App versions that a logical number gets when it enters the group. A row refers to the attachment of its
   * version to its group, so it is deleted together with it: when the version is detached or deleted.
   */
  group_default_versions: table(
    { company_id: integer, group_id: integer, app_version_id: integer },
    {
      key: ['company_id', 'group_id', 'app_version_id'],
      references: [
        {
          columns: ['company_id', 'app_version_id', 'group_id'],
          table: 'app_version_groups',
          targets: ['company_id', 'app_version_id', 'group_id'],
          isOwned: true,
        },
      ],
      indexes: [['app_version_id', 'group_id']],
    },
  ),
};
