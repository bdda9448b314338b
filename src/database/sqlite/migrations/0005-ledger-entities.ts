import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import { index, type Db } from '../table-builders.js';

/**
 * Adds an index for the ledger of one record: by its id, with or without its type. The statistics make the
 * planner look entries up in an index, instead of reading all entries of a company in order until it has
 * found enough.
 */
export async function up(db: Db): Promise<void> {
  await index(db, 'ledger', 'entity_id', 'entity_type', 'sequence');
  const [all, company] = [1_000_000, 100_000];
  const shares = ddl.shares('ledger', {
    ledger_of_company: [all, company, 1],
    ledger_by_at_sequence: [all, company, 2, 1],
    ledger_by_action_sequence: [all, company, 30_000, 1],
    ledger_by_entity_type_sequence: [all, company, 10_000, 1],
    ledger_by_user_id_sequence: [all, company, 5_000, 1],
    ledger_by_entity_id_entity_type_sequence: [all, company, 50, 10, 1],
  });
  for (const statement of shares) await sql.raw(statement).execute(db);
}
