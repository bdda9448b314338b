import type { ColumnType } from 'kysely';

import type { Tables } from '../../schema/schema.js';

type InstantsOf<Table> = {
  [Column in keyof Table]: Extract<Table[Column], ColumnType<number, Date, Date>> extends never
    ? never
    : Column;
}[keyof Table] &
  string;

type InstantName = { [Name in keyof Tables]: InstantsOf<Tables[Name]> }[keyof Tables];

/** Names of all columns that hold instants in some table; a missing one does not compile. */
const INSTANTS: Readonly<Record<InstantName, true>> = {
  ...{ created_at: true, updated_at: true, recorded_at: true, at: true },
  ...{ started_at: true, finished_at: true, ended_at: true, confirmed_at: true },
  ...{ expires_at: true, revoked_at: true, released_at: true },
  ...{ last_used_at: true, disabled_at: true, account_disabled_at: true, locked_until: true },
  ...{ last_sign_in_at: true, signed_in_at: true, failed_since: true },
  ...{ queued_at: true, sent_at: true, due_at: true, lease_ends_at: true },
  ...{ issued_at: true, refused_at: true, first_seen_at: true, last_seen_at: true },
  ...{ newest_at: true, pruned_at: true },
};

/** Whether a column with this name holds instants. A name has the same meaning in all tables. */
export const isInstant = (column: string): boolean => column in INSTANTS;
