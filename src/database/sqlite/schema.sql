-- The schema that all migrations together make, for new files. Written by npm run codegen.

CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);

CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);

CREATE TABLE "companies" ("id" integer primary key autoincrement, "name" text not null, "created_at" integer not null, "updated_at" integer not null, "time_zone" text default 'UTC' not null, constraint "companies_name" unique ("name"));

CREATE TABLE "users" ("id" integer primary key autoincrement, "email" text not null, "name" text not null, "time_zone" text not null, "password_hash" text not null, "disabled_at" integer, "last_sign_in_at" integer, "locked_until" integer, "last_sign_in_ip" text, "sign_in_count" integer not null, "failed_sign_ins" integer not null, "revision" integer not null, "created_at" integer not null, "updated_at" integer not null, failed_since integer, constraint "users_email" unique ("email"));

CREATE TABLE "memberships" ("company_id" integer not null references "companies" ("id"), "user_id" integer not null references "users" ("id"), "role" text not null, "created_at" integer not null, name text not null default '', time_zone text not null default 'UTC', "sign_in_count" integer not null default 0, "revision" integer not null default 0, "updated_at" integer not null default 0, last_sign_in_at integer, last_sign_in_ip text, disabled_at integer, constraint "memberships_pk" primary key ("company_id", "user_id"));

CREATE INDEX "memberships_user" on "memberships" ("user_id");

CREATE TABLE "content_chunks" ("company_id" integer not null, "content_id" integer not null, "sequence" integer not null, "bytes" blob not null, constraint "content_id_in_company" foreign key ("company_id", "content_id") references "contents" ("company_id", "id") on delete cascade, constraint "content_chunks_pk" primary key ("company_id", "content_id", "sequence"));

CREATE TABLE "app_version_groups" ("company_id" integer not null, "app_version_id" integer not null, "group_id" integer not null, constraint "app_version_id_in_company" foreign key ("company_id", "app_version_id") references "app_versions" ("company_id", "id") on delete cascade, constraint "group_id_in_company" foreign key ("company_id", "group_id") references "groups" ("company_id", "id") on delete cascade, constraint "app_version_groups_pk" primary key ("company_id", "app_version_id", "group_id"));

CREATE INDEX "app_version_groups_by_group_id_app_version_id" on "app_version_groups" ("company_id", "group_id", "app_version_id");

CREATE TABLE "app_version_modules" ("company_id" integer not null, "app_version_id" integer not null, "module_id" integer not null, constraint "app_version_id_in_company" foreign key ("company_id", "app_version_id") references "app_versions" ("company_id", "id") on delete cascade, constraint "module_id_in_company" foreign key ("company_id", "module_id") references "app_versions" ("company_id", "id") on delete cascade, constraint "app_version_modules_pk" primary key ("company_id", "app_version_id", "module_id"));

CREATE INDEX "app_version_modules_by_module_id_app_version_id" on "app_version_modules" ("company_id", "module_id", "app_version_id");

CREATE TABLE "app_version_files" ("company_id" integer not null, "app_version_id" integer not null, "file_id" integer not null, constraint "app_version_id_in_company" foreign key ("company_id", "app_version_id") references "app_versions" ("company_id", "id") on delete cascade, constraint "file_id_in_company" foreign key ("company_id", "file_id") references "files" ("company_id", "id") on delete cascade, constraint "app_version_files_pk" primary key ("company_id", "app_version_id", "file_id"));

CREATE INDEX "app_version_files_by_file_id_app_version_id" on "app_version_files" ("company_id", "file_id", "app_version_id");

CREATE TABLE "logical_number_app_versions" ("company_id" integer not null, "logical_number_id" integer not null, "app_version_id" integer not null, made_after integer not null default 0, constraint "logical_number_id_in_company" foreign key ("company_id", "logical_number_id") references "logical_numbers" ("company_id", "id") on delete cascade, constraint "app_version_id_in_company" foreign key ("company_id", "app_version_id") references "app_versions" ("company_id", "id") on delete cascade, constraint "logical_number_app_versions_pk" primary key ("company_id", "logical_number_id", "app_version_id"));

CREATE INDEX "logical_number_app_versions_by_app_version_id_logical_number_id" on "logical_number_app_versions" ("company_id", "app_version_id", "logical_number_id");

CREATE TABLE "counters" ("company_id" integer not null, "total" integer not null, "name" text not null, last_drawn integer not null default 0, constraint "counters_pk" primary key ("company_id", "name"));

CREATE TABLE "ledger" ("position" integer primary key autoincrement, "company_id" integer, "user_id" integer, "token_id" integer, "entity_id" integer, "at" integer not null, "channel" text not null, "action" text not null, "entity_type" text not null, "before" text, "after" text, "request_id" text, "ip" text, sequence integer not null default 0, hash text);

CREATE TABLE "idempotency_keys" ("company_id" integer not null, "status" integer not null, "scope" text not null, "key" text not null, "fingerprint" text not null, "answer" text not null, "content_id" integer, "created_at" integer not null, constraint "idempotency_keys_pk" primary key ("company_id", "scope", "key"));

CREATE INDEX "idempotency_keys_age" on "idempotency_keys" ("created_at");

CREATE TRIGGER memberships_counted_in after insert on memberships begin
        insert into counters (company_id, name, total) values (new.company_id, 'users', 1)
        on conflict (company_id, name) do update set total = total + 1;
      end;

CREATE TRIGGER memberships_counted_out after delete on memberships begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'users';
      end;

CREATE TRIGGER memberships_stays before update of company_id on memberships
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE INDEX memberships_by_created_at on memberships (company_id, created_at, user_id);

CREATE VIEW members as select m.company_id, m.user_id as id, u.email, m.name, m.time_zone, m.role,
    m.sign_in_count, m.last_sign_in_at, m.last_sign_in_ip, m.disabled_at,
    u.disabled_at as account_disabled_at, u.locked_until, m.revision, m.created_at, m.updated_at
    from memberships as m join users as u on u.id = m.user_id;

CREATE TABLE "sign_in_networks" ("user_id" integer not null references "users" ("id") on delete cascade, "network" text not null, "signed_in_at" integer, "locked_until" integer, "failed_sign_ins" integer not null, "updated_at" integer not null, constraint "sign_in_networks_key" primary key ("user_id", "network"));

CREATE TABLE "notification_targets" ("company_id" integer not null, "notification_id" integer not null, "part" integer not null, "logical_numbers" text not null, constraint "notification_id_in_company" foreign key ("company_id", "notification_id") references "notifications" ("company_id", "id") on delete cascade, constraint "notification_targets_pk" primary key ("company_id", "notification_id", "part"));

CREATE TABLE "access_tokens" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "user_id" integer not null, "kind" text not null, "scopes" text not null, "token_hash" text not null, "last_four" text not null, "name" text, "nonce" text, "created_at" integer not null, "last_used_at" integer, "expires_at" integer, "revoked_at" integer, constraint "access_tokens_of_company" primary key ("company_id", "id"), constraint "access_tokens_hash" unique ("token_hash"), constraint "access_tokens_membership" foreign key ("company_id", "user_id") references "memberships" ("company_id", "user_id") on delete cascade);

CREATE INDEX "access_tokens_by_user_id_id" on "access_tokens" ("company_id", "user_id", "id");

CREATE INDEX "access_tokens_by_created_at_id" on "access_tokens" ("company_id", "created_at", "id");

CREATE TABLE "groups" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "name" text not null, "revision" integer not null, "created_at" integer not null, "updated_at" integer not null, "created_by" integer references "users" ("id"), "created_via" text not null, constraint "groups_of_company" primary key ("company_id", "id"), constraint "groups_name" unique ("company_id", "name"));

CREATE TRIGGER groups_counted_out after delete on groups begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'groups';
      end;

CREATE TRIGGER groups_stays before update of company_id on groups
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE INDEX "groups_by_created_at_id" on "groups" ("company_id", "created_at", "id");

CREATE INDEX "groups_by_updated_at_id" on "groups" ("company_id", "updated_at", "id");

CREATE TABLE "logical_numbers" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "number" text not null, "group_id" integer, "revision" integer not null, "created_at" integer not null, "updated_at" integer not null, "created_by" integer references "users" ("id"), "created_via" text not null, constraint "logical_numbers_of_company" primary key ("company_id", "id"), constraint "group_id_in_company" foreign key ("company_id", "group_id") references "groups" ("company_id", "id") on delete no action, constraint "logical_numbers_number" unique ("company_id", "number"));

CREATE INDEX "logical_numbers_by_group_id_id" on "logical_numbers" ("company_id", "group_id", "id");

CREATE TRIGGER logical_numbers_counted_out after delete on logical_numbers begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'logical_numbers';
      end;

CREATE TRIGGER logical_numbers_stays before update of company_id on logical_numbers
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE INDEX "logical_numbers_by_created_at_id" on "logical_numbers" ("company_id", "created_at", "id");

CREATE INDEX "logical_numbers_by_updated_at_id" on "logical_numbers" ("company_id", "updated_at", "id");

CREATE TABLE "devices" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "serial_number" text not null, "enabled" integer not null, "logical_number_id" integer, "meta" text not null, "framework_version" text, "revision" integer not null, "created_at" integer not null, "updated_at" integer not null, "created_by" integer references "users" ("id"), "created_via" text not null, constraint "devices_of_company" primary key ("company_id", "id"), constraint "logical_number_id_in_company" foreign key ("company_id", "logical_number_id") references "logical_numbers" ("company_id", "id") on delete no action, constraint "devices_serial_number" unique ("company_id", "serial_number"));

CREATE INDEX "devices_by_logical_number_id_id" on "devices" ("company_id", "logical_number_id", "id");

CREATE TRIGGER devices_counted_out after delete on devices begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'devices';
      end;

CREATE TRIGGER devices_stays before update of company_id on devices
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE INDEX "devices_by_created_at_id" on "devices" ("company_id", "created_at", "id");

CREATE INDEX "devices_by_updated_at_id" on "devices" ("company_id", "updated_at", "id");

CREATE INDEX "devices_by_enabled_id" on "devices" ("company_id", "enabled", "id");

CREATE INDEX "devices_by_framework_version_id" on "devices" ("company_id", "framework_version", "id");

CREATE INDEX devices_by_model on devices (company_id, json_extract("meta", '$.model'));

CREATE TABLE "apps" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "name" text not null, "communication_format" text not null, "kind" text not null, "language" text not null, "description" text, "revision" integer not null, "created_at" integer not null, "updated_at" integer not null, "created_by" integer references "users" ("id"), "created_via" text not null, constraint "apps_of_company" primary key ("company_id", "id"), constraint "apps_name" unique ("company_id", "name"));

CREATE TRIGGER apps_counted_out after delete on apps begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'apps';
      end;

CREATE TRIGGER apps_stays before update of company_id on apps
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE INDEX "apps_by_created_at_id" on "apps" ("company_id", "created_at", "id");

CREATE INDEX "apps_by_updated_at_id" on "apps" ("company_id", "updated_at", "id");

