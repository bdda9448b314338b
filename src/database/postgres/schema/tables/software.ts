import { AUDITED, auditedIndexes, companyTable, inCompany, index, TEXT } from '../builders.js';

const APPS = companyTable(
  'apps',
  `name ${TEXT} not null`,
  `communication_format ${TEXT} not null`,
  `kind ${TEXT} not null`,
  `language ${TEXT} not null`,
  `description ${TEXT}`,
  AUDITED,
  'constraint apps_name unique (company_id, name)',
);

const CONTENTS = companyTable(
  'contents',
  'size bigint not null',
  `crc ${TEXT} not null`,
  `sha256 ${TEXT} not null`,
  'created_at timestamptz not null',
  'released_at timestamptz',
);

const CONTENT_CHUNKS = `create table content_chunks (
  company_id bigint not null,
  content_id bigint not null,
  sequence bigint not null,
  bytes bytea not null,
  ${inCompany('content_id', 'contents', 'cascade')},
  constraint content_chunks_pk primary key (company_id, content_id, sequence))`;

const FILES = companyTable(
  'files',
  `name ${TEXT} not null`,
  `file_type ${TEXT} not null`,
  `crc ${TEXT} not null`,
  `description ${TEXT}`,
  'content_id bigint not null',
  'size bigint not null',
  AUDITED,
  inCompany('content_id', 'contents'),
  'constraint files_name unique (company_id, name)',
);

const APP_VERSIONS = companyTable(
  'app_versions',
  'app_id bigint not null',
  'size bigint not null',
  `number ${TEXT} not null`,
  `uuid ${TEXT} not null`,
  `crc ${TEXT} not null`,
  'displayable boolean not null',
  `authorizer_url ${TEXT}`,
  `pos_display_label ${TEXT}`,
  'content_id bigint',
  AUDITED,
  inCompany('app_id', 'apps'),
  inCompany('content_id', 'contents'),
  'constraint app_versions_number unique (company_id, app_id, number)',
);

type Reference = readonly [column: string, target: string];

/** A table of links between two tables, indexed in both directions. */
function link(name: string, from: Reference, to: Reference, ...more: string[]): readonly string[] {
  const columns = [`${from[0]} bigint not null`, `${to[0]} bigint not null`, ...more];
  return [
    `create table ${name} (
      company_id bigint not null,
      ${columns.join(', ')},
      ${inCompany(...from, 'cascade')},
      ${inCompany(...to, 'cascade')},
      constraint ${name}_pk primary key (company_id, ${from[0]}, ${to[0]}))`,
    index(name, to[0], from[0]),
  ];
}

const VERSION: Reference = ['app_version_id', 'app_versions'];
const NUMBER: Reference = ['logical_number_id', 'logical_numbers'];

export const SOFTWARE_TABLES: readonly string[] = [
  APPS,
  ...['communication_format', 'kind', 'language'].map((column) => index('apps', column, 'id')),
  ...auditedIndexes('apps'),
  CONTENTS,
  'create index contents_released on contents (released_at) where released_at is not null',
  CONTENT_CHUNKS,
  // Applications and images are compressed already.
  'alter table content_chunks alter column bytes set storage external',
  FILES,
  index('files', 'content_id'),
  index('files', 'file_type', 'id'),
  ...auditedIndexes('files'),
  APP_VERSIONS,
  index('app_versions', 'app_id', 'id'),
  index('app_versions', 'content_id'),
  index('app_versions', 'number', 'id'),
  ...auditedIndexes('app_versions'),
  ...link('app_version_groups', VERSION, ['group_id', 'groups']),
  ...link('app_version_modules', VERSION, ['module_id', 'app_versions']),
  ...link('app_version_files', VERSION, ['file_id', 'files']),
  ...link('logical_number_app_versions', NUMBER, VERSION, 'made_after bigint not null default 0'),
];
