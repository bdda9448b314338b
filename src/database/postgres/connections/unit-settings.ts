import type { Scope } from '../../database.js';
import type { Roles } from '../schema/roles.js';

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

/** Whether a setting ends with the transaction. */
const [OF_TRANSACTION, LASTING] = [true, false];

/** One statement for all settings of a transaction, which end with it. */
export function settingsOf({ scope, locks, statementMs }: UnitSettings, roles: Roles): string {
  const taken = locks.map((lock) => `; ${lockOf(lock)}`);
  return `select ${scopeSettings(scope, roles)}, ${limits(statementMs)}${taken.join('')}`;
}

/** The same for settings that last until others are made, without locks. */
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