CREATE INDEX "apps_by_communication_format_id" on "apps" ("company_id", "communication_format", "id");

CREATE INDEX "apps_by_kind_id" on "apps" ("company_id", "kind", "id");

CREATE INDEX "apps_by_language_id" on "apps" ("company_id", "language", "id");

CREATE TABLE "contents" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "size" integer not null, "crc" text not null, "sha256" text not null, "created_at" integer not null, "released_at" integer, constraint "contents_of_company" primary key ("company_id", "id"));

CREATE INDEX contents_released on contents (released_at) where released_at is not null;

CREATE TABLE "app_versions" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "app_id" integer not null, "size" integer not null, "number" text not null, "uuid" text not null, "crc" text not null, "displayable" integer not null, "authorizer_url" text, "pos_display_label" text, "content_id" integer, "revision" integer not null, "created_at" integer not null, "updated_at" integer not null, "created_by" integer references "users" ("id"), "created_via" text not null, constraint "app_versions_of_company" primary key ("company_id", "id"), constraint "app_id_in_company" foreign key ("company_id", "app_id") references "apps" ("company_id", "id") on delete no action, constraint "content_id_in_company" foreign key ("company_id", "content_id") references "contents" ("company_id", "id") on delete no action, constraint "app_versions_number" unique ("company_id", "app_id", "number"));

CREATE INDEX "app_versions_by_app_id_id" on "app_versions" ("company_id", "app_id", "id");

CREATE INDEX "app_versions_by_content_id" on "app_versions" ("company_id", "content_id");

CREATE INDEX "app_versions_by_created_at_id" on "app_versions" ("company_id", "created_at", "id");

CREATE INDEX "app_versions_by_updated_at_id" on "app_versions" ("company_id", "updated_at", "id");

CREATE INDEX "app_versions_by_number_id" on "app_versions" ("company_id", "number", "id");

CREATE TABLE "files" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "name" text not null, "file_type" text not null, "crc" text not null, "description" text, "content_id" integer not null, "size" integer not null, "revision" integer not null, "created_at" integer not null, "updated_at" integer not null, "created_by" integer references "users" ("id"), "created_via" text not null, constraint "files_of_company" primary key ("company_id", "id"), constraint "content_id_in_company" foreign key ("company_id", "content_id") references "contents" ("company_id", "id") on delete no action, constraint "files_name" unique ("company_id", "name"));

CREATE INDEX "files_by_content_id" on "files" ("company_id", "content_id");

CREATE TRIGGER files_counted_out after delete on files begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'files';
      end;

CREATE TRIGGER files_stays before update of company_id on files
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE INDEX "files_by_created_at_id" on "files" ("company_id", "created_at", "id");

CREATE INDEX "files_by_updated_at_id" on "files" ("company_id", "updated_at", "id");

CREATE INDEX "files_by_file_type_id" on "files" ("company_id", "file_type", "id");

CREATE TABLE "parameters" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "group_id" integer, "logical_number_id" integer, "key" text not null, "value" text not null, "description" text, "revision" integer not null, "created_at" integer not null, "updated_at" integer not null, "created_by" integer references "users" ("id"), "created_via" text not null, constraint "parameters_of_company" primary key ("company_id", "id"), constraint "group_id_in_company" foreign key ("company_id", "group_id") references "groups" ("company_id", "id") on delete no action, constraint "logical_number_id_in_company" foreign key ("company_id", "logical_number_id") references "logical_numbers" ("company_id", "id") on delete no action, constraint "parameters_group_key" unique ("company_id", "group_id", "key"), constraint "parameters_logical_number_key" unique ("company_id", "logical_number_id", "key"), constraint "parameters_one_owner" check ((group_id is null) <> (logical_number_id is null)));

CREATE INDEX "parameters_by_group_id_id" on "parameters" ("company_id", "group_id", "id");

CREATE INDEX "parameters_by_logical_number_id_id" on "parameters" ("company_id", "logical_number_id", "id");

CREATE INDEX "parameters_by_created_at_id" on "parameters" ("company_id", "created_at", "id");

CREATE INDEX "parameters_by_updated_at_id" on "parameters" ("company_id", "updated_at", "id");

CREATE INDEX "parameters_by_key_id" on "parameters" ("company_id", "key", "id");

CREATE TABLE "metacontents" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "group_id" integer, "logical_number_id" integer, "key" text not null, "value" text not null, "revision" integer not null, "created_at" integer not null, "updated_at" integer not null, "created_by" integer references "users" ("id"), "created_via" text not null, constraint "metacontents_of_company" primary key ("company_id", "id"), constraint "group_id_in_company" foreign key ("company_id", "group_id") references "groups" ("company_id", "id") on delete no action, constraint "logical_number_id_in_company" foreign key ("company_id", "logical_number_id") references "logical_numbers" ("company_id", "id") on delete no action, constraint "metacontents_group_key" unique ("company_id", "group_id", "key"), constraint "metacontents_logical_number_key" unique ("company_id", "logical_number_id", "key"), constraint "metacontents_one_owner" check ((group_id is null) <> (logical_number_id is null)));

CREATE INDEX "metacontents_by_group_id_id" on "metacontents" ("company_id", "group_id", "id");

CREATE INDEX "metacontents_by_logical_number_id_id" on "metacontents" ("company_id", "logical_number_id", "id");

CREATE INDEX "metacontents_by_created_at_id" on "metacontents" ("company_id", "created_at", "id");

CREATE INDEX "metacontents_by_updated_at_id" on "metacontents" ("company_id", "updated_at", "id");

CREATE INDEX "metacontents_by_key_id" on "metacontents" ("company_id", "key", "id");

CREATE TABLE "notifications" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "content" text not null, "range" text not null, "kind" text not null, "group_id" integer, "app_id" integer, "expires_at" integer not null, "revision" integer not null, "created_at" integer not null, "updated_at" integer not null, "created_by" integer references "users" ("id"), "created_via" text not null, constraint "notifications_of_company" primary key ("company_id", "id"));

CREATE TRIGGER notifications_counted_out after delete on notifications begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'notifications';
      end;

CREATE TRIGGER notifications_stays before update of company_id on notifications
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE INDEX "notifications_by_created_at_id" on "notifications" ("company_id", "created_at", "id");

CREATE INDEX "notifications_by_updated_at_id" on "notifications" ("company_id", "updated_at", "id");

CREATE INDEX "notifications_by_kind_id" on "notifications" ("company_id", "kind", "id");

CREATE INDEX "notifications_by_group_id_id" on "notifications" ("company_id", "group_id", "id");

CREATE INDEX "notifications_by_expires_at_id" on "notifications" ("company_id", "expires_at", "id");

CREATE TABLE "notification_deliveries" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "notification_id" integer not null, "logical_number_id" integer not null, "state" text not null, "queued_at" integer not null, sent_at integer, finished_at integer, lease_ends_at integer, due_at integer, reason text, attempts integer not null default 0, sequence integer not null default 0, serial_number text, confirmed_at integer, constraint "notification_deliveries_of_company" primary key ("company_id", "id"), constraint "notification_id_in_company" foreign key ("company_id", "notification_id") references "notifications" ("company_id", "id") on delete cascade, constraint "logical_number_id_in_company" foreign key ("company_id", "logical_number_id") references "logical_numbers" ("company_id", "id") on delete cascade, constraint "notification_deliveries_once" unique ("company_id", "notification_id", "logical_number_id"));

CREATE INDEX "notification_deliveries_by_logical_number_id_id" on "notification_deliveries" ("company_id", "logical_number_id", "id");

CREATE TABLE "removals" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "group_id" integer, "logical_number_id" integer, "app_version_id" integer, "app_id" integer, "change" integer not null, "position" integer not null, "caller" text not null, constraint "removals_of_company" primary key ("company_id", "id"), constraint "group_id_in_company" foreign key ("company_id", "group_id") references "groups" ("company_id", "id") on delete cascade, constraint "logical_number_id_in_company" foreign key ("company_id", "logical_number_id") references "logical_numbers" ("company_id", "id") on delete cascade, constraint "app_version_id_in_company" foreign key ("company_id", "app_version_id") references "app_versions" ("company_id", "id") on delete cascade, constraint "app_id_in_company" foreign key ("company_id", "app_id") references "apps" ("company_id", "id") on delete cascade);

CREATE INDEX "removals_of_group_id_app_version_id" on "removals" ("company_id", "group_id", "app_version_id");

CREATE INDEX "removals_of_app_version_id_group_id" on "removals" ("company_id", "app_version_id", "group_id");

CREATE INDEX "removals_of_logical_number_id" on "removals" ("company_id", "logical_number_id");

CREATE INDEX "removals_of_app_id" on "removals" ("company_id", "app_id");

CREATE TABLE "transactions" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "transaction_type" text not null, "serial_number" text not null, "logical_number" text not null, "app_name" text not null, "detail" text not null, "status" text not null, "framework_version" text, "sent" text, "received" text, "parsed" text, "amount" integer, "started_at" integer not null, "recorded_at" integer not null, "finished_at" integer, reference text, payment_outcome text, payment_status text not null default '', payment_type text not null default '', brand text not null default '', acquirer text not null default '', installments integer not null default -1, group_id integer not null default 0, constraint "transactions_of_company" primary key ("company_id", "id"));

CREATE TRIGGER transactions_counted_out after delete on transactions begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'transactions';
      end;

CREATE TRIGGER transactions_stays before update of company_id on transactions
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE INDEX transactions_serial on transactions (company_id, serial_number, started_at desc, id desc,
    status, transaction_type, app_name, logical_number, amount, payment_outcome);

CREATE INDEX transactions_logical_number on transactions (company_id, logical_number, started_at desc, id desc,
    status, transaction_type, app_name, serial_number, amount, payment_outcome);

CREATE INDEX transactions_status on transactions (company_id, status, started_at desc, id desc,
    transaction_type, app_name);

CREATE INDEX transactions_app on transactions (company_id, app_name, started_at desc, id desc,
    status, transaction_type);

CREATE UNIQUE INDEX ledger_of_company on ledger (company_id, sequence);

CREATE INDEX "ledger_by_at_sequence" on "ledger" ("company_id", "at", "sequence");

CREATE INDEX "ledger_by_action_sequence" on "ledger" ("company_id", "action", "sequence");

CREATE INDEX "ledger_by_entity_type_sequence" on "ledger" ("company_id", "entity_type", "sequence");

CREATE INDEX "ledger_by_user_id_sequence" on "ledger" ("company_id", "user_id", "sequence");

CREATE INDEX "ledger_by_entity_id_entity_type_sequence" on "ledger" ("company_id", "entity_id", "entity_type", "sequence");

CREATE TRIGGER ledger_no_update before update on ledger begin
        select raise(abort, 'ledger can only be added to');
      end;

CREATE TABLE "ledger_chains" ("company_id" integer not null primary key, "first_sequence" integer not null, "before_sequence" integer not null, "sequence" integer not null, "before_hash" text not null, "hash" text not null, "key_fingerprint" text not null, "seal" text not null);

