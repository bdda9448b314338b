import { COMPANY_ROLE, SYSTEM_ROLE } from './roles.js';

/**
 * The company of the unit of work. The subselect makes the planner read the setting once for each statement.
 */
const COMPANY = `(select nullif(current_setting('app.company_id', true), '')::bigint)`;

/** Tables with the column `company_id` whose rows a company reads and changes. */
const COMPANY_TABLES = [
  ...['memberships', 'access_tokens', 'groups', 'logical_numbers', 'devices', 'parameters', 'metacontents'],
  ...['apps', 'contents', 'content_chunks', 'files', 'app_versions'],
  ...['app_version_groups', 'app_version_modules', 'app_version_files', 'logical_number_app_versions'],
  ...['notifications', 'notification_deliveries', 'notification_targets', 'removals'],
  ...['transactions', 'transaction_days', 'transaction_hours'],
  ...['counters', 'ledger_chains', 'idempotency_keys'],
] as const;

/** Tables without rows that a company may see. */
const SYSTEM_TABLES = ['sign_in_networks', 'rate_limits'] as const;

const ALL = 'select, insert, update, delete';

/**
 * Statements for the rights of the roles on a table. `rows` is the condition for the rows that a company may
 * see and write; null if there are none.
 */
function guarded(table: string, rows: string | null, company: string, system = ALL): readonly string[] {
  return [
    `alter table ${table} enable row level security`,
    `alter table ${table} force row level security`,
    `grant ${system} on ${table} to ${SYSTEM_ROLE}`,
    `create policy ${table}_of_system on ${table} to ${SYSTEM_ROLE} using (true) with check (true)`,
    // Since version 18, triggers on rows that a foreign key deletes run as the owner, who then has neither
    // role.
    `create policy ${table}_of_triggers on ${table} to current_user
      using (pg_trigger_depth() > 0) with check (pg_trigger_depth() > 0)`,
    ...(rows === null
      ? []
      : [
          `grant ${company} on ${table} to ${COMPANY_ROLE}`,
          `create policy ${table}_of_own_company on ${table} to ${COMPANY_ROLE} using (${rows}) with check (${rows})`,
        ]),
  ];
}

const OWN = `company_id = ${COMPANY}`;

/** Statements for a table with `company_id` that a later migration adds. */
export const companyPolicies = (table: string): readonly string[] => guarded(table, OWN, ALL);

/**
 * Condition for the accounts of the company's members. A company reads only the columns that the view
 * `members` shows, and changes nothing. A scalar subselect is looked up for each user; with EXISTS, the
 * planner may read all members of the company first.
 */
const MEMBER = `id = (select user_id from memberships where memberships.user_id = users.id and memberships.${OWN})`;
const SHOWN_OF_USERS = 'select (id, email, disabled_at, locked_until)';

/**
 * Row-level security for all tables, which also applies to their owner (decisions.md#row-level-security). A
 * table without a policy for a role shows it nothing: each new table needs a line here, with the rights of
 * the roles.
 */
export const POLICIES: readonly string[] = [
  ...COMPANY_TABLES.flatMap(companyPolicies),
  ...guarded('ledger', OWN, 'select, insert', 'select, insert'),
  ...guarded('companies', `id = ${COMPANY}`, 'select, update'),
  ...guarded('users', MEMBER, SHOWN_OF_USERS),
  ...SYSTEM_TABLES.flatMap((table) => guarded(table, null, '')),
  `grant select on members to ${COMPANY_ROLE}, ${SYSTEM_ROLE}`,
];
