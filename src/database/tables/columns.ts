import type { InstantColumn } from '../storage.js';

/** Who created a record, and when it changed. `revision` grows by one with each change and is the ETag. */
export interface AuditColumns {
  revision: number;
  created_at: InstantColumn;
  updated_at: InstantColumn;
  created_by: number;
  created_via: string;
}

/** Each company's ids count from 1. */
export interface Identified {
  id: number;
  company_id: number;
}