CREATE TRIGGER app_versions_counted_out after delete on app_versions begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'app_versions';
      end;

CREATE TRIGGER app_versions_stays before update of company_id on app_versions
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE TRIGGER parameters_counted_out after delete on parameters begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'parameters';
      end;

CREATE TRIGGER parameters_stays before update of company_id on parameters
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE TRIGGER metacontents_counted_out after delete on metacontents begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'metacontents';
      end;

CREATE TRIGGER metacontents_stays before update of company_id on metacontents
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE TRIGGER access_tokens_counted_out after delete on access_tokens begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'access_tokens';
      end;

CREATE TRIGGER access_tokens_stays before update of company_id on access_tokens
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE TRIGGER app_version_groups_counted_in after insert on app_version_groups begin
        insert into counters (company_id, name, total) values (new.company_id, 'app_version_groups', 1)
        on conflict (company_id, name) do update set total = total + 1;
      end;

CREATE TRIGGER app_version_groups_counted_out after delete on app_version_groups begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'app_version_groups';
      end;

CREATE TRIGGER app_version_groups_stays before update of company_id on app_version_groups
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE TRIGGER app_version_modules_counted_in after insert on app_version_modules begin
        insert into counters (company_id, name, total) values (new.company_id, 'app_version_modules', 1)
        on conflict (company_id, name) do update set total = total + 1;
      end;

CREATE TRIGGER app_version_modules_counted_out after delete on app_version_modules begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'app_version_modules';
      end;

CREATE TRIGGER app_version_modules_stays before update of company_id on app_version_modules
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE TRIGGER app_version_files_counted_in after insert on app_version_files begin
        insert into counters (company_id, name, total) values (new.company_id, 'app_version_files', 1)
        on conflict (company_id, name) do update set total = total + 1;
      end;

CREATE TRIGGER app_version_files_counted_out after delete on app_version_files begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'app_version_files';
      end;

CREATE TRIGGER app_version_files_stays before update of company_id on app_version_files
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE TRIGGER logical_number_app_versions_counted_in after insert on logical_number_app_versions begin
        insert into counters (company_id, name, total) values (new.company_id, 'logical_number_app_versions', 1)
        on conflict (company_id, name) do update set total = total + 1;
      end;

CREATE TRIGGER logical_number_app_versions_counted_out after delete on logical_number_app_versions begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'logical_number_app_versions';
      end;

CREATE TRIGGER logical_number_app_versions_stays before update of company_id on logical_number_app_versions
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE TRIGGER notification_deliveries_queued_in after insert on notification_deliveries
    when new.state = 'queued' begin insert into counters (company_id, name, total) values (new.company_id, 'queued_deliveries', 1)
  on conflict (company_id, name) do update set total = total + 1; end;

CREATE TRIGGER notification_deliveries_queued_out after delete on notification_deliveries
    when old.state = 'queued' begin update counters set total = total - 1
  where company_id = old.company_id and name = 'queued_deliveries'; end;

CREATE TRIGGER notification_deliveries_requeued after update of state on notification_deliveries
    when new.state = 'queued' and old.state <> 'queued' begin insert into counters (company_id, name, total) values (new.company_id, 'queued_deliveries', 1)
  on conflict (company_id, name) do update set total = total + 1; end;

CREATE TRIGGER notification_deliveries_unqueued after update of state on notification_deliveries
    when new.state <> 'queued' and old.state = 'queued' begin update counters set total = total - 1
  where company_id = old.company_id and name = 'queued_deliveries'; end;

CREATE TABLE "group_default_versions" ("company_id" integer not null, "group_id" integer not null, "app_version_id" integer not null, constraint "attached_to_group" foreign key ("company_id", "app_version_id", "group_id") references "app_version_groups" ("company_id", "app_version_id", "group_id") on delete cascade, constraint "group_default_versions_pk" primary key ("company_id", "group_id", "app_version_id"));

CREATE INDEX "group_default_versions_by_app_version_id_group_id" on "group_default_versions" ("company_id", "app_version_id", "group_id");

CREATE TRIGGER group_default_versions_counted_in after insert on group_default_versions begin
        insert into counters (company_id, name, total) values (new.company_id, 'group_default_versions', 1)
        on conflict (company_id, name) do update set total = total + 1;
      end;

CREATE TRIGGER group_default_versions_counted_out after delete on group_default_versions begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'group_default_versions';
      end;

CREATE TRIGGER group_default_versions_stays before update of company_id on group_default_versions
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE TABLE "device_tokens" ("company_id" integer not null, "device_id" integer not null, "token_hash" text not null, "last_four" text not null, "issued_by" integer not null, "issued_at" integer not null, constraint "device_tokens_pk" primary key ("company_id", "device_id"), constraint "device_id_in_company" foreign key ("company_id", "device_id") references "devices" ("company_id", "id") on delete cascade, constraint "device_tokens_hash" unique ("token_hash")) without rowid;

CREATE TABLE "terminal_refusals" ("company_id" integer not null, "device_id" integer not null, "code" text not null, "refused_at" integer not null, constraint "terminal_refusals_pk" primary key ("company_id", "device_id"), constraint "device_id_in_company" foreign key ("company_id", "device_id") references "devices" ("company_id", "id") on delete cascade) without rowid;

CREATE TABLE "unknown_terminals" ("id" integer not null, "company_id" integer not null references "companies" ("id"), "serial_number" text not null, "first_seen_at" integer not null, "last_seen_at" integer not null, "count" integer not null, constraint "unknown_terminals_of_company" primary key ("company_id", "id"), constraint "unknown_terminals_serial_number" unique ("company_id", "serial_number"));

CREATE INDEX "unknown_terminals_by_last_seen_at_id" on "unknown_terminals" ("company_id", "last_seen_at", "id");

CREATE TRIGGER unknown_terminals_counted_out after delete on unknown_terminals begin
        update counters set total = total - 1 where company_id = old.company_id and name = 'unknown_terminals';
      end;

CREATE TRIGGER unknown_terminals_stays before update of company_id on unknown_terminals
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end;

CREATE TRIGGER devices_known after insert on devices begin
    delete from unknown_terminals where company_id = new.company_id and serial_number = new.serial_number;
  end;

CREATE UNIQUE INDEX transactions_reference on transactions (company_id, reference, serial_number)
    where reference is not null;

CREATE TABLE "terminal_versions" ("company_id" integer not null, "device_id" integer not null, "app_version_id" integer not null, "content_id" integer not null, "is_downloaded" integer not null, "is_current" integer not null, constraint "terminal_versions_pk" primary key ("company_id", "device_id", "app_version_id"), constraint "device_id_in_company" foreign key ("company_id", "device_id") references "devices" ("company_id", "id") on delete cascade) without rowid;

CREATE INDEX "terminal_versions_by_app_version_id_content_id_is_downloaded_is_current" on "terminal_versions" ("company_id", "app_version_id", "content_id", "is_downloaded", "is_current");

CREATE TABLE "notification_totals" ("company_id" integer not null, "notification_id" integer not null, "queued" integer not null, "sent" integer not null, "delivered" integer not null, "failed" integer not null, "expired" integer not null, "cancelled" integer not null, constraint "notification_id_in_company" foreign key ("company_id", "notification_id") references "notifications" ("company_id", "id") on delete cascade, constraint "notification_totals_pk" primary key ("company_id", "notification_id")) without rowid;

CREATE INDEX notification_deliveries_waiting on notification_deliveries
    (company_id, logical_number_id, id) where finished_at is null;

CREATE INDEX notification_deliveries_due on notification_deliveries (company_id, due_at, id)
    where due_at is not null;

CREATE INDEX notification_deliveries_by_notification_id_id on notification_deliveries
    (company_id, notification_id, id);

CREATE INDEX notification_deliveries_by_notification_id_state_id on notification_deliveries
    (company_id, notification_id, state, id);

CREATE INDEX notification_deliveries_by_sequence on notification_deliveries (company_id, sequence);

CREATE INDEX notification_totals_waiting on notification_totals (company_id, notification_id)
    where queued + sent > 0;

CREATE TRIGGER notification_deliveries_totalled_in after insert on notification_deliveries begin
    insert into notification_totals (company_id, notification_id, queued, sent, delivered, failed, expired, cancelled)
      values (new.company_id, new.notification_id, new.state = 'queued', new.state = 'sent', new.state = 'delivered', new.state = 'failed', new.state = 'expired', new.state = 'cancelled')
      on conflict (company_id, notification_id) do update set queued = queued + (new.state = 'queued'), sent = sent + (new.state = 'sent'), delivered = delivered + (new.state = 'delivered'), failed = failed + (new.state = 'failed'), expired = expired + (new.state = 'expired'), cancelled = cancelled + (new.state = 'cancelled');
  end;

CREATE TRIGGER notification_deliveries_totalled_out after delete on notification_deliveries begin
    update notification_totals set queued = queued - (old.state = 'queued'), sent = sent - (old.state = 'sent'), delivered = delivered - (old.state = 'delivered'), failed = failed - (old.state = 'failed'), expired = expired - (old.state = 'expired'), cancelled = cancelled - (old.state = 'cancelled')
      where company_id = old.company_id and notification_id = old.notification_id;
  end;

CREATE TRIGGER notification_deliveries_totalled_moved after update of state on notification_deliveries
    when new.state <> old.state begin
    update notification_totals set queued = queued + (new.state = 'queued') - (old.state = 'queued'), sent = sent + (new.state = 'sent') - (old.state = 'sent'), delivered = delivered + (new.state = 'delivered') - (old.state = 'delivered'), failed = failed + (new.state = 'failed') - (old.state = 'failed'), expired = expired + (new.state = 'expired') - (old.state = 'expired'), cancelled = cancelled + (new.state = 'cancelled') - (old.state = 'cancelled')
      where company_id = new.company_id and notification_id = new.notification_id;
  end;

CREATE TRIGGER devices_reachable_in after insert on devices when new.enabled and new.logical_number_id is not null  begin
    update notification_deliveries set due_at = max(coalesce(lease_ends_at, 0), new.updated_at)
      where company_id = new.company_id and logical_number_id = new.logical_number_id
        and finished_at is null and due_at is not null;
  end;

CREATE TRIGGER devices_reachable after update of enabled, logical_number_id on devices
    when new.enabled and new.logical_number_id is not null and (not old.enabled or old.logical_number_id is not new.logical_number_id) begin
    update notification_deliveries set due_at = max(coalesce(lease_ends_at, 0), new.updated_at)
      where company_id = new.company_id and logical_number_id = new.logical_number_id
        and finished_at is null and due_at is not null;
  end;

CREATE TABLE "transaction_payment_kinds" ("company_id" integer not null, "month" integer not null, "payment_type" text not null, "brand" text not null, "acquirer" text not null, constraint "transaction_payment_kinds_pk" primary key ("company_id", "month", "payment_type", "brand", "acquirer")) without rowid;

