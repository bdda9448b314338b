import type { Generated, Selectable, UpdateType } from 'kysely';

import type { AuditColumns, Identified } from './columns.js';
import type {
  NotificationDeliveriesTable,
  NotificationsTable,
  NotificationTargetsTable,
  NotificationTotalsTable,
} from './notification-tables.js';
import type { BytesColumn, FlagColumn, InstantColumn, JsonColumn } from '../storage.js';
import type { LedgerChainsTable, LedgerTable, PruningsTable } from './ledger-tables.js';
import type { HeldVersionsTable, RemovalsTable } from './step-tables.js';
import type {
  DevicePresenceTable,
  DeviceTokensTable,
  TerminalRefusalsTable,
  DeviceNumbersTable,
  TerminalVersionsTable,
  UnknownTerminalsTable,
} from './terminal-tables.js';
import type {
  ByHour,
  TransactionDaysTable,
  TransactionDayTotalsTable,
  TransactionGroupDaysTable,
  TransactionInstallmentDaysTable,
  TransactionPaymentDaysTable,
  TransactionPaymentKindsTable,
} from './transaction-tables.js';
import type { MembershipsTable, MembersView, SignInNetworksTable, UsersTable } from './user-tables.js';

/** A table of links between records; both columns hold ids. */
type LinksTable<Column extends string> = { company_id: number } & Record<Column, number>;

export interface CompaniesTable {
  /** Drawn at random. */
  id: Generated<number>;
  name: string;
  time_zone: Generated<string>;
  created_at: InstantColumn;
  updated_at: InstantColumn;
}

export interface AccessTokensTable extends Identified {
  user_id: number;
  /** `derived` (what the token endpoint returns) or `named`. */
  kind: string;
  name: string | null;
  scopes: JsonColumn;
  token_hash: string;
  /** The random part of a derived token; the secret part is not in the database. */
  nonce: string | null;
  last_four: string;
  created_at: InstantColumn;
  last_used_at: InstantColumn | null;
  expires_at: InstantColumn | null;
  revoked_at: InstantColumn | null;
}

export interface GroupsTable extends Identified, AuditColumns {
  name: string;
}

export interface LogicalNumbersTable extends Identified, AuditColumns {
  number: string;
  group_id: number | null;
}

export interface DevicesTable extends Identified, AuditColumns {
  serial_number: string;
  enabled: FlagColumn;
  logical_number_id: number | null;
  meta: JsonColumn;
  framework_version: string | null;
}

export interface AppsTable extends Identified, AuditColumns {
  name: string;
  description: string | null;
  communication_format: string;
  kind: string;
  language: string;
}

/** The bytes of a file or of an app version, in chunks; they never change. */
export interface ContentsTable extends Identified {
  size: number;
  crc: string;
  sha256: string;
  created_at: InstantColumn;
  /**
   * Time when its owner was changed or deleted. The content is deleted later, since a response may still be
   * streaming it.
   */
  released_at: InstantColumn | null;
}

export interface ContentChunksTable {
  company_id: number;
  content_id: number;
  sequence: number;
  bytes: BytesColumn;
}

export interface AppVersionsTable extends Identified, AuditColumns {
  app_id: number;
  number: string;
  displayable: FlagColumn;
  authorizer_url: string | null;
  pos_display_label: string | null;
  uuid: string;
  content_id: number | null;
  size: number;
  crc: string;
}

export interface FilesTable extends Identified, AuditColumns {
  name: string;
  file_type: string;
  description: string | null;
  content_id: number;
  size: number;
  crc: string;
}

interface OwnedColumns {
  /** Owner: exactly one of the two is set. */
  group_id: number | null;
  logical_number_id: number | null;
  key: string;
}

export interface ParametersTable extends Identified, OwnedColumns, AuditColumns {
  value: string;
  description: string | null;
}

export interface MetacontentsTable extends Identified, OwnedColumns, AuditColumns {
  value: JsonColumn;
}

/**
 * Transactions as terminals reported them; texts instead of foreign keys, so that they outlive their records
 * (decisions.md#values-without-references).
 */
