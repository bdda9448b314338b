import { sql, type Kysely } from 'kysely';

import { DatabaseRefused } from '../../refused.js';

/** Units of work of one company have this role: row-level security shows it only the rows of `app.company_id`. */
export const COMPANY_ROLE = 'terminal_gateway_company';
/** Units of work above companies have this role: it may use all rows. */
export const SYSTEM_ROLE = 'terminal_gateway_system';

const ROLES = [COMPANY_ROLE, SYSTEM_ROLE] as const;

/** Times that a grant is tried: another database of the same server may grant the same role at the same moment. */
const ATTEMPTS = 50;

/** Whether the current user has the rights of a role and may set it; since version 16 these are two options. */
const isUsable = (role: string): string => `pg_has_role(current_user, ${role}, 'usage')
  and pg_has_role(current_user, ${role},
    case when current_setting('server_version_num')::integer < 160000 then 'member' else 'set' end)`;

/**
 * Roles belong to the whole server: another database may create or grant the same one at the same time. What this user
 * may not create is left to an administrator.
 */
const creation = (role: string): string => `do $$
  begin
    if not exists (select from pg_roles where rolname = '${role}') then
      create role ${role} nologin;
    end if;
  exception when duplicate_object or unique_violation or insufficient_privilege then null;
  end $$`;

/** `internal_error` is "tuple concurrently updated". */
const membership = (role: string): string => `do $$
  begin
    for attempt in 1..${ATTEMPTS} loop
      if ${isUsable(`'${role}'`)} then return; end if;
      begin
        grant ${role} to current_user;
      exception
        when insufficient_privilege then return;
        when internal_error or unique_violation then perform pg_sleep(0.02);
      end;
    end loop;
  exception when undefined_object then null;
  end $$`;

interface RoleState {
  readonly owner: string;
  readonly existing: string[] | null;
  /** Roles of the program that exist with a right too many. */
  readonly strong: string[] | null;
  /** Roles that the current user may use. */
  readonly usable: string[] | null;
}

/**
 * Creates the two roles, if they do not exist, and makes the current user their member: it sets them in each unit of
 * work. Errors: `DatabaseRefused` with the SQL that an administrator has to run, if this user may not do it.
 */
export async function createRoles<T>(db: Kysely<T>): Promise<void> {
  for (const role of ROLES) {
    await sql.raw(creation(role)).execute(db);
    await sql.raw(membership(role)).execute(db);
  }
  const { rows } = await sql<RoleState>`select quote_ident(current_user) as owner,
      array_agg(rolname::text) as existing,
      array_agg(rolname::text) filter (where rolsuper or rolbypassrls or rolcanlogin) as strong,
      array_agg(rolname::text) filter (where ${sql.raw(isUsable('rolname'))}) as usable
    from pg_roles where rolname in (${sql.join(ROLES.map((role) => sql.lit(role)))})`.execute(db);
  for (const state of rows) demandRoles(state);
}

function demandRoles({ owner, existing, strong, usable }: RoleState): void {
  if (strong !== null) {
    const changes = strong.map((role) => `alter role ${role} nologin nosuperuser nobypassrls;`);
    throw new DatabaseRefused(
      'unusable',
      `The role ${strong.join(' and ')} must not be able to log in or to bypass row-level security. ` +
        `An administrator of the server must run: ${changes.join(' ')}`,
    );
  }
  if (ROLES.every((role) => usable?.includes(role) === true)) return;
  const creations = ROLES.filter((role) => existing?.includes(role) !== true).map(
    (role) => `create role ${role} nologin;`,
  );
  const statements = [...creations, `grant ${ROLES.join(', ')} to ${owner};`];
  throw new DatabaseRefused(
    'unusable',
    `The user ${owner} may not create or use the roles of the program. An administrator of the server must run: ` +
      statements.join(' '),
  );
}