CREATE INDEX transactions_newest on transactions (company_id, started_at desc, id desc, status, transaction_type, app_name,
      logical_number, serial_number, amount, payment_outcome, payment_status, payment_type, brand, acquirer, installments, group_id);

CREATE TABLE "transaction_days" ("company_id" integer not null, "day" integer not null, "status" text not null, "transaction_type" text not null, "app_name" text not null, "total" integer not null, "amount_total" integer not null, "approved_amount" integer not null, "denied_amount" integer not null, "cancelled_amount" integer not null, "total_from_noon" integer not null, "amount_total_from_noon" integer not null, "approved_amount_from_noon" integer not null, "denied_amount_from_noon" integer not null, "cancelled_amount_from_noon" integer not null, constraint "transaction_days_pk" primary key ("company_id", "day", "status", "transaction_type", "app_name")) without rowid;

CREATE TABLE "transaction_hours" ("company_id" integer not null, "hour" integer not null, "status" text not null, "transaction_type" text not null, "app_name" text not null, "total" integer not null, "amount_total" integer not null, "approved_amount" integer not null, "denied_amount" integer not null, "cancelled_amount" integer not null, "total_from_15" integer not null, "amount_total_from_15" integer not null, "approved_amount_from_15" integer not null, "denied_amount_from_15" integer not null, "cancelled_amount_from_15" integer not null, "total_from_30" integer not null, "amount_total_from_30" integer not null, "approved_amount_from_30" integer not null, "denied_amount_from_30" integer not null, "cancelled_amount_from_30" integer not null, constraint "transaction_hours_pk" primary key ("company_id", "hour", "status", "transaction_type", "app_name")) without rowid;

CREATE TABLE "transaction_day_totals" ("company_id" integer not null, "day" integer not null, "status" text not null, "transaction_type" text not null, "total" integer not null, "amount_total" integer not null, "approved_amount" integer not null, "denied_amount" integer not null, "cancelled_amount" integer not null, "total_from_noon" integer not null, "amount_total_from_noon" integer not null, "approved_amount_from_noon" integer not null, "denied_amount_from_noon" integer not null, "cancelled_amount_from_noon" integer not null, constraint "transaction_day_totals_pk" primary key ("company_id", "day", "status", "transaction_type")) without rowid;

CREATE TABLE "transaction_hour_totals" ("company_id" integer not null, "hour" integer not null, "status" text not null, "transaction_type" text not null, "total" integer not null, "amount_total" integer not null, "approved_amount" integer not null, "denied_amount" integer not null, "cancelled_amount" integer not null, "total_from_15" integer not null, "amount_total_from_15" integer not null, "approved_amount_from_15" integer not null, "denied_amount_from_15" integer not null, "cancelled_amount_from_15" integer not null, "total_from_30" integer not null, "amount_total_from_30" integer not null, "approved_amount_from_30" integer not null, "denied_amount_from_30" integer not null, "cancelled_amount_from_30" integer not null, constraint "transaction_hour_totals_pk" primary key ("company_id", "hour", "status", "transaction_type")) without rowid;

CREATE TABLE "transaction_app_days" ("company_id" integer not null, "app_name" text not null, "day" integer not null, "status" text not null, "transaction_type" text not null, "total" integer not null, "amount_total" integer not null, "approved_amount" integer not null, "denied_amount" integer not null, "cancelled_amount" integer not null, "total_from_noon" integer not null, "amount_total_from_noon" integer not null, "approved_amount_from_noon" integer not null, "denied_amount_from_noon" integer not null, "cancelled_amount_from_noon" integer not null, constraint "transaction_app_days_pk" primary key ("company_id", "app_name", "day", "status", "transaction_type")) without rowid;

CREATE TABLE "transaction_payment_days" ("company_id" integer not null, "day" integer not null, "status" text not null, "transaction_type" text not null, "payment_status" text not null, "payment_type" text not null, "brand" text not null, "acquirer" text not null, "total" integer not null, "amount_total" integer not null, "approved_amount" integer not null, "denied_amount" integer not null, "cancelled_amount" integer not null, "total_from_noon" integer not null, "amount_total_from_noon" integer not null, "approved_amount_from_noon" integer not null, "denied_amount_from_noon" integer not null, "cancelled_amount_from_noon" integer not null, constraint "transaction_payment_days_pk" primary key ("company_id", "day", "status", "transaction_type", "payment_status", "payment_type", "brand", "acquirer")) without rowid;

CREATE TABLE "transaction_payment_hours" ("company_id" integer not null, "hour" integer not null, "status" text not null, "transaction_type" text not null, "payment_status" text not null, "payment_type" text not null, "brand" text not null, "acquirer" text not null, "total" integer not null, "amount_total" integer not null, "approved_amount" integer not null, "denied_amount" integer not null, "cancelled_amount" integer not null, "total_from_15" integer not null, "amount_total_from_15" integer not null, "approved_amount_from_15" integer not null, "denied_amount_from_15" integer not null, "cancelled_amount_from_15" integer not null, "total_from_30" integer not null, "amount_total_from_30" integer not null, "approved_amount_from_30" integer not null, "denied_amount_from_30" integer not null, "cancelled_amount_from_30" integer not null, constraint "transaction_payment_hours_pk" primary key ("company_id", "hour", "status", "transaction_type", "payment_status", "payment_type", "brand", "acquirer")) without rowid;

CREATE TABLE "transaction_installment_days" ("company_id" integer not null, "day" integer not null, "status" text not null, "transaction_type" text not null, "payment_status" text not null, "installments" integer not null, "total" integer not null, "amount_total" integer not null, "approved_amount" integer not null, "denied_amount" integer not null, "cancelled_amount" integer not null, "total_from_noon" integer not null, "amount_total_from_noon" integer not null, "approved_amount_from_noon" integer not null, "denied_amount_from_noon" integer not null, "cancelled_amount_from_noon" integer not null, constraint "transaction_installment_days_pk" primary key ("company_id", "day", "status", "transaction_type", "payment_status", "installments")) without rowid;

CREATE TABLE "transaction_installment_hours" ("company_id" integer not null, "hour" integer not null, "status" text not null, "transaction_type" text not null, "payment_status" text not null, "installments" integer not null, "total" integer not null, "amount_total" integer not null, "approved_amount" integer not null, "denied_amount" integer not null, "cancelled_amount" integer not null, "total_from_15" integer not null, "amount_total_from_15" integer not null, "approved_amount_from_15" integer not null, "denied_amount_from_15" integer not null, "cancelled_amount_from_15" integer not null, "total_from_30" integer not null, "amount_total_from_30" integer not null, "approved_amount_from_30" integer not null, "denied_amount_from_30" integer not null, "cancelled_amount_from_30" integer not null, constraint "transaction_installment_hours_pk" primary key ("company_id", "hour", "status", "transaction_type", "payment_status", "installments")) without rowid;

CREATE TABLE "transaction_group_days" ("company_id" integer not null, "day" integer not null, "status" text not null, "transaction_type" text not null, "payment_status" text not null, "group_id" integer not null, "total" integer not null, "amount_total" integer not null, "approved_amount" integer not null, "denied_amount" integer not null, "cancelled_amount" integer not null, "total_from_noon" integer not null, "amount_total_from_noon" integer not null, "approved_amount_from_noon" integer not null, "denied_amount_from_noon" integer not null, "cancelled_amount_from_noon" integer not null, constraint "transaction_group_days_pk" primary key ("company_id", "day", "status", "transaction_type", "payment_status", "group_id")) without rowid;

CREATE TABLE "transaction_group_hours" ("company_id" integer not null, "hour" integer not null, "status" text not null, "transaction_type" text not null, "payment_status" text not null, "group_id" integer not null, "total" integer not null, "amount_total" integer not null, "approved_amount" integer not null, "denied_amount" integer not null, "cancelled_amount" integer not null, "total_from_15" integer not null, "amount_total_from_15" integer not null, "approved_amount_from_15" integer not null, "denied_amount_from_15" integer not null, "cancelled_amount_from_15" integer not null, "total_from_30" integer not null, "amount_total_from_30" integer not null, "approved_amount_from_30" integer not null, "denied_amount_from_30" integer not null, "cancelled_amount_from_30" integer not null, constraint "transaction_group_hours_pk" primary key ("company_id", "hour", "status", "transaction_type", "payment_status", "group_id")) without rowid;

