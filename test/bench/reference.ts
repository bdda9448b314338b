/**
 * Tables of the reference data set (a SQLite file with groups, numbers, devices, software and transactions, which the
 * reference servers of the side-by-side bench read as they are) and the columns of ours that they fill.
 */
import type { Selectable } from 'kysely';

import type { Tables } from '../../src/schema/schema.js';

/** Columns of a table, with the SQL expressions that fill them from a query on the reference (`src`). */
interface Filling {
  readonly table: keyof Tables;
  readonly columns: Readonly<Record<string, string>>;
  readonly from: string;
}

/** Refuses columns that the table does not have, and the lack of one that it needs. */
const fill = <Name extends keyof Tables>(
  table: Name,
  columns: Readonly<Partial<Record<keyof Selectable<Tables[Name]>, string>>>,
  from: string,
): Filling => ({ table, columns: columns as Readonly<Record<string, string>>, from });

/** First moment of the data set, in milliseconds since 1970. */
const FIRST = Date.UTC(2026, 7, 22);
/** The reference has times as ISO 8601 texts. */
const milliseconds = (column: string): string =>
  `cast(round(unixepoch(${column}, 'subsec') * 1000) as integer)`;
const audit = (created = String(FIRST)) => ({
  revision: '1',
  created_at: created,
  updated_at: created,
  created_by: '1',
  created_via: `'api'`,
});
/** `user17@example.com` is the user 17. */
const CREATOR = `cast(substr(created_by, 5, instr(created_by, '@') - 5) as integer)`;
const IS_ENDED = `status in ('success', 'fail')`;

/** In the order of their references. The reference has one company with fleet and software: 1. */
export const FILLINGS: readonly Filling[] = [
  fill(
    'companies',
    { id: 'id', name: 'name', created_at: `${FIRST}`, updated_at: `${FIRST}` },
    'src.companies',
  ),
  fill(
    'users',
    {
      id: 'id',
      email: 'email',
      name: 'name',
      time_zone: `'UTC'`,
      password_hash: `'none'`,
      sign_in_count: '0',
      failed_sign_ins: '0',
      ...{ revision: '1', created_at: `${FIRST}`, updated_at: `${FIRST}` },
    },
    'src.users',
  ),
  fill(
    'memberships',
    { company_id: 'company_id', user_id: 'id', role: 'role', created_at: `${FIRST}` },
    'src.users',
  ),
  fill(
    'groups',
    { id: 'id', company_id: 'company_id', name: 'name', ...audit(milliseconds('created_at')) },
    'src.groups',
  ),
  fill(
    'logical_numbers',
    {
      id: 'id',
      company_id: 'company_id',
      number: 'number',
      group_id: 'group_id',
      ...audit(milliseconds('created_at')),
    },
    'src.logical_numbers',
  ),
  fill(
    'devices',
    {
      id: 'id',
      company_id: 'company_id',
      serial_number: 'serial_number',
      enabled: 'enabled',
      logical_number_id: 'id',
      meta: 'meta',
      framework_version: 'framework_version',
      revision: '1',
      created_at: milliseconds('created_at'),
      updated_at: milliseconds('updated_at'),
      created_by: CREATOR,
      created_via: `case created_via when 'web' then 'interface' else 'api' end`,
    },
    'src.devices',
  ),
  fill(
    'apps',
    {
      id: 'id',
      company_id: 'company_id',
      name: 'name',
      communication_format: `'http'`,
      kind: `'standard'`,
      language: `'ruby'`,
      ...audit(),
    },
    'src.apps',
  ),
  fill(
    'contents',
    { id: 'id', company_id: '1', size: 'size', crc: 'crc', sha256: `''`, created_at: `${FIRST}` },
    'src.files',
  ),
  fill(
    'files',
    {
      id: 'id',
      company_id: '1',
      name: 'name',
      file_type: `'asset'`,
      crc: 'crc',
      content_id: 'id',
      size: 'size',
      ...audit(),
    },
    'src.files',
  ),
  fill(
    'app_versions',
    {
      id: 'id',
      company_id: 'company_id',
      app_id: 'app_id',
      number: 'version',
      uuid: `format('%08x-0000-4000-8000-%012x', id, id)`,
      displayable: '0',
      size: '0',
      crc: `'0000'`,
      ...audit(milliseconds('created_at')),
    },
    '(select v.*, a.company_id from src.app_versions v join src.apps a on a.id = v.app_id)',
  ),
  fill(
    'app_version_groups',
    { company_id: '1', app_version_id: 'app_version_id', group_id: 'group_id' },
    'src.group_app_versions',
  ),
  fill(
    'logical_number_app_versions',
    { company_id: '1', logical_number_id: 'logical_number_id', app_version_id: 'app_version_id' },
    'src.logical_number_app_versions',
  ),
  fill(
    'app_version_files',
    { company_id: '1', app_version_id: 'app_version_id', file_id: 'file_id' },
    'src.app_version_files',
  ),
  // Payments of the reference stand as text in `sent`, for example `sale 12345 EUR`.
  fill(
    'transactions',
    {
      id: 'id',
      company_id: 'company_id',
      transaction_type: `'company'`,
      serial_number: 'serial_number',
      logical_number: 'logical_number',
      app_name: 'app_name',
      detail: 'message',
      ...{ status: `iif(${IS_ENDED}, status, 'running')`, sent: `type || ' ' || amount || ' ' || currency` },
      ...{ amount: 'amount', started_at: 'at', finished_at: `iif(${IS_ENDED}, at + 2000, null)` },
      recorded_at: 'at + 3000',
    },
    `(select *, ${milliseconds('created_at')} as at from src.transactions)`,
  ),
];

/** Records with an entry in the ledger, and their type there. */
export const RECORDED: readonly (readonly [table: string, entityType: string])[] = [
  ['groups', 'group'],
  ['logical_numbers', 'logical_number'],
  ['devices', 'device'],
  ['apps', 'app'],
  ['app_versions', 'app_version'],
  ['files', 'file'],
];
