import { sql, type Kysely } from 'kysely';

import { TEXT } from '../schema/builders.js';
import { companyPolicies } from '../schema/policies.js';
import { COMPANY_ROLE, SYSTEM_ROLE } from '../schema/roles.js';

const PRUNINGS = `create table prunings (
  company_id bigint not null,
  up_to bigint not null,
  total bigint not null,
  name ${TEXT} not null,
  newest_at timestamptz not null,
  pruned_at timestamptz not null,
  constraint prunings_pk primary key (company_id, name))`;

const KEPT = `create function refuse_kept_entry() returns trigger language plpgsql set search_path from current as $$
  begin
    if exists (select 1 from prunings where company_id = coalesce(old.company_id, 0) and name = 'ledger'
        and up_to >= old.sequence) then
      return old;
    end if;
    raise exception 'ledger can only be added to';
  end $$`;

/** Counterpart of the SQLite migration 0024. */
export async function addRetention<T>(db: Kysely<T>): Promise<void> {
  const statements = [
    PRUNINGS,
    ...companyPolicies('prunings'),
    `revoke insert, update, delete on prunings from ${COMPANY_ROLE}`,
    'drop trigger ledger_only_added_to on ledger',
    `create trigger ledger_only_added_to before update or truncate on ledger
      for each statement execute function refuse_change()`,
    KEPT,
    'create trigger ledger_no_delete before delete on ledger for each row execute function refuse_kept_entry()',
    `create trigger ledger_counted_out after delete on ledger referencing old table as old_rows
      for each statement execute function count_deleted_rows('ledger')`,
    `grant delete on ledger to ${SYSTEM_ROLE}`,
    `create index notification_deliveries_ended on notification_deliveries (company_id, finished_at)
      where state in ('delivered', 'failed', 'expired', 'cancelled')`,
    'create index access_tokens_revoked on access_tokens (company_id, revoked_at) where revoked_at is not null',
    'create index access_tokens_expired on access_tokens (company_id, expires_at) where expires_at is not null',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