CREATE TRIGGER transactions_summed_in after insert on transactions begin insert into transaction_days (company_id, day, status, transaction_type, app_name, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_noon, amount_total_from_noon, approved_amount_from_noon, denied_amount_from_noon, cancelled_amount_from_noon)
    values (new.company_id, new.started_at / 86400000, new.status, new.transaction_type, new.app_name, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000, 1, 0), iif(new.started_at % 86400000 >= 43200000, coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, day, status, transaction_type, app_name) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_noon = total_from_noon + excluded.total_from_noon, amount_total_from_noon = amount_total_from_noon + excluded.amount_total_from_noon, approved_amount_from_noon = approved_amount_from_noon + excluded.approved_amount_from_noon, denied_amount_from_noon = denied_amount_from_noon + excluded.denied_amount_from_noon, cancelled_amount_from_noon = cancelled_amount_from_noon + excluded.cancelled_amount_from_noon; insert into transaction_hours (company_id, hour, status, transaction_type, app_name, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_15, amount_total_from_15, approved_amount_from_15, denied_amount_from_15, cancelled_amount_from_15, total_from_30, amount_total_from_30, approved_amount_from_30, denied_amount_from_30, cancelled_amount_from_30)
    values (new.company_id, new.started_at / 3600000, new.status, new.transaction_type, new.app_name, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000, 1, 0), iif(new.started_at % 3600000 >= 900000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000, 1, 0), iif(new.started_at % 3600000 >= 1800000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, hour, status, transaction_type, app_name) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_15 = total_from_15 + excluded.total_from_15, amount_total_from_15 = amount_total_from_15 + excluded.amount_total_from_15, approved_amount_from_15 = approved_amount_from_15 + excluded.approved_amount_from_15, denied_amount_from_15 = denied_amount_from_15 + excluded.denied_amount_from_15, cancelled_amount_from_15 = cancelled_amount_from_15 + excluded.cancelled_amount_from_15, total_from_30 = total_from_30 + excluded.total_from_30, amount_total_from_30 = amount_total_from_30 + excluded.amount_total_from_30, approved_amount_from_30 = approved_amount_from_30 + excluded.approved_amount_from_30, denied_amount_from_30 = denied_amount_from_30 + excluded.denied_amount_from_30, cancelled_amount_from_30 = cancelled_amount_from_30 + excluded.cancelled_amount_from_30; insert into transaction_day_totals (company_id, day, status, transaction_type, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_noon, amount_total_from_noon, approved_amount_from_noon, denied_amount_from_noon, cancelled_amount_from_noon)
    values (new.company_id, new.started_at / 86400000, new.status, new.transaction_type, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000, 1, 0), iif(new.started_at % 86400000 >= 43200000, coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, day, status, transaction_type) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_noon = total_from_noon + excluded.total_from_noon, amount_total_from_noon = amount_total_from_noon + excluded.amount_total_from_noon, approved_amount_from_noon = approved_amount_from_noon + excluded.approved_amount_from_noon, denied_amount_from_noon = denied_amount_from_noon + excluded.denied_amount_from_noon, cancelled_amount_from_noon = cancelled_amount_from_noon + excluded.cancelled_amount_from_noon; insert into transaction_hour_totals (company_id, hour, status, transaction_type, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_15, amount_total_from_15, approved_amount_from_15, denied_amount_from_15, cancelled_amount_from_15, total_from_30, amount_total_from_30, approved_amount_from_30, denied_amount_from_30, cancelled_amount_from_30)
    values (new.company_id, new.started_at / 3600000, new.status, new.transaction_type, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000, 1, 0), iif(new.started_at % 3600000 >= 900000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000, 1, 0), iif(new.started_at % 3600000 >= 1800000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, hour, status, transaction_type) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_15 = total_from_15 + excluded.total_from_15, amount_total_from_15 = amount_total_from_15 + excluded.amount_total_from_15, approved_amount_from_15 = approved_amount_from_15 + excluded.approved_amount_from_15, denied_amount_from_15 = denied_amount_from_15 + excluded.denied_amount_from_15, cancelled_amount_from_15 = cancelled_amount_from_15 + excluded.cancelled_amount_from_15, total_from_30 = total_from_30 + excluded.total_from_30, amount_total_from_30 = amount_total_from_30 + excluded.amount_total_from_30, approved_amount_from_30 = approved_amount_from_30 + excluded.approved_amount_from_30, denied_amount_from_30 = denied_amount_from_30 + excluded.denied_amount_from_30, cancelled_amount_from_30 = cancelled_amount_from_30 + excluded.cancelled_amount_from_30; insert into transaction_app_days (company_id, app_name, day, status, transaction_type, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_noon, amount_total_from_noon, approved_amount_from_noon, denied_amount_from_noon, cancelled_amount_from_noon)
    values (new.company_id, new.app_name, new.started_at / 86400000, new.status, new.transaction_type, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000, 1, 0), iif(new.started_at % 86400000 >= 43200000, coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, app_name, day, status, transaction_type) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_noon = total_from_noon + excluded.total_from_noon, amount_total_from_noon = amount_total_from_noon + excluded.amount_total_from_noon, approved_amount_from_noon = approved_amount_from_noon + excluded.approved_amount_from_noon, denied_amount_from_noon = denied_amount_from_noon + excluded.denied_amount_from_noon, cancelled_amount_from_noon = cancelled_amount_from_noon + excluded.cancelled_amount_from_noon; insert into transaction_payment_days (company_id, day, status, transaction_type, payment_status, payment_type, brand, acquirer, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_noon, amount_total_from_noon, approved_amount_from_noon, denied_amount_from_noon, cancelled_amount_from_noon)
    values (new.company_id, new.started_at / 86400000, new.status, new.transaction_type, new.payment_status, new.payment_type, new.brand, new.acquirer, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000, 1, 0), iif(new.started_at % 86400000 >= 43200000, coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, day, status, transaction_type, payment_status, payment_type, brand, acquirer) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_noon = total_from_noon + excluded.total_from_noon, amount_total_from_noon = amount_total_from_noon + excluded.amount_total_from_noon, approved_amount_from_noon = approved_amount_from_noon + excluded.approved_amount_from_noon, denied_amount_from_noon = denied_amount_from_noon + excluded.denied_amount_from_noon, cancelled_amount_from_noon = cancelled_amount_from_noon + excluded.cancelled_amount_from_noon; insert into transaction_payment_hours (company_id, hour, status, transaction_type, payment_status, payment_type, brand, acquirer, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_15, amount_total_from_15, approved_amount_from_15, denied_amount_from_15, cancelled_amount_from_15, total_from_30, amount_total_from_30, approved_amount_from_30, denied_amount_from_30, cancelled_amount_from_30)
    values (new.company_id, new.started_at / 3600000, new.status, new.transaction_type, new.payment_status, new.payment_type, new.brand, new.acquirer, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000, 1, 0), iif(new.started_at % 3600000 >= 900000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000, 1, 0), iif(new.started_at % 3600000 >= 1800000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, hour, status, transaction_type, payment_status, payment_type, brand, acquirer) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_15 = total_from_15 + excluded.total_from_15, amount_total_from_15 = amount_total_from_15 + excluded.amount_total_from_15, approved_amount_from_15 = approved_amount_from_15 + excluded.approved_amount_from_15, denied_amount_from_15 = denied_amount_from_15 + excluded.denied_amount_from_15, cancelled_amount_from_15 = cancelled_amount_from_15 + excluded.cancelled_amount_from_15, total_from_30 = total_from_30 + excluded.total_from_30, amount_total_from_30 = amount_total_from_30 + excluded.amount_total_from_30, approved_amount_from_30 = approved_amount_from_30 + excluded.approved_amount_from_30, denied_amount_from_30 = denied_amount_from_30 + excluded.denied_amount_from_30, cancelled_amount_from_30 = cancelled_amount_from_30 + excluded.cancelled_amount_from_30; insert into transaction_installment_days (company_id, day, status, transaction_type, payment_status, installments, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_noon, amount_total_from_noon, approved_amount_from_noon, denied_amount_from_noon, cancelled_amount_from_noon)
    values (new.company_id, new.started_at / 86400000, new.status, new.transaction_type, new.payment_status, new.installments, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000, 1, 0), iif(new.started_at % 86400000 >= 43200000, coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, day, status, transaction_type, payment_status, installments) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_noon = total_from_noon + excluded.total_from_noon, amount_total_from_noon = amount_total_from_noon + excluded.amount_total_from_noon, approved_amount_from_noon = approved_amount_from_noon + excluded.approved_amount_from_noon, denied_amount_from_noon = denied_amount_from_noon + excluded.denied_amount_from_noon, cancelled_amount_from_noon = cancelled_amount_from_noon + excluded.cancelled_amount_from_noon; insert into transaction_installment_hours (company_id, hour, status, transaction_type, payment_status, installments, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_15, amount_total_from_15, approved_amount_from_15, denied_amount_from_15, cancelled_amount_from_15, total_from_30, amount_total_from_30, approved_amount_from_30, denied_amount_from_30, cancelled_amount_from_30)
    values (new.company_id, new.started_at / 3600000, new.status, new.transaction_type, new.payment_status, new.installments, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000, 1, 0), iif(new.started_at % 3600000 >= 900000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000, 1, 0), iif(new.started_at % 3600000 >= 1800000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, hour, status, transaction_type, payment_status, installments) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_15 = total_from_15 + excluded.total_from_15, amount_total_from_15 = amount_total_from_15 + excluded.amount_total_from_15, approved_amount_from_15 = approved_amount_from_15 + excluded.approved_amount_from_15, denied_amount_from_15 = denied_amount_from_15 + excluded.denied_amount_from_15, cancelled_amount_from_15 = cancelled_amount_from_15 + excluded.cancelled_amount_from_15, total_from_30 = total_from_30 + excluded.total_from_30, amount_total_from_30 = amount_total_from_30 + excluded.amount_total_from_30, approved_amount_from_30 = approved_amount_from_30 + excluded.approved_amount_from_30, denied_amount_from_30 = denied_amount_from_30 + excluded.denied_amount_from_30, cancelled_amount_from_30 = cancelled_amount_from_30 + excluded.cancelled_amount_from_30; insert into transaction_group_days (company_id, day, status, transaction_type, payment_status, group_id, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_noon, amount_total_from_noon, approved_amount_from_noon, denied_amount_from_noon, cancelled_amount_from_noon)
    values (new.company_id, new.started_at / 86400000, new.status, new.transaction_type, new.payment_status, new.group_id, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000, 1, 0), iif(new.started_at % 86400000 >= 43200000, coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, day, status, transaction_type, payment_status, group_id) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_noon = total_from_noon + excluded.total_from_noon, amount_total_from_noon = amount_total_from_noon + excluded.amount_total_from_noon, approved_amount_from_noon = approved_amount_from_noon + excluded.approved_amount_from_noon, denied_amount_from_noon = denied_amount_from_noon + excluded.denied_amount_from_noon, cancelled_amount_from_noon = cancelled_amount_from_noon + excluded.cancelled_amount_from_noon; insert into transaction_group_hours (company_id, hour, status, transaction_type, payment_status, group_id, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_15, amount_total_from_15, approved_amount_from_15, denied_amount_from_15, cancelled_amount_from_15, total_from_30, amount_total_from_30, approved_amount_from_30, denied_amount_from_30, cancelled_amount_from_30)
    values (new.company_id, new.started_at / 3600000, new.status, new.transaction_type, new.payment_status, new.group_id, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000, 1, 0), iif(new.started_at % 3600000 >= 900000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000, 1, 0), iif(new.started_at % 3600000 >= 1800000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, hour, status, transaction_type, payment_status, group_id) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_15 = total_from_15 + excluded.total_from_15, amount_total_from_15 = amount_total_from_15 + excluded.amount_total_from_15, approved_amount_from_15 = approved_amount_from_15 + excluded.approved_amount_from_15, denied_amount_from_15 = denied_amount_from_15 + excluded.denied_amount_from_15, cancelled_amount_from_15 = cancelled_amount_from_15 + excluded.cancelled_amount_from_15, total_from_30 = total_from_30 + excluded.total_from_30, amount_total_from_30 = amount_total_from_30 + excluded.amount_total_from_30, approved_amount_from_30 = approved_amount_from_30 + excluded.approved_amount_from_30, denied_amount_from_30 = denied_amount_from_30 + excluded.denied_amount_from_30, cancelled_amount_from_30 = cancelled_amount_from_30 + excluded.cancelled_amount_from_30; end;

