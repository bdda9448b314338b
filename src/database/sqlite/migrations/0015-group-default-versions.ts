import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import { index, required, type Db } from '../table-builders.js';

const TABLE = 'group_default_versions';

/**
 * Adds app versions that a logical number gets when it enters a group. A row refers to the attachment of its
 * version to its group, so it is deleted together with it: when the version is detached or deleted.
 */
export async function up(db: Db): Promise<void> {
  const columns = ['company_id', 'group_id', 'app_version_id'];
  await required(db.schema.createTable(TABLE), ddl.integer, ...columns)
    .addForeignKeyConstraint(
      'attached_to_group',
      ['company_id', 'app_version_id', 'group_id'],
      'app_version_groups',
      ['company_id', 'app_version_id', 'group_id'],
      (key) => key.onDelete('cascade'),
    )
    .addPrimaryKeyConstraint(`${TABLE}_pk`, ['company_id', 'group_id', 'app_version_id'])
    .execute();
  await index(db, TABLE, 'app_version_id', 'group_id');
  for (const trigger of ddl.counted(TABLE, TABLE)) await sql.raw(trigger).execute(db);
}
