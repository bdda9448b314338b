import { ddl } from '../ddl.js';
import { index, references, required, type Db } from '../table-builders.js';

const TABLE = 'terminal_versions';

/** Adds the app versions whose bytes a terminal has, and whether it has downloaded them. */
export async function up(db: Db): Promise<void> {
  const columns = ['company_id', 'device_id', 'app_version_id', 'content_id', 'is_downloaded', 'is_current'];
  const table = required(db.schema.createTable(TABLE), ddl.integer, ...columns)
    .addPrimaryKeyConstraint(`${TABLE}_pk`, ['company_id', 'device_id', 'app_version_id'])
    .modifyEnd(ddl.keyed);
  await references(table, 'device_id', 'devices', 'cascade').execute();
  await index(db, TABLE, 'app_version_id', 'content_id', 'is_downloaded', 'is_current');
}