CREATE TRIGGER transactions_summed_out after delete on transactions begin update transaction_days set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_noon = total_from_noon - iif(old.started_at % 86400000 >= 43200000, 1, 0), amount_total_from_noon = amount_total_from_noon - iif(old.started_at % 86400000 >= 43200000, coalesce(old.amount, 0), 0), approved_amount_from_noon = approved_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_noon = denied_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_noon = cancelled_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and day = old.started_at / 86400000 and status = old.status and transaction_type = old.transaction_type and app_name = old.app_name; update transaction_hours set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_15 = total_from_15 - iif(old.started_at % 3600000 >= 900000, 1, 0), amount_total_from_15 = amount_total_from_15 - iif(old.started_at % 3600000 >= 900000, coalesce(old.amount, 0), 0), approved_amount_from_15 = approved_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_15 = denied_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_15 = cancelled_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_30 = total_from_30 - iif(old.started_at % 3600000 >= 1800000, 1, 0), amount_total_from_30 = amount_total_from_30 - iif(old.started_at % 3600000 >= 1800000, coalesce(old.amount, 0), 0), approved_amount_from_30 = approved_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_30 = denied_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_30 = cancelled_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and hour = old.started_at / 3600000 and status = old.status and transaction_type = old.transaction_type and app_name = old.app_name; update transaction_day_totals set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_noon = total_from_noon - iif(old.started_at % 86400000 >= 43200000, 1, 0), amount_total_from_noon = amount_total_from_noon - iif(old.started_at % 86400000 >= 43200000, coalesce(old.amount, 0), 0), approved_amount_from_noon = approved_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_noon = denied_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_noon = cancelled_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and day = old.started_at / 86400000 and status = old.status and transaction_type = old.transaction_type; update transaction_hour_totals set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_15 = total_from_15 - iif(old.started_at % 3600000 >= 900000, 1, 0), amount_total_from_15 = amount_total_from_15 - iif(old.started_at % 3600000 >= 900000, coalesce(old.amount, 0), 0), approved_amount_from_15 = approved_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_15 = denied_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_15 = cancelled_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_30 = total_from_30 - iif(old.started_at % 3600000 >= 1800000, 1, 0), amount_total_from_30 = amount_total_from_30 - iif(old.started_at % 3600000 >= 1800000, coalesce(old.amount, 0), 0), approved_amount_from_30 = approved_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_30 = denied_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_30 = cancelled_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and hour = old.started_at / 3600000 and status = old.status and transaction_type = old.transaction_type; update transaction_app_days set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_noon = total_from_noon - iif(old.started_at % 86400000 >= 43200000, 1, 0), amount_total_from_noon = amount_total_from_noon - iif(old.started_at % 86400000 >= 43200000, coalesce(old.amount, 0), 0), approved_amount_from_noon = approved_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_noon = denied_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_noon = cancelled_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and app_name = old.app_name and day = old.started_at / 86400000 and status = old.status and transaction_type = old.transaction_type; update transaction_payment_days set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_noon = total_from_noon - iif(old.started_at % 86400000 >= 43200000, 1, 0), amount_total_from_noon = amount_total_from_noon - iif(old.started_at % 86400000 >= 43200000, coalesce(old.amount, 0), 0), approved_amount_from_noon = approved_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_noon = denied_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_noon = cancelled_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and day = old.started_at / 86400000 and status = old.status and transaction_type = old.transaction_type and payment_status = old.payment_status and payment_type = old.payment_type and brand = old.brand and acquirer = old.acquirer; update transaction_payment_hours set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_15 = total_from_15 - iif(old.started_at % 3600000 >= 900000, 1, 0), amount_total_from_15 = amount_total_from_15 - iif(old.started_at % 3600000 >= 900000, coalesce(old.amount, 0), 0), approved_amount_from_15 = approved_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_15 = denied_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_15 = cancelled_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_30 = total_from_30 - iif(old.started_at % 3600000 >= 1800000, 1, 0), amount_total_from_30 = amount_total_from_30 - iif(old.started_at % 3600000 >= 1800000, coalesce(old.amount, 0), 0), approved_amount_from_30 = approved_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_30 = denied_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_30 = cancelled_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and hour = old.started_at / 3600000 and status = old.status and transaction_type = old.transaction_type and payment_status = old.payment_status and payment_type = old.payment_type and brand = old.brand and acquirer = old.acquirer; update transaction_installment_days set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_noon = total_from_noon - iif(old.started_at % 86400000 >= 43200000, 1, 0), amount_total_from_noon = amount_total_from_noon - iif(old.started_at % 86400000 >= 43200000, coalesce(old.amount, 0), 0), approved_amount_from_noon = approved_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_noon = denied_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_noon = cancelled_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and day = old.started_at / 86400000 and status = old.status and transaction_type = old.transaction_type and payment_status = old.payment_status and installments = old.installments; update transaction_installment_hours set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_15 = total_from_15 - iif(old.started_at % 3600000 >= 900000, 1, 0), amount_total_from_15 = amount_total_from_15 - iif(old.started_at % 3600000 >= 900000, coalesce(old.amount, 0), 0), approved_amount_from_15 = approved_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_15 = denied_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_15 = cancelled_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_30 = total_from_30 - iif(old.started_at % 3600000 >= 1800000, 1, 0), amount_total_from_30 = amount_total_from_30 - iif(old.started_at % 3600000 >= 1800000, coalesce(old.amount, 0), 0), approved_amount_from_30 = approved_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_30 = denied_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_30 = cancelled_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and hour = old.started_at / 3600000 and status = old.status and transaction_type = old.transaction_type and payment_status = old.payment_status and installments = old.installments; update transaction_group_days set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_noon = total_from_noon - iif(old.started_at % 86400000 >= 43200000, 1, 0), amount_total_from_noon = amount_total_from_noon - iif(old.started_at % 86400000 >= 43200000, coalesce(old.amount, 0), 0), approved_amount_from_noon = approved_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_noon = denied_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_noon = cancelled_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and day = old.started_at / 86400000 and status = old.status and transaction_type = old.transaction_type and payment_status = old.payment_status and group_id = old.group_id; update transaction_group_hours set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_15 = total_from_15 - iif(old.started_at % 3600000 >= 900000, 1, 0), amount_total_from_15 = amount_total_from_15 - iif(old.started_at % 3600000 >= 900000, coalesce(old.amount, 0), 0), approved_amount_from_15 = approved_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_15 = denied_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_15 = cancelled_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_30 = total_from_30 - iif(old.started_at % 3600000 >= 1800000, 1, 0), amount_total_from_30 = amount_total_from_30 - iif(old.started_at % 3600000 >= 1800000, coalesce(old.amount, 0), 0), approved_amount_from_30 = approved_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_30 = denied_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_30 = cancelled_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and hour = old.started_at / 3600000 and status = old.status and transaction_type = old.transaction_type and payment_status = old.payment_status and group_id = old.group_id; end;

