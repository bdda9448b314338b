import type { Generated } from 'kysely';

import type { InstantColumn, JsonColumn } from '../storage.js';

export interface LedgerTable {
  /** Number of the entry among all entries of the database, in the order of their commits. */
  position: Generated<number>;
  /** Number of the entry in its company, or among entries without a company, from 1 without gaps. */
  sequence: number;
  company_id: number | null;
  at: InstantColumn;
  user_id: number | null;
  token_id: number | null;
  channel: string;
  action: string;
  entity_type: string;
  entity_id: number | null;
  before: JsonColumn | null;
  after: JsonColumn | null;
  request_id: string | null;
  ip: string | null;
  /**
   * Hash that links the entry to the previous one; null for entries without a chain. See `ledger/chain.ts`.
   */
  hash: string | null;
}

/** Head of each company's chain of ledger entries. The company 0 stands for entries without a company. */
export interface LedgerChainsTable {
  company_id: number;
  /** First entry that can be verified. */
  first_sequence: number;
  /** Last chained entry before the first one; 0 and an empty hash if there is none. */
  before_sequence: number;
  before_hash: string;
  /** Last entry of the chain. */
  sequence: number;
  hash: string;
  /** Identifies the key of the hashes. */
  key_fingerprint: string;
  /** Hash of the other columns. */
  seal: string;
}

/**
 * Record of the rows that retention has deleted from a table of a company. The company 0 stands for ledger
 * entries without a company.
 */
export interface PruningsTable {
  company_id: number;
  /** Name of the table. */
  name: string;
  /**
   * Id or sequence up to which everything is deleted; 0 for a table that is not deleted in the order of its
   * ids.
   */
  up_to: number;
  /** Number of rows deleted since the beginning. */
  total: number;
  /** Time of the newest deleted row. */
  newest_at: InstantColumn;
  pruned_at: InstantColumn;
}
