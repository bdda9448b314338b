import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

import { COMPANY_ROLE, SYSTEM_ROLE } from '../../schema/postgres.js';
import { EXTENSIONS } from '../../schema/search.js';
import { unusable } from '../database.js';
import { stateOf } from './faults.js';

/** Names of the two roles. They belong to the whole server, so each begins with the name of the database. */
export interface Roles {
  /** Role of units of one company: row-level security shows it only the rows of `app.company_id`. */
  readonly company: string;
  readonly system: string;
}

export const withRoles = (statement: string, { company, system }: Roles): string =>
  statement.replaceAll(COMPANY_ROLE, () => quoted(company)).replaceAll(SYSTEM_ROLE, () => quoted(system));

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const roleOfPolicy = (policy: string): string => `(select rolname::text from pg_roles where oid = (
  select polroles[1] from pg_policy where polrelid = to_regclass('companies') and polname = '${policy}'))`;
const SYSTEM = roleOfPolicy('companies_of_system');
const COMPANY = roleOfPolicy('companies_of_own_company');

/** SQL that gives a transaction, or a session, the role that sees the rows of all companies. */
export const AS_SYSTEM = `select set_config('role', ${SYSTEM}, true)`;
export const SESSION_AS_SYSTEM = `select set_config('role', ${SYSTEM}, false)`;

/** Calls `use` in a transaction that sees the rows of all companies in one state, and changes nothing. */
export async function readAsSystem<T>(client: Client, use: () => Promise<T>): Promise<T> {
  await client.query(`begin isolation level repeatable read read only; ${AS_SYSTEM}`);
  try {
    return await use();
  } finally {
    await client.query('rollback');
  }
}

/** Maximum bytes of a name; PostgreSQL truncates longer ones. */
const MAX_NAME_BYTES = 63;

/** The roles that the policies name; without tables, those named after the database. Errors: `DatabaseRefused`. */
export async function rolesIn(client: Client): Promise<Roles> {
  const { rows } = await client.query<{ database: string; company: string | null; system: string | null }>(
    `select current_database()::text as database, ${COMPANY} as company, ${SYSTEM} as system`,
  );
  const { database = '', company = null, system = null } = rows[0] ?? {};
  if (company !== null && system !== null) return { company, system };
  const roles = { company: `${database}_company`, system: `${database}_system` };
  const bytes = Buffer.byteLength(roles.company);
  if (bytes <= MAX_NAME_BYTES) return roles;
  throw unusable(
    `The name of the database has ${Buffer.byteLength(database)} bytes. Use at most ${MAX_NAME_BYTES - '_company'.length}, since the role ${roles.company} is named after it.`,
  );
}

interface Found {
  readonly user: string;
  readonly database: string;
  readonly schema: string | null;
  readonly path: string;
  readonly is_superuser: boolean;
  readonly owns_database: boolean;
  readonly is_public: boolean;
  /** Names of the extensions whose operators can be used. */
  readonly extensions: readonly string[];
  readonly version: number;
}

const FOUND = `select quote_ident(current_user) as user, quote_ident(current_database()) as database,
    quote_ident(current_schema()) as schema, current_setting('search_path') as path,
    (select rolsuper from pg_roles where rolname = current_user) as is_superuser,
    (select pg_has_role(datdba, 'usage') from pg_database where datname = current_database()) as owns_database,
    has_database_privilege('public', current_database(), 'connect') as is_public,
    array(select extension.key from json_each_text($1) as extension where exists (select from pg_opclass
      where opcname = extension.value and pg_opclass_is_visible(oid)
        and opcmethod = (select oid from pg_am where amname = 'gin'))) as extensions,
    current_setting('server_version_num')::int as version`;

interface RoleFound {
  readonly name: string;
  readonly is_strong: boolean;
  readonly is_settable: boolean;
  readonly is_inherited: boolean;
  readonly uses_schema: boolean;
  readonly connects: boolean;
}

/** Since version 16, a member may be forbidden to set the role. */
const rolesFound = (version: number): string => `select rolname::text as name,
    rolsuper or rolbypassrls or rolcanlogin as is_strong,
    pg_has_role(oid, '${version >= 160_000 ? 'set' : 'member'}') as is_settable,
    pg_has_role(oid, 'usage') as is_inherited,
    coalesce(has_schema_privilege(oid, current_schema(), 'usage'), false) as uses_schema,
    has_database_privilege(oid, current_database(), 'connect') as connects
  from pg_roles where rolname = any($1)`;

const ATTEMPTS = 50;
const PAUSE_MS = 20;
/** SQLSTATEs of a conflict: another node, or another database of the server, has done it at the same time. */
const AT_THE_SAME_TIME = ['XX000', '23505', '42710'];
/** SQLSTATEs of missing rights, and of a role that could not be created. */
const NOT_ALLOWED = ['42501', '42704'];