export interface TransactionsTable extends Identified {
  transaction_type: string;
  serial_number: string;
  logical_number: string;
  app_name: string;
  detail: string;
  framework_version: string | null;
  status: string;
  sent: string | null;
  received: string | null;
  parsed: JsonColumn | null;
  /** Cents; copied from `parsed`. */
  amount: number | null;
  /** `approved`, `denied` or `cancelled`, derived from `parsed`; null without a payment. */
  payment_outcome: string | null;
  /** `approved` or `denied`, as in `parsed`; empty without a payment. */
  payment_status: Generated<string>;
  /**
   * Type of the payment as in `parsed`, or `other` (see `transaction_payment_kinds`). Empty if unknown or
   * without a payment.
   */
  payment_type: Generated<string>;
  brand: Generated<string>;
  acquirer: Generated<string>;
  /** -1 if unknown or without a payment. */
  installments: Generated<number>;
  /**
   * Group that the logical number had when the transaction was recorded; 0 for none. The group may have been
   * deleted.
   */
  group_id: Generated<number>;
  started_at: InstantColumn;
  finished_at: InstantColumn | null;
  recorded_at: InstantColumn;
  /** Name of the transaction on its terminal; unique in the company together with the serial number. */
  reference: string | null;
}

/**
 * Counters of a company by table: the exact number of rows, which triggers maintain, and the last drawn id.
 */
export interface CountersTable {
  company_id: number;
  name: string;
  total: number;
  /** Last id drawn in the table of this name; for the ledger, its last sequence. */
  last_drawn: Generated<number>;
}

export interface IdempotencyKeysTable {
  company_id: number;
  /** User and operation, for example `17 POST /v1/groups`. */
  scope: string;
  key: string;
  fingerprint: string;
  status: number;
  answer: string;
  content_id: number | null;
  created_at: InstantColumn;
}

export interface Tables {
  companies: CompaniesTable;
  users: UsersTable;
  sign_in_networks: SignInNetworksTable;
  memberships: MembershipsTable;
  members: MembersView;
  access_tokens: AccessTokensTable;
  groups: GroupsTable;
  logical_numbers: LogicalNumbersTable;
  devices: DevicesTable;
  device_presence: DevicePresenceTable;
  device_tokens: DeviceTokensTable;
  terminal_refusals: TerminalRefusalsTable;
  unknown_terminals: UnknownTerminalsTable;
  terminal_versions: TerminalVersionsTable;
  device_numbers: DeviceNumbersTable;
  apps: AppsTable;
  contents: ContentsTable;
  content_chunks: ContentChunksTable;
  app_versions: AppVersionsTable;
  app_version_groups: LinksTable<'app_version_id' | 'group_id'>;
  /** App versions that a logical number gets when it enters the group. */
  group_default_versions: LinksTable<'group_id' | 'app_version_id'>;
  app_version_modules: LinksTable<'app_version_id' | 'module_id'>;
  app_version_files: LinksTable<'app_version_id' | 'file_id'>;
  logical_number_app_versions: HeldVersionsTable;
  files: FilesTable;
  parameters: ParametersTable;
  metacontents: MetacontentsTable;
  notifications: NotificationsTable;
  notification_deliveries: NotificationDeliveriesTable;
  notification_targets: NotificationTargetsTable;
  notification_totals: NotificationTotalsTable;
  removals: RemovalsTable;
  transactions: TransactionsTable;
  transaction_days: TransactionDaysTable;
  transaction_hours: ByHour<TransactionDaysTable>;
  transaction_day_totals: TransactionDayTotalsTable;
  transaction_hour_totals: ByHour<TransactionDayTotalsTable>;
  transaction_app_days: TransactionDaysTable;
  transaction_payment_days: TransactionPaymentDaysTable;
  transaction_payment_hours: ByHour<TransactionPaymentDaysTable>;
  transaction_installment_days: TransactionInstallmentDaysTable;
  transaction_installment_hours: ByHour<TransactionInstallmentDaysTable>;
  transaction_group_days: TransactionGroupDaysTable;
  transaction_group_hours: ByHour<TransactionGroupDaysTable>;
  transaction_payment_kinds: TransactionPaymentKindsTable;
  counters: CountersTable;
  ledger: LedgerTable;
  ledger_chains: LedgerChainsTable;
  prunings: PruningsTable;
  idempotency_keys: IdempotencyKeysTable;
}

export type Row<Name extends keyof Tables> = Selectable<Tables[Name]>;

/** Values of all columns in the form in which they are written. */
export type Written<Table> = { [Column in keyof Table]: UpdateType<Table[Column]> };
