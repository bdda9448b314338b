import type { Tables } from '../../../src/schema/schema.js';
import type { SqlRow } from '../databases/place.js';
import { filled, insertText } from '../databases/rows.js';
import { addCompanies, type Run } from './schema.js';

/** One row, at least, in every table for each of the companies 1 and 2. Its ids are those of `addCompanies`, and 1. */
export async function addRecords(run: Run): Promise<void> {
  await addCompanies(run);
  await run(`insert into sign_in_networks (user_id, network, failed_sign_ins, updated_at)
    select id, '192.0.2.0', 0, now() from users`);
  await run(`insert into passkeys (id, user_id, name, credential_id, public_key, counter, created_at)
    select id, id, 'Laptop', 'credential ' || id, 'key', 0, now() from users`);
  await run(`insert into one_time_codes (code_hash, kind, user_id, removes_passkeys, created_at)
    select 'hash ' || id, 'recovery', id, false, now() from users`);
  await run("insert into rate_limits values ('key', 1, 5)");
  for (const company_id of [1, 2]) {
    for (const [table, ...rows] of recordsOf(company_id)) {
      for (const row of rows.length === 0 ? [{}] : rows) {
        await run(...insertText(table, [filled(table, { company_id, ...row }, new Date())]));
      }
    }
  }
  await run(`insert into ledger (at, channel, action, entity_type, sequence)
    values (now(), 'api', 'sign_in_failed', 'sign_in', 1)`);
}

/** Values besides those that each row of the table needs, in the order of references. */
const recordsOf = (company: number): readonly (readonly [table: keyof Tables, ...rows: SqlRow[]])[] => [
  ['access_tokens', { user_id: 10 + company, kind: 'named', scopes: '[]', token_hash: `hash ${company}` }],
  ['sessions', { id: company, user_id: 10 + company, token_hash: `hash ${company}` }],
  ['groups'],
  ['logical_numbers', { group_id: 1 }],
  ['devices', { enabled: true, logical_number_id: 1 }],
  ['device_tokens', { token_hash: `hash ${company}`, issued_by: 11 }],
  ['device_tags'],
  ['logical_number_tags'],
  ['device_numbers'],
  ['device_logs'],
  ['device_log_chunks'],
  ['terminal_files', { crc: '31C3' }],
  ['terminal_refusals', { code: 'terminal_disabled' }],
  ['unknown_terminals'],
  ['parameters', { group_id: 1 }],
  ['metacontents', { logical_number_id: 1 }],
  ['apps'],
  ['contents'],
  ['content_chunks'],
  ['files', { content_id: 1 }],
  ['app_versions', { number: '1', displayable: true }, { id: 2, number: '2' }],
  ['app_version_groups'],
  ['group_default_versions'],
  ['app_version_modules', { module_id: 2 }],
  ['app_version_files'],
  ['logical_number_app_versions'],
  ['terminal_versions', { app_version_id: 2, state: 'installed' }],
  [
    'rollouts',
    { app_version_ids: '[]', waves: '[]', stop_when: '{}', hours: 'null', figures: '[]', payments: '[]' },
  ],
  ['rollout_terminals', { state: 'waiting', has_answered: false, added: '[]', removed: '[]' }],
  ['notifications', { range: 'all' }],
  ['commands', { is_urgent: false }],
  [
    'notification_deliveries',
    { id: 1, state: 'queued', notification_id: 1, logical_number_id: 1 },
    { id: 2, state: 'queued', command_id: 1, device_id: 1, sequence: 2 },
  ],
  ['notification_targets', { logical_numbers: '[]' }],
  ['jobs', { state: 'waiting' }],
  ['job_parts', { rows: '[]' }],
  ['job_rejections', { code: 'not_found' }],
  ['webhooks', { events: '[]', enabled: true }],
  ['alert_rules', { condition: '{}', recipient_ids: '[]', webhook_id: null }],
  ['alerts', { examples: '[]', recipient_ids: '[]', webhook_ids: '[]' }],
  ['export_schedules', { input: '{}', origin: '{}', webhook_id: 1, recipient_ids: '[]', waiting_ids: '[]' }],
  ['saved_filters', { filter: '{}' }],
  ['transactions', { transaction_type: 'switch', status: 'success', amount: 5, payment_outcome: 'approved' }],
  ['transaction_payment_kinds', { month: 24_322, payment_type: 'credit', brand: 'visa', acquirer: '' }],
  ['ledger', { channel: 'api', action: 'create', entity_type: 'group' }],
  ['ledger_chains', { before_sequence: 0 }],
  ['prunings', { name: 'transactions' }],
  ['idempotency_keys', { status: 200 }],
];
