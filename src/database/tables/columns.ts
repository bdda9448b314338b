import type { InstantColumn } from '../storage.js';

/**
 * Audit columns: who created a record, and when it changed. `revision` grows by one with each change and is
 * the ETag.
 */
export interface AuditColumns {
  revision: number;
  created_at: InstantColumn;
  updated_at: InstantColumn;
  created_by: number;
  created_via: string;
}

/** Columns of tables whose ids count from 1 in each company. */
export interface Identified {
  id: number;
  company_id: number;
}
