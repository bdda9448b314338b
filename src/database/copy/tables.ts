import type { Tables } from '../tables/tables.js';

/**
 * All tables that are copied, each after the tables that it refers to. A table of the schema that is missing
 * here does not compile; `members` is a view.
 */
const COPIED: Readonly<Record<Exclude<keyof Tables, 'members'>, true>> = {
  companies: true,
  users: true,
  sign_in_networks: true,
  memberships: true,
  access_tokens: true,
  groups: true,
  logical_numbers: true,
  devices: true,
  device_presence: true,
  device_tokens: true,
  terminal_refusals: true,
  unknown_terminals: true,
  terminal_versions: true,
  device_numbers: true,
  apps: true,
  contents: true,
  content_chunks: true,
  files: true,
  app_versions: true,
  app_version_groups: true,
  group_default_versions: true,
  app_version_modules: true,
  app_version_files: true,
  logical_number_app_versions: true,
  parameters: true,
  metacontents: true,
  notifications: true,
  notification_deliveries: true,
  notification_targets: true,
  notification_totals: true,
  removals: true,
  transactions: true,
  transaction_days: true,
  transaction_hours: true,
  transaction_day_totals: true,
  transaction_hour_totals: true,
  transaction_app_days: true,
  transaction_payment_days: true,
  transaction_payment_hours: true,
  transaction_installment_days: true,
  transaction_installment_hours: true,
  transaction_group_days: true,
  transaction_group_hours: true,
  transaction_payment_kinds: true,
  ledger: true,
  ledger_chains: true,
  prunings: true,
  idempotency_keys: true,
  counters: true,
};
/** Names of all copied tables, in this order. */
export const COPIED_TABLES: readonly string[] = Object.keys(COPIED);

/** Tables that are not copied: applied migrations, rate limits, and the mark of a copy. */
export const NOT_COPIED = [
  ...['kysely_migration', 'kysely_migration_lock', 'applied_migrations', 'rate_limits', 'unfinished_copy'],
] as const;

/** Kind of values in a column, which determines their form in a copy. */
export type ColumnKind = 'integer' | 'instant' | 'flag' | 'text' | 'json' | 'jsonb' | 'bytes';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

export interface TableShape {
  readonly name: string;
  /** Columns in alphabetical order, because their order differs between the databases. */
  readonly columns: readonly Column[];
  /** Columns of the primary key. */
  readonly key: readonly string[];
}

/**
 * Kinds of SQLite columns whose declared type does not tell it. Instants are recognized by the names of their
 * columns.
 */
const KINDS: Readonly<Record<string, ColumnKind>> = {
  'devices.enabled': 'flag',
  'app_versions.displayable': 'flag',
  'terminal_versions.is_downloaded': 'flag',
  'terminal_versions.is_current': 'flag',
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

/** The kind of a SQLite column; `type` is its declared type. */
export function kindOf(table: string, column: string, type: string): ColumnKind {
  if (/^integer$/i.test(type) && INSTANT.test(column)) return 'instant';
  const kind = KINDS[`${table}.${column}`] ?? DECLARED[type.toLowerCase()];
  if (kind === undefined)
    throw new Error(`${table}.${column} has the type ${type}, which db copy does not know.`);
  return kind;
}

/** Names of the existing tables that are in neither list, and of the copied tables that do not exist. */
export function unknownTables(existing: readonly string[]): readonly string[] {
  const known: readonly string[] = [...COPIED_TABLES, ...NOT_COPIED];
  return [
    ...existing.filter((name) => !known.includes(name)),
    ...COPIED_TABLES.filter((name) => !existing.includes(name)),
  ];
}