/**
 * Creates missing roles and extensions, lets the user of the URL set them without inheriting their rights, and denies all
 * other users the connection to the database. Errors: `DatabaseRefused` with the SQL for an administrator.
 */
export async function prepareRoles(client: Client, roles: Roles, name: string): Promise<void> {
  let mayRetry = true;
  for (let attempt = 1; ; attempt += 1) {
    const needed = await statementsNeeded(client, roles);
    if (needed.length === 0) return;
    if (!mayRetry || attempt > ATTEMPTS) {
      throw unusable(
        `${name} lacks roles or rights. No table was changed. An administrator of the server must run in this database: ${needed.join('; ')};`,
      );
    }
    mayRetry = false;
    for (const statement of needed) {
      const state = await client.query(statement).then(() => null, failureOf);
      mayRetry ||= AT_THE_SAME_TIME.includes(state ?? '');
    }
    if (mayRetry) await sleep(PAUSE_MS);
  }
}

/** SQLSTATE of a conflict or of a missing right; throws other errors. */
function failureOf(error: unknown): string {
  const state = stateOf(error) ?? '';
  if (![...AT_THE_SAME_TIME, ...NOT_ALLOWED].includes(state)) throw error;
  return state;
}

async function statementsNeeded(client: Client, { company, system }: Roles): Promise<readonly string[]> {
  const { rows } = await client.query<Found>(FOUND, [JSON.stringify(EXTENSIONS)]);
  const [found] = rows;
  if (found === undefined) return [];
  requireSchema(found);
  const names = [company, system, unitsRole(company)];
  const { rows: existing } = await client.query<RoleFound>(rolesFound(found.version), [names]);
  requireWeak(existing.filter(({ is_strong }) => is_strong).map(({ name }) => quoted(name)));
  const [ofCompany, ofSystem, units] = names.map((name) => existing.find((role) => role.name === name));
  const used = [ofCompany, ofSystem];
  const both = `${quoted(company)}, ${quoted(system)}`;
  const { user, schema, is_superuser } = found;
  const isUsable = used.every((role) => role?.is_settable === true && (is_superuser || !role.is_inherited));
  const inherits = !is_superuser && used.some((role) => role?.is_inherited === true);
  const usesSchema = used.every((role) => role?.uses_schema === true);
  const isClosed = !found.is_public && ofSystem?.connects === true;
  const missing = Object.keys(EXTENSIONS).filter((each) => !found.extensions.includes(each));
  return [
    ...missing.map((each) => `create extension if not exists ${each}`),
    ...(ofCompany === undefined ? [`create role ${quoted(company)} nologin`] : []),
    ...(ofSystem === undefined ? [`create role ${quoted(system)} nologin`] : []),
    ...(isUsable ? [] : grants(user, company, both, units)),
    ...(inherits ? [`revoke ${both} from ${user}`] : []),
    ...(usesSchema ? [] : [`grant usage on schema ${schema ?? ''} to ${both}`]),
    ...(isClosed ? [] : connections(found, system)),
  ];
}

/**
 * Name of a role without rights (NOINHERIT) between the user of the URL and both roles: the user can set them
 * but has none of their rights before. A grant has an option for this only since version 16.
 */
const unitsRole = (company: string): string => `${company.replace(/_company$/, '')}_units`;

function grants(user: string, company: string, both: string, units?: RoleFound): readonly string[] {
  const name = quoted(unitsRole(company));
  const create = units === undefined ? [`create role ${name} nologin noinherit`] : [];
  return [...create, `grant ${both} to ${name}`, `grant ${name} to ${user}`];
}

/** The system role cannot log in, but needs the right to connect to read the size of the database. */
const connections = ({ database, user, owns_database }: Found, system: string): readonly string[] => [
  `grant connect on database ${database} to ${owns_database ? '' : `${user}, `}${quoted(system)}`,
  `revoke all on database ${database} from public`,
];

function requireSchema({ schema, path, user }: Found): void {
  if (schema !== null) return;
  throw unusable(
    `The search path is ${path === '' ? 'empty' : path}, of which the user ${user} can use no schema. ` +
      `An administrator of the server must run in this database: create schema if not exists NAME; grant usage, create on schema NAME to ${user};`,
  );
}

function requireWeak(strong: readonly string[]): void {
  if (strong.length === 0) return;
  const changes = strong.map((role) => `alter role ${role} nologin nosuperuser nobypassrls;`);
  throw unusable(
    `The role ${strong.join(' and ')} must not be able to log in or to bypass row-level security. ` +
      `An administrator of the server must run: ${changes.join(' ')}`,
  );
}
