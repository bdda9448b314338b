import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import {
  audited,
  companyTable,
  index,
  optional,
  references,
  required,
  type Db,
  type Table,
} from '../table-builders.js';

async function createUsers(db: Db): Promise<void> {
  let companies: Table = db.schema.createTable('companies').addColumn('id', ddl.id);
  companies = required(companies, ddl.text, 'name');
  await required(companies, ddl.instant, 'created_at', 'updated_at')
    .addUniqueConstraint('companies_name', ['name'])
    .execute();

  let users: Table = db.schema.createTable('users').addColumn('id', ddl.id);
  users = required(users, ddl.text, 'email', 'name', 'time_zone', 'password_hash');
  users = optional(users, ddl.instant, 'disabled_at', 'last_sign_in_at', 'locked_until');
  users = optional(users, ddl.text, 'last_sign_in_ip');
  users = required(users, ddl.integer, 'sign_in_count', 'failed_sign_ins', 'revision');
  await required(users, ddl.instant, 'created_at', 'updated_at')
    .addUniqueConstraint('users_email', ['email'])
    .execute();

  await required(
    db.schema
      .createTable('memberships')
      .addColumn('company_id', ddl.integer, (c) => c.notNull().references('companies.id'))
      .addColumn('user_id', ddl.integer, (c) => c.notNull().references('users.id')),
    ddl.text,
    'role',
  )
    .addColumn('created_at', ddl.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('memberships_pk', ['company_id', 'user_id'])
    .execute();
  await db.schema.createIndex('memberships_user').on('memberships').column('user_id').execute();
}

async function createTokens(db: Db): Promise<void> {
  let tokens = required(companyTable(db, 'access_tokens'), ddl.integer, 'user_id');
  tokens = required(tokens, ddl.text, 'kind', 'scopes', 'token_hash', 'last_four');
  tokens = optional(tokens, ddl.text, 'name', 'nonce');
  tokens = required(tokens, ddl.instant, 'created_at');
  tokens = optional(tokens, ddl.instant, 'last_used_at', 'expires_at', 'revoked_at');
  await tokens
    .addUniqueConstraint('access_tokens_hash', ['token_hash'])
    .addForeignKeyConstraint(
      'access_tokens_membership',
      ['company_id', 'user_id'],
      'memberships',
      ['company_id', 'user_id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();
  await sql`create unique index access_tokens_one_derived on access_tokens (company_id, user_id)
    where kind = 'derived' and revoked_at is null`.execute(db);
}

async function createFleet(db: Db): Promise<void> {
  await audited(required(companyTable(db, 'groups'), ddl.text, 'name'))
    .addUniqueConstraint('groups_name', ['company_id', 'name'])
    .execute();

  let numbers = required(companyTable(db, 'logical_numbers'), ddl.text, 'number');
  numbers = audited(optional(numbers, ddl.integer, 'group_id'));
  await references(numbers, 'group_id', 'groups')
    .addUniqueConstraint('logical_numbers_number', ['company_id', 'number'])
    .execute();
  await index(db, 'logical_numbers', 'group_id', 'id');

  let devices = required(companyTable(db, 'devices'), ddl.text, 'serial_number');
  devices = required(devices, ddl.flag, 'enabled');
  devices = optional(devices, ddl.integer, 'logical_number_id');
  devices = required(devices, ddl.json, 'meta');
  devices = audited(optional(devices, ddl.text, 'framework_version'));
  await references(devices, 'logical_number_id', 'logical_numbers')
    .addUniqueConstraint('devices_serial_number', ['company_id', 'serial_number'])
    .execute();
  await index(db, 'devices', 'logical_number_id', 'id');
}

async function createSoftware(db: Db): Promise<void> {
  let apps = required(companyTable(db, 'apps'), ddl.text, 'name', 'communication_format', 'kind', 'language');
  apps = audited(optional(apps, ddl.text, 'description'));
  await apps.addUniqueConstraint('apps_name', ['company_id', 'name']).execute();

  let contents = required(companyTable(db, 'contents'), ddl.integer, 'size');
  contents = required(contents, ddl.text, 'crc', 'sha256');
  contents = required(contents, ddl.instant, 'created_at');
  await optional(contents, ddl.instant, 'released_at').execute();
  await sql`create index contents_released on contents (released_at) where released_at is not null`.execute(
    db,
  );

  let chunks = required(
    db.schema.createTable('content_chunks'),
    ddl.integer,
    'company_id',
    'content_id',
    'sequence',
  );
  chunks = required(chunks, ddl.bytes, 'bytes');
  await references(chunks, 'content_id', 'contents', 'cascade')
    .addPrimaryKeyConstraint('content_chunks_pk', ['company_id', 'content_id', 'sequence'])
    .execute();

  let files = required(companyTable(db, 'files'), ddl.text, 'name', 'file_type', 'crc');
  files = optional(files, ddl.text, 'description');
  files = audited(required(files, ddl.integer, 'content_id', 'size'));
  await references(files, 'content_id', 'contents')
    .addUniqueConstraint('files_name', ['company_id', 'name'])
    .execute();
  // Before released contents are deleted, this index finds the files that still have them.
  await index(db, 'files', 'content_id');
  await createVersions(db);
}

async function createVersions(db: Db): Promise<void> {
  let versions = required(companyTable(db, 'app_versions'), ddl.integer, 'app_id', 'size');
  versions = required(versions, ddl.text, 'number', 'uuid', 'crc');
  versions = required(versions, ddl.flag, 'displayable');
  versions = optional(versions, ddl.text, 'authorizer_url', 'pos_display_label');
  versions = audited(optional(versions, ddl.integer, 'content_id'));
  versions = references(references(versions, 'app_id', 'apps'), 'content_id', 'contents');
  await versions.addUniqueConstraint('app_versions_number', ['company_id', 'app_id', 'number']).execute();
  await index(db, 'app_versions', 'app_id', 'id');
  await index(db, 'app_versions', 'content_id');

  await createLink(db, 'app_version_groups', ['app_version_id', 'app_versions'], ['group_id', 'groups']);
  await createLink(
    db,
    'app_version_modules',
    ['app_version_id', 'app_versions'],
    ['module_id', 'app_versions'],
  );
  await createLink(db, 'app_version_files', ['app_version_id', 'app_versions'], ['file_id', 'files']);
  await createLink(
    db,
    'logical_number_app_versions',
    ['logical_number_id', 'logical_numbers'],
    ['app_version_id', 'app_versions'],
  );
}

async function createLink(db: Db, name: string, from: [string, string], to: [string, string]): Promise<void> {
  const table = required(db.schema.createTable(name), ddl.integer, 'company_id', from[0], to[0]);
  await references(references(table, ...from, 'cascade'), ...to, 'cascade')
    .addPrimaryKeyConstraint(`${name}_pk`, ['company_id', from[0], to[0]])
    .execute();
  await index(db, name, to[0], from[0]);
}

async function createSettings(db: Db): Promise<void> {
  for (const name of ['parameters', 'metacontents']) {
    let table = optional(companyTable(db, name), ddl.integer, 'group_id', 'logical_number_id');
    table = required(table, ddl.text, 'key');
    table = required(table, name === 'parameters' ? ddl.text : ddl.json, 'value');
    if (name === 'parameters') table = optional(table, ddl.text, 'description');
    table = references(
      references(audited(table), 'group_id', 'groups'),
      'logical_number_id',
      'logical_numbers',
    );
    await table
      .addUniqueConstraint(`${name}_group_key`, ['company_id', 'group_id', 'key'])
      .addUniqueConstraint(`${name}_logical_number_key`, ['company_id', 'logical_number_id', 'key'])
      .addCheckConstraint(`${name}_one_owner`, sql`(group_id is null) <> (logical_number_id is null)`)
      .execute();
    await index(db, name, 'group_id', 'id');
    await index(db, name, 'logical_number_id', 'id');
  }
}

async function createNotifications(db: Db): Promise<void> {
  let notifications = required(companyTable(db, 'notifications'), ddl.text, 'content', 'range', 'kind');
  notifications = optional(notifications, ddl.integer, 'group_id', 'app_id');
  await audited(required(notifications, ddl.instant, 'expires_at')).execute();

  let deliveries = required(
    companyTable(db, 'notification_deliveries'),
    ddl.integer,
    'notification_id',
    'logical_number_id',
  );
  deliveries = required(required(deliveries, ddl.text, 'state'), ddl.instant, 'updated_at');
  deliveries = references(deliveries, 'notification_id', 'notifications', 'cascade');
  await references(deliveries, 'logical_number_id', 'logical_numbers', 'cascade')
    .addUniqueConstraint('notification_deliveries_once', [
      'company_id',
      'notification_id',
      'logical_number_id',
    ])
    .execute();
  await index(db, 'notification_deliveries', 'logical_number_id', 'id');
}

async function createTransactions(db: Db): Promise<void> {
  let table = required(
    companyTable(db, 'transactions'),
    ddl.text,
    ...['transaction_type', 'serial_number', 'logical_number', 'app_name', 'detail', 'status'],
  );
  table = optional(table, ddl.text, 'framework_version', 'sent', 'received');
  table = optional(optional(table, ddl.json, 'parsed'), ddl.integer, 'amount');
  table = required(table, ddl.instant, 'started_at', 'recorded_at');
  await optional(table, ddl.instant, 'finished_at').execute();
  // These indexes also hold the columns of the daily totals, so that a deep page is found without reading
  // rows.
  const newestFirst = sql`started_at desc, id desc`;
  await sql`create index transactions_newest on transactions
    (company_id, ${newestFirst}, status, transaction_type, app_name)`.execute(db);
  await sql`create index transactions_serial on transactions (company_id, serial_number, ${newestFirst},
    status, transaction_type, app_name, logical_number)`.execute(db);
  await sql`create index transactions_logical_number on transactions (company_id, logical_number, ${newestFirst},
    status, transaction_type, app_name, serial_number)`.execute(db);

  let days = required(db.schema.createTable('transaction_days'), ddl.integer, 'company_id', 'day');
  days = required(days, ddl.text, 'status', 'transaction_type', 'app_name');
  await required(days, ddl.integer, 'total')
    .addPrimaryKeyConstraint('transaction_days_pk', [
      'company_id',
      'day',
      'status',
      'transaction_type',
      'app_name',
    ])
    .execute();
}

async function createBookkeeping(db: Db): Promise<void> {
  let counters = required(db.schema.createTable('counters'), ddl.integer, 'company_id', 'total');
  counters = required(counters, ddl.text, 'name');
  await counters.addPrimaryKeyConstraint('counters_pk', ['company_id', 'name']).execute();

  let ledger = db.schema.createTable('ledger').addColumn('sequence', ddl.id) as Table;
  ledger = optional(ledger, ddl.integer, 'company_id', 'user_id', 'token_id', 'entity_id');
  ledger = required(ledger, ddl.instant, 'at');
  ledger = required(ledger, ddl.text, 'channel', 'action', 'entity_type');
  ledger = optional(optional(ledger, ddl.json, 'before', 'after'), ddl.text, 'request_id', 'ip');
  await ledger.execute();
  await sql`create unique index ledger_of_company on ledger (company_id, sequence)`.execute(db);

  let keys = required(db.schema.createTable('idempotency_keys'), ddl.integer, 'company_id', 'status');
  keys = required(keys, ddl.text, 'scope', 'key', 'fingerprint', 'answer');
  keys = required(optional(keys, ddl.integer, 'content_id'), ddl.instant, 'created_at');
  await keys.addPrimaryKeyConstraint('idempotency_keys_pk', ['company_id', 'scope', 'key']).execute();
  await db.schema.createIndex('idempotency_keys_age').on('idempotency_keys').column('created_at').execute();
}

async function createTriggers(db: Db): Promise<void> {
  const counted = ['groups', 'logical_numbers', 'devices', 'apps', 'files', 'notifications', 'transactions'];
  const statements = [
    ...counted.flatMap((table) => ddl.counted(table, table)),
    ...ddl.counted('memberships', 'users'),
    ...ddl.appendOnly('ledger'),
    ...ddl.dailyTransactions(),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export async function up(db: Db): Promise<void> {
  await createUsers(db);
  await createTokens(db);
  await createFleet(db);
  await createSoftware(db);
  await createSettings(db);
  await createNotifications(db);
  await createTransactions(db);
  await createBookkeeping(db);
  await createTriggers(db);
}
