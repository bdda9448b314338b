import { sql, type Kysely } from 'kysely';

import { inCompany, index } from '../schema/builders.js';
import { companyPolicies } from '../schema/policies.js';

const TABLE = 'terminal_versions';

const STATEMENTS: readonly string[] = [
  `create table ${TABLE} (
    company_id bigint not null,
    device_id bigint not null,
    app_version_id bigint not null,
    content_id bigint not null,
    is_downloaded boolean not null,
    is_current boolean not null,
    constraint ${TABLE}_pk primary key (company_id, device_id, app_version_id),
    ${inCompany('device_id', 'devices', 'cascade')})`,
  index(TABLE, 'app_version_id', 'content_id', 'is_downloaded', 'is_current'),
  ...companyPolicies(TABLE),
];

/** Counterpart of the SQLite migration 0018. */
export async function addTerminalVersions<T>(db: Kysely<T>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
