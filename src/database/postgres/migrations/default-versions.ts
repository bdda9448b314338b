import { sql, type Kysely } from 'kysely';

import { index } from '../schema/builders.js';
import { counted } from '../schema/counters.js';
import { companyPolicies } from '../schema/policies.js';

const TABLE = 'group_default_versions';

const STATEMENTS: readonly string[] = [
  `create table ${TABLE} (
    company_id bigint not null,
    group_id bigint not null,
    app_version_id bigint not null,
    constraint attached_to_group foreign key (company_id, app_version_id, group_id)
      references app_version_groups (company_id, app_version_id, group_id) on delete cascade,
    constraint ${TABLE}_pk primary key (company_id, group_id, app_version_id))`,
  index(TABLE, 'app_version_id', 'group_id'),
  ...counted(TABLE),
  ...companyPolicies(TABLE),
];

/**
 * Counterpart of the SQLite migration 0015: adds app versions that a logical number gets when it enters a
 * group. A row refers to the attachment of its version to its group, so it is deleted together with it: when
 * the version is detached or deleted.
 */
export async function addGroupDefaultVersions<T>(db: Kysely<T>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
