import type { Tables } from '../tables.js';

/**
 * All tables that are copied, each after those that it refers to. A table of the schema that is neither here nor in
 * `NOT_COPIED` does not compile, and a copy refuses it.
 */
export const COPIED_TABLES = [
  ...['companies', 'users', 'sign_in_networks', 'memberships', 'access_tokens'],
  ...['groups', 'logical_numbers', 'devices', 'apps', 'contents', 'content_chunks', 'files', 'app_versions'],
  ...['app_version_groups', 'app_version_modules', 'app_version_files', 'logical_number_app_versions'],
  ...['parameters', 'metacontents', 'notifications', 'notification_deliveries', 'notification_targets'],
  ...['removals', 'transactions', 'transaction_days', 'transaction_hours'],
  ...['ledger', 'ledger_chains', 'idempotency_keys', 'counters'],
] as const satisfies readonly (keyof Tables)[];

/** Tables that each database has for itself: applied migrations, limits of rates, and the mark of a copy. */
export const NOT_COPIED = [
  ...['kysely_migration', 'kysely_migration_lock', 'applied_migrations', 'rate_limits', 'unfinished_copy'],
] as const;

/** How the values of a column are written in both databases. */
export type ColumnKind = 'integer' | 'instant' | 'flag' | 'text' | 'json' | 'jsonb' | 'bytes';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

export interface TableShape {
  readonly name: string;
  /** In alphabetical order: the databases have them in different ones. */
  readonly columns: readonly Column[];
  /** Columns of the primary key. */
  readonly key: readonly string[];
}

/** Columns of SQLite whose declared type does not say their kind; those of instants have names that do. */
const KINDS: Readonly<Record<string, ColumnKind>> = {
  'devices.enabled': 'flag',
  'app_versions.displayable': 'flag',
  'devices.meta': 'json',
  'metacontents.value': 'json',
  'transactions.parsed': 'json',
  'ledger.before': 'json',
  'ledger.after': 'json',
  'access_tokens.scopes': 'jsonb',
  'removals.caller': 'jsonb',
  'notification_targets.logical_numbers': 'jsonb',
};
const DECLARED: Readonly<Record<string, ColumnKind>> = { integer: 'integer', text: 'text', blob: 'bytes' };
const INSTANT = /(^|_)at$|^locked_until$|^failed_since$/;

/** The kind of a column of SQLite; `type` is the declared one. */
export function kindOf(table: string, column: string, type: string): ColumnKind {
  if (/^integer$/i.test(type) && INSTANT.test(column)) return 'instant';
  const kind = KINDS[`${table}.${column}`] ?? DECLARED[type.toLowerCase()];
  if (kind === undefined)
    throw new Error(`${table}.${column} has the type ${type}, which db copy does not know.`);
  return kind;
}

/** Names of tables that are in a database but in neither list, or in the first list but not in the database. */
export function unknownTables(existing: readonly string[]): readonly string[] {
  const known: readonly string[] = [...COPIED_TABLES, ...NOT_COPIED];
  return [
    ...existing.filter((name) => !known.includes(name)),
    ...COPIED_TABLES.filter((name) => !existing.includes(name)),
  ];
}

type Missing = Exclude<keyof Tables, (typeof COPIED_TABLES)[number] | 'members'>;
/** Does not compile if a table of the schema is in no list; `members` is a view. */
export const NONE_MISSING: Missing extends never ? true : Missing = true;
