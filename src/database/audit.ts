/** The audit columns: revision, who created a record and when, and when it changed last. */
import { sql, type RawBuilder } from 'kysely';

import type { Written } from '../schema/schema.js';
import { audited, type AuditColumns } from '../schema/table.js';
import { instant } from './storage.js';
import type { SystemWriteWork, WriteWork } from './work.js';

export const AUDIT_COLUMNS: ReadonlySet<string> = new Set(Object.keys(audited));

/** Audit columns of a record that this unit of work creates. */
export function createdBy(work: WriteWork): Written<AuditColumns> {
  const now = instant.toColumn(work.now);
  return {
    revision: 1,
    created_at: now,
    updated_at: now,
    created_by: work.caller.userId,
    created_via: work.caller.channel,
  };
}

/**
 * Audit columns of a record that this unit of work changes. `updated_at` never decreases, even if the clock
 * does.
 */
export function changedBy(
  work: SystemWriteWork,
  current: { readonly revision: number; readonly updatedAt: Date },
): Pick<Written<AuditColumns>, 'revision' | 'updated_at'> {
  const updated = Math.max(work.now.getTime(), current.updatedAt.getTime());
  return { revision: current.revision + 1, updated_at: instant.toColumn(new Date(updated)) };
}

/** Audit columns of many changed rows, as SQL for an UPDATE of `table`. */
export function changedTogether(
  work: SystemWriteWork,
  table: string,
): { readonly revision: RawBuilder<number>; readonly updated_at: RawBuilder<Date> } {
  const updatedAt = sql.ref(`${table}.updated_at`);
  const now = instant.toColumn(work.now);
  return {
    revision: sql`${sql.ref(`${table}.revision`)} + 1`,
    updated_at: sql`case when ${updatedAt} > ${now} then ${updatedAt} else ${now} end`,
  };
}
