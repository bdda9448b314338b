import { AUDITED, auditedIndexes, companyTable, inCompany, index, TEXT } from '../builders.js';

const GROUPS = companyTable(
  'groups',
  `name ${TEXT} not null`,
  AUDITED,
  'constraint groups_name unique (company_id, name)',
);

const LOGICAL_NUMBERS = companyTable(
  'logical_numbers',
  `number ${TEXT} not null`,
  'group_id bigint',
  AUDITED,
  inCompany('group_id', 'groups'),
  'constraint logical_numbers_number unique (company_id, number)',
);

/**
 * Unlike SQLite, without an index on the models in `meta`: an entry of more than 2,700 bytes would be
 * refused, and a count by model reads all devices of the company anyway.
 */
const DEVICES = companyTable(
  'devices',
  `serial_number ${TEXT} not null`,
  'enabled boolean not null',
  'logical_number_id bigint',
  'meta json not null',
  `framework_version ${TEXT}`,
  AUDITED,
  inCompany('logical_number_id', 'logical_numbers'),
  'constraint devices_serial_number unique (company_id, serial_number)',
);

/**
 * Parameters or metacontents: values of a group or of a logical number. Two rows without a group do not
 * conflict, since NULL equals no other NULL.
 */
function settings(name: string, ...value: string[]): readonly string[] {
  const table = companyTable(
    name,
    'group_id bigint',
    'logical_number_id bigint',
    `key ${TEXT} not null`,
    ...value,
    AUDITED,
    inCompany('group_id', 'groups'),
    inCompany('logical_number_id', 'logical_numbers'),
    `constraint ${name}_group_key unique (company_id, group_id, key)`,
    `constraint ${name}_logical_number_key unique (company_id, logical_number_id, key)`,
    `constraint ${name}_one_owner check ((group_id is null) <> (logical_number_id is null))`,
  );
  const columns = ['group_id', 'logical_number_id', 'key'];
  return [table, ...columns.map((column) => index(name, column, 'id')), ...auditedIndexes(name)];
}

export const FLEET_TABLES: readonly string[] = [
  GROUPS,
  ...auditedIndexes('groups'),
  LOGICAL_NUMBERS,
  index('logical_numbers', 'group_id', 'id'),
  ...auditedIndexes('logical_numbers'),
  DEVICES,
  index('devices', 'logical_number_id', 'id'),
  index('devices', 'enabled', 'id'),
  index('devices', 'framework_version', 'id'),
  ...auditedIndexes('devices'),
  ...settings('parameters', `value ${TEXT} not null`, `description ${TEXT}`),
  ...settings('metacontents', 'value json not null'),
];
