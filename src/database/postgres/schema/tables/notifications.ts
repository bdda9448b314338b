import { AUDITED, auditedIndexes, companyTable, inCompany, index, TEXT } from '../builders.js';

const NOTIFICATIONS = companyTable(
  'notifications',
  `content ${TEXT} not null`,
  `range ${TEXT} not null`,
  `kind ${TEXT} not null`,
  'group_id bigint',
  'app_id bigint',
  'expires_at timestamptz not null',
  AUDITED,
);

const DELIVERIES = companyTable(
  'notification_deliveries',
  'notification_id bigint not null',
  'logical_number_id bigint not null',
  `state ${TEXT} not null`,
  'updated_at timestamptz not null',
  inCompany('notification_id', 'notifications', 'cascade'),
  inCompany('logical_number_id', 'logical_numbers', 'cascade'),
  'constraint notification_deliveries_once unique (company_id, notification_id, logical_number_id)',
);

const TARGETS = `create table notification_targets (
  company_id bigint not null,
  notification_id bigint not null,
  part bigint not null,
  logical_numbers jsonb not null,
  ${inCompany('notification_id', 'notifications', 'cascade')},
  constraint notification_targets_pk primary key (company_id, notification_id, part))`;

const REMOVALS = companyTable(
  'removals',
  'group_id bigint',
  'logical_number_id bigint',
  'app_version_id bigint',
  'app_id bigint',
  'change bigint not null',
  'position bigint not null',
  'caller jsonb not null',
  inCompany('group_id', 'groups', 'cascade'),
  inCompany('logical_number_id', 'logical_numbers', 'cascade'),
  inCompany('app_version_id', 'app_versions', 'cascade'),
  inCompany('app_id', 'apps', 'cascade'),
);

const removalIndex = (...columns: string[]): string =>
  `create index removals_of_${columns.join('_')} on removals (company_id, ${columns.join(', ')})`;

/** Tables of notifications, and of the work that large changes have left to be done in steps. */
export const NOTIFICATION_TABLES: readonly string[] = [
  NOTIFICATIONS,
  ...['kind', 'group_id', 'expires_at'].map((column) => index('notifications', column, 'id')),
  ...auditedIndexes('notifications'),
  DELIVERIES,
  index('notification_deliveries', 'logical_number_id', 'id'),
  TARGETS,
  REMOVALS,
  removalIndex('group_id', 'app_version_id'),
  removalIndex('app_version_id', 'group_id'),
  removalIndex('logical_number_id'),
  removalIndex('app_id'),
];
