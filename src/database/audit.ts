import { sql, type RawBuilder } from 'kysely';

import type { Audit } from '../platform/audit.js';
import { instant } from './storage.js';
import type { AuditColumns } from './tables.js';
import type { WriteWork } from './work.js';

/** The audit columns of a record that this work creates. */
export function createdBy(work: WriteWork): AuditColumns {
  const now = instant.toColumn(work.now);
  return {
    revision: 1,
    created_at: now,
    updated_at: now,
    created_by: work.caller.userId,
    created_via: work.caller.channel,
  };
}

/** The audit columns of a record that this work changes; time never goes back on a record. */
export function changedBy(
  work: WriteWork,
  current: { readonly revision: number; readonly updatedAt: Date },
): Pick<AuditColumns, 'revision' | 'updated_at'> {
  const updated = Math.max(work.now.getTime(), current.updatedAt.getTime());
  return { revision: current.revision + 1, updated_at: instant.toColumn(new Date(updated)) };
}

/** The same for many rows in one statement, each counting on from its own. */
export function changedTogether(
  work: WriteWork,
): Readonly<Record<'revision' | 'updated_at', RawBuilder<number>>> {
  const now = instant.toColumn(work.now);
  return {
    revision: sql`revision + 1`,
    updated_at: sql`case when updated_at > ${now} then updated_at else ${now} end`,
  };
}

export function auditOf(row: AuditColumns): Audit {
  return {
    revision: row.revision,
    createdAt: instant.fromColumn(row.created_at),
    updatedAt: instant.fromColumn(row.updated_at),
    createdBy: row.created_by,
    createdVia: row.created_via === 'interface' ? 'interface' : 'api',
  };
}
