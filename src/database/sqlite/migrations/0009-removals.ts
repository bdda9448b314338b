import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import { companyTable, optional, references, required, type Db, type Table } from '../table-builders.js';

/**
 * Adds tables for the work that large changes leave to be done in steps: rows to remove, and deliveries to
 * queue.
 */
export async function up(db: Db): Promise<void> {
  let removals = optional(
    companyTable(db, 'removals'),
    ddl.integer,
    ...['group_id', 'logical_number_id', 'app_version_id', 'app_id'],
  );
  removals = required(required(removals, ddl.integer, 'change', 'position'), ddl.json, 'caller');
  removals = references(removals, 'group_id', 'groups', 'cascade');
  removals = references(removals, 'logical_number_id', 'logical_numbers', 'cascade');
  removals = references(removals, 'app_version_id', 'app_versions', 'cascade');
  await references(removals, 'app_id', 'apps', 'cascade').execute();
  await createIndexes(db);

  let targets: Table = required(
    db.schema.createTable('notification_targets'),
    ddl.integer,
    ...['company_id', 'notification_id', 'part'],
  );
  targets = required(targets, ddl.json, 'logical_numbers');
  await references(targets, 'notification_id', 'notifications', 'cascade')
    .addPrimaryKeyConstraint('notification_targets_pk', ['company_id', 'notification_id', 'part'])
    .execute();

  await sql`alter table logical_number_app_versions add column made_after integer not null default 0`.execute(
    db,
  );
}

/** Creates the indexes by which every row that a query reads is looked up in `removals`. */
async function createIndexes(db: Db): Promise<void> {
  for (const columns of [
    ['group_id', 'app_version_id'],
    ['app_version_id', 'group_id'],
    ['logical_number_id'],
    ['app_id'],
  ]) {
    await db.schema
      .createIndex(`removals_of_${columns.join('_')}`)
      .on('removals')
      .columns(['company_id', ...columns])
      .execute();
  }
}