CREATE TRIGGER transactions_summed_moved
      after update of company_id, started_at, status, transaction_type, app_name, amount, payment_outcome, payment_status, payment_type, brand, acquirer, installments, group_id
      on transactions begin update transaction_days set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_noon = total_from_noon - iif(old.started_at % 86400000 >= 43200000, 1, 0), amount_total_from_noon = amount_total_from_noon - iif(old.started_at % 86400000 >= 43200000, coalesce(old.amount, 0), 0), approved_amount_from_noon = approved_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_noon = denied_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_noon = cancelled_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and day = old.started_at / 86400000 and status = old.status and transaction_type = old.transaction_type and app_name = old.app_name; update transaction_hours set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_15 = total_from_15 - iif(old.started_at % 3600000 >= 900000, 1, 0), amount_total_from_15 = amount_total_from_15 - iif(old.started_at % 3600000 >= 900000, coalesce(old.amount, 0), 0), approved_amount_from_15 = approved_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_15 = denied_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_15 = cancelled_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_30 = total_from_30 - iif(old.started_at % 3600000 >= 1800000, 1, 0), amount_total_from_30 = amount_total_from_30 - iif(old.started_at % 3600000 >= 1800000, coalesce(old.amount, 0), 0), approved_amount_from_30 = approved_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_30 = denied_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_30 = cancelled_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and hour = old.started_at / 3600000 and status = old.status and transaction_type = old.transaction_type and app_name = old.app_name; update transaction_day_totals set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_noon = total_from_noon - iif(old.started_at % 86400000 >= 43200000, 1, 0), amount_total_from_noon = amount_total_from_noon - iif(old.started_at % 86400000 >= 43200000, coalesce(old.amount, 0), 0), approved_amount_from_noon = approved_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_noon = denied_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_noon = cancelled_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and day = old.started_at / 86400000 and status = old.status and transaction_type = old.transaction_type; update transaction_hour_totals set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_15 = total_from_15 - iif(old.started_at % 3600000 >= 900000, 1, 0), amount_total_from_15 = amount_total_from_15 - iif(old.started_at % 3600000 >= 900000, coalesce(old.amount, 0), 0), approved_amount_from_15 = approved_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_15 = denied_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_15 = cancelled_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_30 = total_from_30 - iif(old.started_at % 3600000 >= 1800000, 1, 0), amount_total_from_30 = amount_total_from_30 - iif(old.started_at % 3600000 >= 1800000, coalesce(old.amount, 0), 0), approved_amount_from_30 = approved_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_30 = denied_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_30 = cancelled_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and hour = old.started_at / 3600000 and status = old.status and transaction_type = old.transaction_type; update transaction_app_days set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_noon = total_from_noon - iif(old.started_at % 86400000 >= 43200000, 1, 0), amount_total_from_noon = amount_total_from_noon - iif(old.started_at % 86400000 >= 43200000, coalesce(old.amount, 0), 0), approved_amount_from_noon = approved_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_noon = denied_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_noon = cancelled_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and app_name = old.app_name and day = old.started_at / 86400000 and status = old.status and transaction_type = old.transaction_type; update transaction_payment_days set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_noon = total_from_noon - iif(old.started_at % 86400000 >= 43200000, 1, 0), amount_total_from_noon = amount_total_from_noon - iif(old.started_at % 86400000 >= 43200000, coalesce(old.amount, 0), 0), approved_amount_from_noon = approved_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_noon = denied_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_noon = cancelled_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and day = old.started_at / 86400000 and status = old.status and transaction_type = old.transaction_type and payment_status = old.payment_status and payment_type = old.payment_type and brand = old.brand and acquirer = old.acquirer; update transaction_payment_hours set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_15 = total_from_15 - iif(old.started_at % 3600000 >= 900000, 1, 0), amount_total_from_15 = amount_total_from_15 - iif(old.started_at % 3600000 >= 900000, coalesce(old.amount, 0), 0), approved_amount_from_15 = approved_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_15 = denied_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_15 = cancelled_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_30 = total_from_30 - iif(old.started_at % 3600000 >= 1800000, 1, 0), amount_total_from_30 = amount_total_from_30 - iif(old.started_at % 3600000 >= 1800000, coalesce(old.amount, 0), 0), approved_amount_from_30 = approved_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_30 = denied_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_30 = cancelled_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and hour = old.started_at / 3600000 and status = old.status and transaction_type = old.transaction_type and payment_status = old.payment_status and payment_type = old.payment_type and brand = old.brand and acquirer = old.acquirer; update transaction_installment_days set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_noon = total_from_noon - iif(old.started_at % 86400000 >= 43200000, 1, 0), amount_total_from_noon = amount_total_from_noon - iif(old.started_at % 86400000 >= 43200000, coalesce(old.amount, 0), 0), approved_amount_from_noon = approved_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_noon = denied_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_noon = cancelled_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and day = old.started_at / 86400000 and status = old.status and transaction_type = old.transaction_type and payment_status = old.payment_status and installments = old.installments; update transaction_installment_hours set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_15 = total_from_15 - iif(old.started_at % 3600000 >= 900000, 1, 0), amount_total_from_15 = amount_total_from_15 - iif(old.started_at % 3600000 >= 900000, coalesce(old.amount, 0), 0), approved_amount_from_15 = approved_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_15 = denied_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_15 = cancelled_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_30 = total_from_30 - iif(old.started_at % 3600000 >= 1800000, 1, 0), amount_total_from_30 = amount_total_from_30 - iif(old.started_at % 3600000 >= 1800000, coalesce(old.amount, 0), 0), approved_amount_from_30 = approved_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_30 = denied_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_30 = cancelled_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and hour = old.started_at / 3600000 and status = old.status and transaction_type = old.transaction_type and payment_status = old.payment_status and installments = old.installments; update transaction_group_days set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_noon = total_from_noon - iif(old.started_at % 86400000 >= 43200000, 1, 0), amount_total_from_noon = amount_total_from_noon - iif(old.started_at % 86400000 >= 43200000, coalesce(old.amount, 0), 0), approved_amount_from_noon = approved_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_noon = denied_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_noon = cancelled_amount_from_noon - iif(old.started_at % 86400000 >= 43200000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and day = old.started_at / 86400000 and status = old.status and transaction_type = old.transaction_type and payment_status = old.payment_status and group_id = old.group_id; update transaction_group_hours set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0), approved_amount = approved_amount - iif(old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount = denied_amount - iif(old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount = cancelled_amount - iif(old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_15 = total_from_15 - iif(old.started_at % 3600000 >= 900000, 1, 0), amount_total_from_15 = amount_total_from_15 - iif(old.started_at % 3600000 >= 900000, coalesce(old.amount, 0), 0), approved_amount_from_15 = approved_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_15 = denied_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_15 = cancelled_amount_from_15 - iif(old.started_at % 3600000 >= 900000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0), total_from_30 = total_from_30 - iif(old.started_at % 3600000 >= 1800000, 1, 0), amount_total_from_30 = amount_total_from_30 - iif(old.started_at % 3600000 >= 1800000, coalesce(old.amount, 0), 0), approved_amount_from_30 = approved_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'approved', coalesce(old.amount, 0), 0), denied_amount_from_30 = denied_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'denied', coalesce(old.amount, 0), 0), cancelled_amount_from_30 = cancelled_amount_from_30 - iif(old.started_at % 3600000 >= 1800000 and old.payment_outcome = 'cancelled', coalesce(old.amount, 0), 0) where company_id = old.company_id and hour = old.started_at / 3600000 and status = old.status and transaction_type = old.transaction_type and payment_status = old.payment_status and group_id = old.group_id; insert into transaction_days (company_id, day, status, transaction_type, app_name, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_noon, amount_total_from_noon, approved_amount_from_noon, denied_amount_from_noon, cancelled_amount_from_noon)
    values (new.company_id, new.started_at / 86400000, new.status, new.transaction_type, new.app_name, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000, 1, 0), iif(new.started_at % 86400000 >= 43200000, coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, day, status, transaction_type, app_name) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_noon = total_from_noon + excluded.total_from_noon, amount_total_from_noon = amount_total_from_noon + excluded.amount_total_from_noon, approved_amount_from_noon = approved_amount_from_noon + excluded.approved_amount_from_noon, denied_amount_from_noon = denied_amount_from_noon + excluded.denied_amount_from_noon, cancelled_amount_from_noon = cancelled_amount_from_noon + excluded.cancelled_amount_from_noon; insert into transaction_hours (company_id, hour, status, transaction_type, app_name, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_15, amount_total_from_15, approved_amount_from_15, denied_amount_from_15, cancelled_amount_from_15, total_from_30, amount_total_from_30, approved_amount_from_30, denied_amount_from_30, cancelled_amount_from_30)
    values (new.company_id, new.started_at / 3600000, new.status, new.transaction_type, new.app_name, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000, 1, 0), iif(new.started_at % 3600000 >= 900000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000, 1, 0), iif(new.started_at % 3600000 >= 1800000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, hour, status, transaction_type, app_name) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_15 = total_from_15 + excluded.total_from_15, amount_total_from_15 = amount_total_from_15 + excluded.amount_total_from_15, approved_amount_from_15 = approved_amount_from_15 + excluded.approved_amount_from_15, denied_amount_from_15 = denied_amount_from_15 + excluded.denied_amount_from_15, cancelled_amount_from_15 = cancelled_amount_from_15 + excluded.cancelled_amount_from_15, total_from_30 = total_from_30 + excluded.total_from_30, amount_total_from_30 = amount_total_from_30 + excluded.amount_total_from_30, approved_amount_from_30 = approved_amount_from_30 + excluded.approved_amount_from_30, denied_amount_from_30 = denied_amount_from_30 + excluded.denied_amount_from_30, cancelled_amount_from_30 = cancelled_amount_from_30 + excluded.cancelled_amount_from_30; insert into transaction_day_totals (company_id, day, status, transaction_type, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_noon, amount_total_from_noon, approved_amount_from_noon, denied_amount_from_noon, cancelled_amount_from_noon)
    values (new.company_id, new.started_at / 86400000, new.status, new.transaction_type, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000, 1, 0), iif(new.started_at % 86400000 >= 43200000, coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, day, status, transaction_type) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_noon = total_from_noon + excluded.total_from_noon, amount_total_from_noon = amount_total_from_noon + excluded.amount_total_from_noon, approved_amount_from_noon = approved_amount_from_noon + excluded.approved_amount_from_noon, denied_amount_from_noon = denied_amount_from_noon + excluded.denied_amount_from_noon, cancelled_amount_from_noon = cancelled_amount_from_noon + excluded.cancelled_amount_from_noon; insert into transaction_hour_totals (company_id, hour, status, transaction_type, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_15, amount_total_from_15, approved_amount_from_15, denied_amount_from_15, cancelled_amount_from_15, total_from_30, amount_total_from_30, approved_amount_from_30, denied_amount_from_30, cancelled_amount_from_30)
    values (new.company_id, new.started_at / 3600000, new.status, new.transaction_type, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000, 1, 0), iif(new.started_at % 3600000 >= 900000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000, 1, 0), iif(new.started_at % 3600000 >= 1800000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, hour, status, transaction_type) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_15 = total_from_15 + excluded.total_from_15, amount_total_from_15 = amount_total_from_15 + excluded.amount_total_from_15, approved_amount_from_15 = approved_amount_from_15 + excluded.approved_amount_from_15, denied_amount_from_15 = denied_amount_from_15 + excluded.denied_amount_from_15, cancelled_amount_from_15 = cancelled_amount_from_15 + excluded.cancelled_amount_from_15, total_from_30 = total_from_30 + excluded.total_from_30, amount_total_from_30 = amount_total_from_30 + excluded.amount_total_from_30, approved_amount_from_30 = approved_amount_from_30 + excluded.approved_amount_from_30, denied_amount_from_30 = denied_amount_from_30 + excluded.denied_amount_from_30, cancelled_amount_from_30 = cancelled_amount_from_30 + excluded.cancelled_amount_from_30; insert into transaction_app_days (company_id, app_name, day, status, transaction_type, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_noon, amount_total_from_noon, approved_amount_from_noon, denied_amount_from_noon, cancelled_amount_from_noon)
    values (new.company_id, new.app_name, new.started_at / 86400000, new.status, new.transaction_type, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000, 1, 0), iif(new.started_at % 86400000 >= 43200000, coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, app_name, day, status, transaction_type) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_noon = total_from_noon + excluded.total_from_noon, amount_total_from_noon = amount_total_from_noon + excluded.amount_total_from_noon, approved_amount_from_noon = approved_amount_from_noon + excluded.approved_amount_from_noon, denied_amount_from_noon = denied_amount_from_noon + excluded.denied_amount_from_noon, cancelled_amount_from_noon = cancelled_amount_from_noon + excluded.cancelled_amount_from_noon; insert into transaction_payment_days (company_id, day, status, transaction_type, payment_status, payment_type, brand, acquirer, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_noon, amount_total_from_noon, approved_amount_from_noon, denied_amount_from_noon, cancelled_amount_from_noon)
    values (new.company_id, new.started_at / 86400000, new.status, new.transaction_type, new.payment_status, new.payment_type, new.brand, new.acquirer, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000, 1, 0), iif(new.started_at % 86400000 >= 43200000, coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, day, status, transaction_type, payment_status, payment_type, brand, acquirer) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_noon = total_from_noon + excluded.total_from_noon, amount_total_from_noon = amount_total_from_noon + excluded.amount_total_from_noon, approved_amount_from_noon = approved_amount_from_noon + excluded.approved_amount_from_noon, denied_amount_from_noon = denied_amount_from_noon + excluded.denied_amount_from_noon, cancelled_amount_from_noon = cancelled_amount_from_noon + excluded.cancelled_amount_from_noon; insert into transaction_payment_hours (company_id, hour, status, transaction_type, payment_status, payment_type, brand, acquirer, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_15, amount_total_from_15, approved_amount_from_15, denied_amount_from_15, cancelled_amount_from_15, total_from_30, amount_total_from_30, approved_amount_from_30, denied_amount_from_30, cancelled_amount_from_30)
    values (new.company_id, new.started_at / 3600000, new.status, new.transaction_type, new.payment_status, new.payment_type, new.brand, new.acquirer, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000, 1, 0), iif(new.started_at % 3600000 >= 900000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000, 1, 0), iif(new.started_at % 3600000 >= 1800000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, hour, status, transaction_type, payment_status, payment_type, brand, acquirer) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_15 = total_from_15 + excluded.total_from_15, amount_total_from_15 = amount_total_from_15 + excluded.amount_total_from_15, approved_amount_from_15 = approved_amount_from_15 + excluded.approved_amount_from_15, denied_amount_from_15 = denied_amount_from_15 + excluded.denied_amount_from_15, cancelled_amount_from_15 = cancelled_amount_from_15 + excluded.cancelled_amount_from_15, total_from_30 = total_from_30 + excluded.total_from_30, amount_total_from_30 = amount_total_from_30 + excluded.amount_total_from_30, approved_amount_from_30 = approved_amount_from_30 + excluded.approved_amount_from_30, denied_amount_from_30 = denied_amount_from_30 + excluded.denied_amount_from_30, cancelled_amount_from_30 = cancelled_amount_from_30 + excluded.cancelled_amount_from_30; insert into transaction_installment_days (company_id, day, status, transaction_type, payment_status, installments, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_noon, amount_total_from_noon, approved_amount_from_noon, denied_amount_from_noon, cancelled_amount_from_noon)
    values (new.company_id, new.started_at / 86400000, new.status, new.transaction_type, new.payment_status, new.installments, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000, 1, 0), iif(new.started_at % 86400000 >= 43200000, coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, day, status, transaction_type, payment_status, installments) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_noon = total_from_noon + excluded.total_from_noon, amount_total_from_noon = amount_total_from_noon + excluded.amount_total_from_noon, approved_amount_from_noon = approved_amount_from_noon + excluded.approved_amount_from_noon, denied_amount_from_noon = denied_amount_from_noon + excluded.denied_amount_from_noon, cancelled_amount_from_noon = cancelled_amount_from_noon + excluded.cancelled_amount_from_noon; insert into transaction_installment_hours (company_id, hour, status, transaction_type, payment_status, installments, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_15, amount_total_from_15, approved_amount_from_15, denied_amount_from_15, cancelled_amount_from_15, total_from_30, amount_total_from_30, approved_amount_from_30, denied_amount_from_30, cancelled_amount_from_30)
    values (new.company_id, new.started_at / 3600000, new.status, new.transaction_type, new.payment_status, new.installments, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000, 1, 0), iif(new.started_at % 3600000 >= 900000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000, 1, 0), iif(new.started_at % 3600000 >= 1800000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, hour, status, transaction_type, payment_status, installments) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_15 = total_from_15 + excluded.total_from_15, amount_total_from_15 = amount_total_from_15 + excluded.amount_total_from_15, approved_amount_from_15 = approved_amount_from_15 + excluded.approved_amount_from_15, denied_amount_from_15 = denied_amount_from_15 + excluded.denied_amount_from_15, cancelled_amount_from_15 = cancelled_amount_from_15 + excluded.cancelled_amount_from_15, total_from_30 = total_from_30 + excluded.total_from_30, amount_total_from_30 = amount_total_from_30 + excluded.amount_total_from_30, approved_amount_from_30 = approved_amount_from_30 + excluded.approved_amount_from_30, denied_amount_from_30 = denied_amount_from_30 + excluded.denied_amount_from_30, cancelled_amount_from_30 = cancelled_amount_from_30 + excluded.cancelled_amount_from_30; insert into transaction_group_days (company_id, day, status, transaction_type, payment_status, group_id, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_noon, amount_total_from_noon, approved_amount_from_noon, denied_amount_from_noon, cancelled_amount_from_noon)
    values (new.company_id, new.started_at / 86400000, new.status, new.transaction_type, new.payment_status, new.group_id, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000, 1, 0), iif(new.started_at % 86400000 >= 43200000, coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 86400000 >= 43200000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, day, status, transaction_type, payment_status, group_id) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_noon = total_from_noon + excluded.total_from_noon, amount_total_from_noon = amount_total_from_noon + excluded.amount_total_from_noon, approved_amount_from_noon = approved_amount_from_noon + excluded.approved_amount_from_noon, denied_amount_from_noon = denied_amount_from_noon + excluded.denied_amount_from_noon, cancelled_amount_from_noon = cancelled_amount_from_noon + excluded.cancelled_amount_from_noon; insert into transaction_group_hours (company_id, hour, status, transaction_type, payment_status, group_id, total, amount_total, approved_amount, denied_amount, cancelled_amount, total_from_15, amount_total_from_15, approved_amount_from_15, denied_amount_from_15, cancelled_amount_from_15, total_from_30, amount_total_from_30, approved_amount_from_30, denied_amount_from_30, cancelled_amount_from_30)
    values (new.company_id, new.started_at / 3600000, new.status, new.transaction_type, new.payment_status, new.group_id, 1, coalesce(new.amount, 0), iif(new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000, 1, 0), iif(new.started_at % 3600000 >= 900000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 900000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000, 1, 0), iif(new.started_at % 3600000 >= 1800000, coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'approved', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'denied', coalesce(new.amount, 0), 0), iif(new.started_at % 3600000 >= 1800000 and new.payment_outcome = 'cancelled', coalesce(new.amount, 0), 0))
    on conflict (company_id, hour, status, transaction_type, payment_status, group_id) do update set
      total = total + excluded.total, amount_total = amount_total + excluded.amount_total, approved_amount = approved_amount + excluded.approved_amount, denied_amount = denied_amount + excluded.denied_amount, cancelled_amount = cancelled_amount + excluded.cancelled_amount, total_from_15 = total_from_15 + excluded.total_from_15, amount_total_from_15 = amount_total_from_15 + excluded.amount_total_from_15, approved_amount_from_15 = approved_amount_from_15 + excluded.approved_amount_from_15, denied_amount_from_15 = denied_amount_from_15 + excluded.denied_amount_from_15, cancelled_amount_from_15 = cancelled_amount_from_15 + excluded.cancelled_amount_from_15, total_from_30 = total_from_30 + excluded.total_from_30, amount_total_from_30 = amount_total_from_30 + excluded.amount_total_from_30, approved_amount_from_30 = approved_amount_from_30 + excluded.approved_amount_from_30, denied_amount_from_30 = denied_amount_from_30 + excluded.denied_amount_from_30, cancelled_amount_from_30 = cancelled_amount_from_30 + excluded.cancelled_amount_from_30; end;

CREATE TABLE "prunings" ("company_id" integer not null, "name" text not null, "up_to" integer not null, "total" integer not null, "newest_at" integer not null, "pruned_at" integer not null, constraint "prunings_pk" primary key ("company_id", "name")) without rowid;

CREATE TRIGGER ledger_no_delete before delete on ledger
    when not exists (select 1 from prunings where company_id = coalesce(old.company_id, 0) and name = 'ledger'
      and up_to >= old.sequence) begin
    select raise(abort, 'ledger can only be added to');
  end;

CREATE TRIGGER ledger_counted_out after delete on ledger when old.company_id is not null begin
    update counters set total = total - 1 where company_id = old.company_id and name = 'ledger';
  end;

CREATE INDEX notification_deliveries_ended on notification_deliveries (company_id, finished_at)
    where state in ('delivered', 'failed', 'expired', 'cancelled');

CREATE INDEX access_tokens_revoked on access_tokens (company_id, revoked_at) where revoked_at is not null;

CREATE INDEX access_tokens_expired on access_tokens (company_id, expires_at) where expires_at is not null;

CREATE TRIGGER groups_counted_in after insert on groups when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, 'groups', 1, new.id)
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
      end;

