/**
 * All tables, for SQLite and for PostgreSQL (decisions.md#two-databases). The order is that in which they are
 * created and copied: each after those that it refers to.
 */
import type { Selectable, UpdateType } from 'kysely';

import * as base from './base.js';
import type { Columns, TableType } from './columns.js';
import * as fleet from './fleet.js';
import * as messages from './messages.js';
import * as payments from './payments.js';
import * as people from './people.js';
import { rollups } from './rollups.js';
import * as software from './software.js';
import type { Table } from './table.js';

const tables = {
  companies: people.companies,
  users: people.users,
  sign_in_networks: people.signInNetworks,
  memberships: people.memberships,
  access_tokens: people.accessTokens,
  groups: fleet.groups,
  logical_numbers: fleet.logicalNumbers,
  devices: fleet.devices,
  device_presence: fleet.devicePresence,
  device_tokens: fleet.deviceTokens,
  terminal_refusals: fleet.terminalRefusals,
  unknown_terminals: fleet.unknownTerminals,
  terminal_versions: fleet.terminalVersions,
  device_numbers: fleet.deviceNumbers,
  apps: software.apps,
  contents: software.contents,
  content_chunks: software.contentChunks,
  files: software.files,
  app_versions: software.appVersions,
  app_version_groups: software.appVersionGroups,
  group_default_versions: software.groupDefaultVersions,
  app_version_modules: software.appVersionModules,
  app_version_files: software.appVersionFiles,
  logical_number_app_versions: software.logicalNumberAppVersions,
  parameters: fleet.parameters,
  metacontents: fleet.metacontents,
  notifications: messages.notifications,
  notification_deliveries: messages.notificationDeliveries,
  notification_targets: messages.notificationTargets,
  notification_totals: messages.notificationTotals,
  transactions: payments.transactions,
  ...rollups,
  transaction_payment_kinds: payments.transactionPaymentKinds,
  ledger: base.ledger,
  ledger_chains: base.ledgerChains,
  prunings: base.prunings,
  idempotency_keys: base.idempotencyKeys,
  counters: base.counters,
};

export const TABLES: readonly Table[] = Object.values(tables);
export const TABLE_NAMES: readonly string[] = TABLES.map(({ name }) => name);

type TypeOf<Of> = Of extends Table<infer Declared extends Columns> ? TableType<Declared> : never;

export type Tables = { [Name in keyof typeof tables]: TypeOf<(typeof tables)[Name]> } & {
  members: TableType<typeof people.members>;
};

/** Columns of a table, or of the view `members`. */
export const columnsOf = (table: keyof Tables): Columns =>
  table === 'members' ? people.members : tables[table].columns;

export const columnNames = (table: keyof Tables): readonly string[] => Object.keys(columnsOf(table));

export type Row<Name extends keyof Tables> = Selectable<Tables[Name]>;

/** Values of all columns in the form in which they are written. */
export type Written<Of> = { [Column in keyof Of]: UpdateType<Of[Column]> };

/**
 * Tables whose rows of each company are counted in `counters` (decisions.md#exact-totals). Those of `memberships`
 * are counted as `users`.
 */
export const COUNTED = [
  'memberships',
  'access_tokens',
  'groups',
  'logical_numbers',
  'devices',
  'unknown_terminals',
  'apps',
  'files',
  'app_versions',
  'app_version_groups',
  'group_default_versions',
  'app_version_modules',
  'app_version_files',
  'logical_number_app_versions',
  'parameters',
  'metacontents',
  'notifications',
  'transactions',
  'ledger',
] as const satisfies readonly (keyof Tables)[];

/** Name in `counters` of the number of rows of a table. */
export const counterOf = (table: (typeof COUNTED)[number]): string =>
  table === 'memberships' ? 'users' : table;

/** Column with the number of a row in its company, which an insert stores as the last one drawn. */
export function drawnColumn(table: (typeof COUNTED)[number]): string | null {
  if (table === 'ledger') return 'sequence';
  return 'id' in tables[table].columns ? 'id' : null;
}
