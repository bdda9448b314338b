import { addCompanies, AUDIT, AUDITED, type Run } from './schema.js';

/** One row, at least, in every table for each of the companies 1 and 2. Its ids are those of `addCompanies`, and 1. */
export async function addRecords(run: Run): Promise<void> {
  await addCompanies(run);
  await run(`insert into sign_in_networks (user_id, network, failed_sign_ins, updated_at)
    select id, '192.0.2.0', 0, now() from users`);
  await run("insert into rate_limits values ('key', 1, 5)");
  for (const company of [1, 2]) for (const statement of recordsOf(company)) await run(statement);
  await run(`insert into ledger (at, channel, action, entity_type, sequence)
    values (now(), 'api', 'sign_in_failed', 'sign_in', 1)`);
}

function recordsOf(company: number): readonly string[] {
  const audited = (table: string, columns: string, values: string, id = 1): string =>
    `insert into ${table} (id, company_id, ${columns}, ${AUDITED}) values (${id}, ${company}, ${values}, ${AUDIT})`;
  const linked = (table: string, columns: string, values = '1, 1'): string =>
    `insert into ${table} (company_id, ${columns}) values (${company}, ${values})`;
  return [
    `insert into access_tokens (id, company_id, user_id, kind, scopes, token_hash, last_four, created_at)
      values (1, ${company}, ${10 + company}, 'named', '[]', 'hash ${company}', '1234', now())`,
    audited('groups', 'name', "'group'"),
    audited('logical_numbers', 'number, group_id', "'number', 1"),
    audited('devices', 'serial_number, enabled, logical_number_id, meta', "'serial', true, 1, '{}'"),
    linked(
      'device_tokens',
      'device_id, token_hash, last_four, issued_by, issued_at',
      `1, 'hash ${company}', '1234', 11, now()`,
    ),
    linked(
      'terminal_versions',
      'device_id, app_version_id, content_id, is_downloaded, is_current',
      '1, 1, 1, true, true',
    ),
    linked('device_numbers', 'device_id, ended_at, number', "1, now(), 'number'"),
    linked('terminal_refusals', 'device_id, code, refused_at', "1, 'terminal_disabled', now()"),
    `insert into unknown_terminals (id, company_id, serial_number, first_seen_at, last_seen_at, count)
      values (1, ${company}, 'unknown', now(), now(), 1)`,
    audited('parameters', 'group_id, key, value', "1, 'key', 'value'"),
    audited('metacontents', 'logical_number_id, key, value', "1, 'key', '{}'"),
    audited('apps', 'name, communication_format, kind, language', "'app', 'a', 'b', 'c'"),
    `insert into contents (id, company_id, size, crc, sha256, created_at) values (1, ${company}, 1, '', '', now())`,
    linked('content_chunks', 'content_id, sequence, bytes', "1, 1, '\\x00'"),
    audited('files', 'name, file_type, crc, content_id, size', "'file', 'a', '', 1, 1"),
    ...[1, 2].map((id) =>
      audited(
        'app_versions',
        'app_id, number, uuid, crc, displayable, size',
        `1, '${id}', '', '', true, 1`,
        id,
      ),
    ),
    linked('app_version_groups', 'app_version_id, group_id'),
    linked('group_default_versions', 'group_id, app_version_id'),
    linked('app_version_modules', 'app_version_id, module_id', '1, 2'),
    linked('app_version_files', 'app_version_id, file_id'),
    linked('logical_number_app_versions', 'logical_number_id, app_version_id'),
    audited('notifications', 'content, range, kind, expires_at', "'text', 'all', 'a', now()"),
    `insert into notification_deliveries (id, company_id, notification_id, logical_number_id, state, queued_at, sequence)
      values (1, ${company}, 1, 1, 'queued', now(), 1)`,
    linked('notification_targets', 'notification_id, part, logical_numbers', "1, 1, '[]'"),
    `insert into transactions (id, company_id, transaction_type, serial_number, logical_number, app_name, detail, status,
        amount, payment_outcome, started_at, recorded_at)
      values (1, ${company}, 'switch', 's', 'n', 'app', '', 'success', 5, 'approved', now(), now())`,
    linked(
      'transaction_payment_kinds',
      'month, payment_type, brand, acquirer',
      "24322, 'credit', 'visa', ''",
    ),
    `insert into ledger (company_id, at, channel, action, entity_type, sequence)
      values (${company}, now(), 'api', 'create', 'group', 1)`,
    `insert into ledger_chains (company_id, first_sequence, before_sequence, sequence, before_hash, hash,
        key_fingerprint, seal) values (${company}, 1, 0, 1, '', '', '', '')`,
    `insert into prunings (company_id, name, up_to, total, newest_at, pruned_at)
      values (${company}, 'transactions', 1, 1, now(), now())`,
    `insert into idempotency_keys (company_id, status, scope, key, fingerprint, answer, created_at)
      values (${company}, 200, 'scope', 'key', '', '', now())`,
  ];
}
