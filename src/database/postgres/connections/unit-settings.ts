import type { Scope } from '../../database.js';
import type { Roles } from '../roles.js';

export interface UnitSettings {
  readonly scope: Scope;
  /** Ids of companies to lock, in this order; 0 for work above companies. */
  readonly locks: readonly number[];
  /** Milliseconds after which PostgreSQL ends a statement. */
  readonly statementMs: number;
}

/**
 * First key of the advisory locks of companies that write; the second key is the id. No other locks have this
 * key.
 */
const WRITERS = 0x5447;
const LOCK_MS = 4_000;

/** Whether a setting ends with the transaction. */
const [OF_TRANSACTION, LASTING] = [true, false];

/** One statement for the settings and locks of a transaction, which end with it. */
export function settingsOf({ scope, locks, statementMs }: UnitSettings, roles: Roles): string {
  const taken = locks.map((lock) => `; ${lockOf(lock)}`);
  return `select ${scopeSettings(scope, roles)}, ${limits(statementMs)}${taken.join('')}`;
}

/** One statement for settings that last until they are changed; takes no locks. */
export function lastingSettingsOf({ scope, statementMs }: UnitSettings, roles: Roles): string {
  return `select ${scopeSettings(scope, roles, LASTING)}, ${limits(statementMs, LASTING)}`;
}

export const lockOf = (key: number): string => `select pg_advisory_xact_lock(${WRITERS}, ${key})`;

export function scopeSettings(scope: Scope, { company, system }: Roles, extent = OF_TRANSACTION): string {
  const role = scope === null ? system : company;
  return `${setting('role', role, extent)}, ${setting('app.company_id', scope ?? '', extent)}`;
}

function limits(statementMs: number, extent = OF_TRANSACTION): string {
  return `${setting('statement_timeout', statementMs, extent)}, ${setting('lock_timeout', LOCK_MS, extent)}`;
}

const setting = (name: string, value: string | number, isLocal: boolean): string =>
  `set_config('${name}', '${String(value).replaceAll("'", "''")}', ${isLocal})`;
