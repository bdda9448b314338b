import { index, type Db } from './builders.js';

/** Index for the ledger of one record: by its id, with or without its type. */
export async function up(db: Db): Promise<void> {
  await index(db, 'ledger', 'entity_id', 'entity_type', 'sequence');
}