CREATE TRIGGER logical_numbers_counted_in after insert on logical_numbers when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, 'logical_numbers', 1, new.id)
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
      end;

CREATE TRIGGER devices_counted_in after insert on devices when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, 'devices', 1, new.id)
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
      end;

CREATE TRIGGER apps_counted_in after insert on apps when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, 'apps', 1, new.id)
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
      end;

CREATE TRIGGER app_versions_counted_in after insert on app_versions when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, 'app_versions', 1, new.id)
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
      end;

CREATE TRIGGER files_counted_in after insert on files when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, 'files', 1, new.id)
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
      end;

CREATE TRIGGER parameters_counted_in after insert on parameters when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, 'parameters', 1, new.id)
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
      end;

CREATE TRIGGER metacontents_counted_in after insert on metacontents when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, 'metacontents', 1, new.id)
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
      end;

CREATE TRIGGER notifications_counted_in after insert on notifications when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, 'notifications', 1, new.id)
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
      end;

CREATE TRIGGER transactions_counted_in after insert on transactions when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, 'transactions', 1, new.id)
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
      end;

CREATE TRIGGER access_tokens_counted_in after insert on access_tokens when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, 'access_tokens', 1, new.id)
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
      end;

CREATE TRIGGER unknown_terminals_counted_in after insert on unknown_terminals when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, 'unknown_terminals', 1, new.id)
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
      end;

CREATE TRIGGER ledger_counted_in after insert on ledger when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, 'ledger', 1, new.sequence)
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
      end;

CREATE INDEX transactions_failed on transactions (company_id, started_at desc, id desc, transaction_type,
      serial_number, logical_number, app_name, detail, framework_version, sent, received, parsed, finished_at, reference)
    where status = 'fail';

CREATE TABLE "device_numbers" ("company_id" integer not null, "device_id" integer not null, "ended_at" integer not null, "number" text, constraint "device_numbers_pk" primary key ("company_id", "device_id", "ended_at"), constraint "device_id_in_company" foreign key ("company_id", "device_id") references "devices" ("company_id", "id") on delete cascade) without rowid;

CREATE TRIGGER devices_numbered after update of logical_number_id on devices
    when old.logical_number_id is not new.logical_number_id begin
    insert into device_numbers (company_id, device_id, ended_at, number) values (new.company_id, new.id, new.updated_at,
      (select number from logical_numbers where company_id = old.company_id and id = old.logical_number_id))
      on conflict do nothing;
  end;

CREATE TRIGGER logical_numbers_renamed after update of number on logical_numbers when old.number <> new.number begin
    insert into device_numbers (company_id, device_id, ended_at, number)
      select company_id, id, new.updated_at, old.number from devices
      where company_id = new.company_id and logical_number_id = new.id
      on conflict do nothing;
  end;

CREATE INDEX "notification_deliveries_by_serial_number_id" on "notification_deliveries" ("company_id", "serial_number", "id");

CREATE TABLE "device_presence" ("company_id" integer not null, "device_id" integer not null, "last_seen_at" integer default 0 not null, constraint "device_presence_pk" primary key ("company_id", "device_id"), constraint "device_id_in_company" foreign key ("company_id", "device_id") references "devices" ("company_id", "id") on delete cascade) without rowid;

CREATE INDEX "device_presence_by_last_seen_at_device_id" on "device_presence" ("company_id", "last_seen_at", "device_id");

CREATE TRIGGER devices_have_presence after insert on devices begin
    insert into device_presence (company_id, device_id) values (new.company_id, new.id);
  end;

analyze sqlite_schema;

insert into sqlite_stat1 (tbl, idx, stat) values ('ledger', 'ledger_by_action_sequence', '1000000 100000 30000 1');

insert into sqlite_stat1 (tbl, idx, stat) values ('ledger', 'ledger_by_at_sequence', '1000000 100000 2 1');

insert into sqlite_stat1 (tbl, idx, stat) values ('ledger', 'ledger_by_entity_id_entity_type_sequence', '1000000 100000 50 10 1');

insert into sqlite_stat1 (tbl, idx, stat) values ('ledger', 'ledger_by_entity_type_sequence', '1000000 100000 10000 1');

insert into sqlite_stat1 (tbl, idx, stat) values ('ledger', 'ledger_by_user_id_sequence', '1000000 100000 5000 1');

insert into sqlite_stat1 (tbl, idx, stat) values ('ledger', 'ledger_of_company', '1000000 100000 1');

insert into sqlite_stat1 (tbl, idx, stat) values ('transactions', 'sqlite_autoindex_transactions_1', '1000000 1000000 1');

insert into sqlite_stat1 (tbl, idx, stat) values ('transactions', 'transactions_app', '1000000 1000000 100000 2 1 1 1');

insert into sqlite_stat1 (tbl, idx, stat) values ('transactions', 'transactions_logical_number', '1000000 1000000 100 2 1 1 1 1 1 1 1');

insert into sqlite_stat1 (tbl, idx, stat) values ('transactions', 'transactions_newest', '1000000 1000000 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1');

insert into sqlite_stat1 (tbl, idx, stat) values ('transactions', 'transactions_reference', '1000000 1000000 2 1');

insert into sqlite_stat1 (tbl, idx, stat) values ('transactions', 'transactions_serial', '1000000 1000000 100 2 1 1 1 1 1 1 1');

insert into sqlite_stat1 (tbl, idx, stat) values ('transactions', 'transactions_status', '1000000 1000000 300000 2 1 1 1');

