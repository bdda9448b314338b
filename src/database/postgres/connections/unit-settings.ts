import type { Scope } from '../../database.js';
import { COMPANY_ROLE, SYSTEM_ROLE } from '../schema/index.js';

export interface UnitSettings {
  readonly scope: Scope;
  /** Locks to take, in this order: ids of companies; 0 is that of work above companies. */
  readonly locks: readonly number[];
  /** After which PostgreSQL ends a statement, in milliseconds. */
  readonly statementMs: number;
}

/** Of the keys of advisory locks, those of companies that write, and no others: any number may be a company's. */
const WRITERS = 0x5447;
const LOCK_MS = 4_000;

/** One statement for all settings of a transaction, which end with it. */
export function settingsOf({ scope, locks, statementMs }: UnitSettings): string {
  const limits = `${setting('statement_timeout', statementMs)}, ${setting('lock_timeout', LOCK_MS)}`;
  const taken = locks.map((lock) => `; ${lockOf(lock)}`);
  return `select ${scopeSettings(scope)}, ${limits}${taken.join('')}`;
}

export const lockOf = (key: number): string => `select pg_advisory_xact_lock(${WRITERS}, ${key})`;

export function scopeSettings(scope: Scope): string {
  const role = scope === null ? SYSTEM_ROLE : COMPANY_ROLE;
  return `${setting('role', role)}, ${setting('app.company_id', scope ?? '')}`;
}

const setting = (name: string, value: string | number): string => `set_config('${name}', '${value}', true)`;
