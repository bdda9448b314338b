import type { Generated } from 'kysely';

import type { InstantColumn } from '../storage.js';

export interface UsersTable {
  /** Random, since users do not belong to a company. */
  id: Generated<number>;
  email: string;
  name: string;
  time_zone: string;
  password_hash: string;
  disabled_at: InstantColumn | null;
  sign_in_count: number;
  last_sign_in_at: InstantColumn | null;
  last_sign_in_ip: string | null;
  /** Wrong passwords from networks that were new to the user, since `failed_since`. */
  failed_sign_ins: number;
  failed_since: InstantColumn | null;
  /** End of the latest lock, for any network. */
  locked_until: InstantColumn | null;
  revision: number;
  created_at: InstantColumn;
  updated_at: InstantColumn;
}

/** A network from which someone tried to sign in as a user; known to the user if `signed_in_at` is set. */
export interface SignInNetworksTable {
  user_id: number;
  network: string;
  signed_in_at: InstantColumn | null;
  failed_sign_ins: number;
  locked_until: InstantColumn | null;
  updated_at: InstantColumn;
}

/**
 * A user in a company, with this company's data about the user; other companies have their own
 * (decisions.md#members).
 */
export interface MembershipsTable {
  company_id: number;
  user_id: number;
  role: string;
  name: string;
  time_zone: string;
  sign_in_count: Generated<number>;
  last_sign_in_at: InstantColumn | null;
  last_sign_in_ip: string | null;
  disabled_at: InstantColumn | null;
  revision: number;
  created_at: InstantColumn;
  updated_at: InstantColumn;
}

/** A view of memberships with their users; `id` is that of the user. */
export interface MembersView extends Omit<MembershipsTable, 'user_id' | 'sign_in_count'> {
  id: number;
  email: string;
  sign_in_count: number;
  /** Set if the operator of the server has disabled the user in all companies. */
  account_disabled_at: InstantColumn | null;
  locked_until: InstantColumn | null;
}
