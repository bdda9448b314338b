/**
 * Makes a database of this server from the reference data set, with the same ids, names and times, so that the
 * side-by-side bench follows the schema. The set is a SQLite file with groups, numbers, devices, software and
 * transactions, which the reference servers of that bench read as they are. Not a test.
 *
 *   npm run bench:load-reference -- REFERENCE.sqlite NEW.db --token TOKEN
 *
 * TOKEN has 40 hexadecimal digits (default: be, 20 times); it is that of user 1, with every scope.
 */
import { parseArgs } from 'node:util';

import { fill, fillDatabase, tokensOf, type Filling } from './fill.js';

/** First moment of the data set, in milliseconds since 1970. */
const FIRST = Date.UTC(2026, 7, 22);
/** The reference has times as ISO 8601 texts. */
const milliseconds = (column: string): string =>
  `cast(round(unixepoch(${column}, 'subsec') * 1000) as integer)`;
const auditAt = (created: string | number = FIRST) => ({
  revision: 1,
  created_at: created,
  updated_at: created,
  created_by: '1',
  created_via: `'api'`,
});
/** `user17@example.com` is the user 17. */
const CREATOR = `cast(substr(created_by, 5, instr(created_by, '@') - 5) as integer)`;
const IS_ENDED = `status in ('success', 'fail')`;

/** Columns that the reference has under the same names. */
const same = <Name extends string>(...names: readonly Name[]): Record<Name, Name> =>
  Object.fromEntries(names.map((name) => [name, name])) as Record<Name, Name>;
const AT_FIRST = { created_at: FIRST, updated_at: FIRST };
const audited = auditAt(milliseconds('created_at'));

/** In the order of their references. The reference has one company with fleet and software: 1. */
const RECORDS: readonly Filling[] = [
  fill('companies', { ...same('id', 'name'), ...AT_FIRST }, 'src.companies'),
  fill(
    'users',
    {
      ...same('id', 'email', 'name'),
      time_zone: `'UTC'`,
      password_hash: `'none'`,
      sign_in_count: 0,
      failed_sign_ins: 0,
      revision: 1,
      ...AT_FIRST,
    },
    'src.users',
  ),
  fill('memberships', { ...same('company_id', 'role'), user_id: 'id', created_at: FIRST }, 'src.users'),
  fill('groups', { ...same('id', 'company_id', 'name'), ...audited }, 'src.groups'),
  fill(
    'logical_numbers',
    { ...same('id', 'company_id', 'number', 'group_id'), ...audited },
    'src.logical_numbers',
  ),
  fill(
    'devices',
    {
      ...same('id', 'company_id', 'serial_number', 'enabled', 'meta', 'framework_version'),
      ...audited,
      logical_number_id: 'id',
      updated_at: milliseconds('updated_at'),
      created_by: CREATOR,
      created_via: `case created_via when 'web' then 'interface' else 'api' end`,
    },
    'src.devices',
  ),
  fill(
    'apps',
    {
      ...same('id', 'company_id', 'name'),
      communication_format: `'http'`,
      kind: `'standard'`,
      language: `'ruby'`,
      ...auditAt(),
    },
    'src.apps',
  ),
  fill(
    'contents',
    { ...same('id', 'size', 'crc'), company_id: 1, sha256: `''`, created_at: FIRST },
    'src.files',
  ),
  fill(
    'files',
    {
      ...same('id', 'name', 'crc', 'size'),
      company_id: 1,
      file_type: `'asset'`,
      content_id: 'id',
      ...auditAt(),
    },
    'src.files',
  ),
  fill(
    'app_versions',
    {
      ...same('id', 'company_id', 'app_id'),
      number: 'version',
      uuid: `format('%08x-0000-4000-8000-%012x', id, id)`,
      displayable: 0,
      size: 0,
      crc: `'0000'`,
      ...audited,
    },
    '(select v.*, a.company_id from src.app_versions v join src.apps a on a.id = v.app_id)',
  ),
  fill(
    'app_version_groups',
    { company_id: 1, ...same('app_version_id', 'group_id') },
    'src.group_app_versions',
  ),
  fill(
    'logical_number_app_versions',
    { company_id: 1, ...same('logical_number_id', 'app_version_id') },
    'src.logical_number_app_versions',
  ),
  fill('app_version_files', { company_id: 1, ...same('app_version_id', 'file_id') }, 'src.app_version_files'),
  // Payments of the reference stand as text in `sent`, for example `sale 12345 EUR`.
  fill(
    'transactions',
    {
      ...same('id', 'company_id', 'serial_number', 'logical_number', 'app_name', 'amount'),
      transaction_type: `'company'`,
      detail: 'message',
      status: `iif(${IS_ENDED}, status, 'running')`,
      sent: `type || ' ' || amount || ' ' || currency`,
      started_at: 'at',
      finished_at: `iif(${IS_ENDED}, at + 2000, null)`,
      recorded_at: 'at + 3000',
    },
    `(select *, ${milliseconds('created_at')} as at from src.transactions)`,
  ),
];

/** Records with an entry in the ledger, and their type there. */
const RECORDED = {
  groups: 'group',
  logical_numbers: 'logical_number',
  devices: 'device',
  apps: 'app',
  app_versions: 'app_version',
  files: 'file',
} as const;

/** An entry of the ledger for each record of a table, as its creation would have added. */
const created = ([table, entityType]: readonly [string, string]): Filling =>
  fill(
    'ledger',
    {
      sequence: `(select coalesce(max(sequence), 0) from ledger where company_id = r.company_id)
        + row_number() over (partition by company_id order by id)`,
      company_id: 'company_id',
      at: 'created_at',
      user_id: 'created_by',
      channel: `'api'`,
      action: `'create'`,
      entity_type: `'${entityType}'`,
      entity_id: 'id',
      after: `json_object('id', id)`,
      request_id: 'lower(hex(randomblob(16)))',
      ip: `'127.0.0.1'`,
    },
    `${table} r order by id`,
  );

/** Loads the reference data set in one transaction; resolves to the rows of each table. `target` must not exist. */
export async function loadReference(
  reference: string,
  target: string,
  token: string,
): Promise<ReadonlyMap<string, number>> {
  const fillings = [...RECORDS, ...Object.entries(RECORDED).map(created), tokensOf(1, [token])];
  return await fillDatabase(target, fillings, reference);
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { token: { type: 'string', default: 'be'.repeat(20) } },
  });
  const [reference, target] = positionals;
  if (reference === undefined || target === undefined) {
    throw new Error('Name the reference file and the new database: REFERENCE.sqlite NEW.db');
  }
  for (const [table, rows] of await loadReference(reference, target, values.token)) {
    process.stdout.write(`${table.padEnd(30)}${String(rows).padStart(10)}\n`);
  }
}
