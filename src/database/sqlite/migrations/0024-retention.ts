import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import { required, type Db } from '../table-builders.js';

const TRIGGERS = [
  'drop trigger ledger_no_delete',
  `create trigger ledger_no_delete before delete on ledger
    when not exists (select 1 from prunings where company_id = coalesce(old.company_id, 0) and name = 'ledger'
      and up_to >= old.sequence) begin
    select raise(abort, 'ledger can only be added to');
  end`,
  `create trigger ledger_counted_out after delete on ledger when old.company_id is not null begin
    update counters set total = total - 1 where company_id = old.company_id and name = 'ledger';
  end`,
];

/**
 * Indexes of deliveries and of tokens by the time of their end. Deliveries in other states are never deleted
 * by their age.
 */
const INDEXES = [
  `create index notification_deliveries_ended on notification_deliveries (company_id, finished_at)
    where state in ('delivered', 'failed', 'expired', 'cancelled')`,
  `create index access_tokens_revoked on access_tokens (company_id, revoked_at) where revoked_at is not null`,
  `create index access_tokens_expired on access_tokens (company_id, expires_at) where expires_at is not null`,
];

/** Adds records of what retention has deleted. Ledger entries up to the one in `prunings` can be deleted. */
export async function up(db: Db): Promise<void> {
  let table = required(db.schema.createTable('prunings'), ddl.integer, 'company_id');
  table = required(table, ddl.text, 'name');
  await required(table, ddl.instant, 'up_to', 'total', 'newest_at', 'pruned_at')
    .addPrimaryKeyConstraint('prunings_pk', ['company_id', 'name'])
    .modifyEnd(ddl.keyed)
    .execute();
  for (const statement of [...TRIGGERS, ...INDEXES]) await sql.raw(statement).execute(db);
}
