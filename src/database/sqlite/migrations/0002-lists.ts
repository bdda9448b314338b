import { sql } from 'kysely';

import { jsonText } from '../../storage.js';
import { index, type Db } from '../table-builders.js';

const AUDITED = [
  'devices',
  'logical_numbers',
  'groups',
  'apps',
  'app_versions',
  'files',
  'notifications',
  'parameters',
  'metacontents',
];

/** Adds indexes for the orders and filters of lists. Each ends with the id, which makes the order total. */
export async function up(db: Db): Promise<void> {
  for (const table of AUDITED) {
    await index(db, table, 'created_at', 'id');
    await index(db, table, 'updated_at', 'id');
  }
  await index(db, 'app_versions', 'number', 'id');
  await index(db, 'parameters', 'key', 'id');
  await index(db, 'metacontents', 'key', 'id');
  await index(db, 'devices', 'enabled', 'id');
  await index(db, 'devices', 'framework_version', 'id');
  await sql`create index devices_by_model on devices (company_id, ${jsonText('meta', 'model')})`.execute(db);
  await index(db, 'access_tokens', 'user_id', 'id');
  await index(db, 'access_tokens', 'created_at', 'id');
  for (const column of ['at', 'action', 'entity_type', 'user_id']) {
    await index(db, 'ledger', column, 'sequence');
  }
}
