import { COMPANY_ROLE, SYSTEM_ROLE } from './roles.js';

/** The company of the unit of work. The subselect makes the planner read the setting once for each statement. */
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

/** Tables of which a company sees nothing. */
const SYSTEM_TABLES = ['sign_in_networks', 'rate_limits'] as const;

const ALL = 'select, insert, update, delete';

/** What the roles may do with a table, and which rows a company sees and writes; without `rows`, none. */
function guarded(table: string, rows: string | null, company: string, system = ALL): readonly string[] {
  return [
    `alter table ${table} enable row level security`,
    `alter table ${table} force row level security`,
    `grant ${system} on ${table} to ${SYSTEM_ROLE}`,
    `create policy ${table}_of_system on ${table} to ${SYSTEM_ROLE} using (true) with check (true)`,
    // Since version 18, triggers on rows that a foreign key deletes run as the owner, who has no role then.
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
 * A company reads of its members' accounts only what the view `members` shows, and changes nothing. A scalar subselect is
 * looked up for each user; for EXISTS the planner may read all members of the company first.
 */
const MEMBER = `id = (select user_id from memberships where memberships.user_id = users.id and memberships.${OWN})`;
const SHOWN_OF_USERS = 'select (id, email, disabled_at, locked_until)';

/**
 * Row-level security for all tables, also for their owner (decisions.md#row-level-security). A table without a policy for a role shows it nothing: each
 * new table needs a line here, and so does what the roles may do with it.
 */
export const POLICIES: readonly string[] = [
  ...COMPANY_TABLES.flatMap(companyPolicies),
  ...guarded('ledger', OWN, 'select, insert', 'select, insert'),
  ...guarded('companies', `id = ${COMPANY}`, 'select, update'),
  ...guarded('users', MEMBER, SHOWN_OF_USERS),
  ...SYSTEM_TABLES.flatMap((table) => guarded(table, null, '')),
  `grant select on members to ${COMPANY_ROLE}, ${SYSTEM_ROLE}`,
];
