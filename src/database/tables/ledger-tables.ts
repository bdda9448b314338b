import type { Generated } from 'kysely';

import type { InstantColumn, JsonColumn } from '../storage.js';

export interface LedgerTable {
  /** Counts all entries of the database, in the order of their commits. */
  position: Generated<number>;
  /** Counts the entries of a company, or those of none, from 1 without gaps. */
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
  /** Links the entry to the one before it; null for entries without a chain. See `ledger/chain.ts`. */
  hash: string | null;
}

/** The head of each company's chain of ledger entries; 0 stands for entries without a company. */
export interface LedgerChainsTable {
  company_id: number;
  /** The first entry that can be verified. */
  first_sequence: number;
  /** The chained entry before the first one; 0 and an empty hash if there is none. */
  before_sequence: number;
  before_hash: string;
  /** The last entry of the chain. */
  sequence: number;
  hash: string;
  /** Which key the hashes are made with. */
  key_fingerprint: string;
  /** Hash of the other columns. */
  seal: string;
}

/** What retention has deleted of a table of a company; 0 stands for entries without a company. */
export interface PruningsTable {
  company_id: number;
  /** The table. */
  name: string;
  /** Up to this id or sequence everything is deleted; 0 for a table that is not deleted in the order of its ids. */
  up_to: number;
  /** Number of rows that were ever deleted. */
  total: number;
  /** The time of the newest of them. */
  newest_at: InstantColumn;
  pruned_at: InstantColumn;
}
