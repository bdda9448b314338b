import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import type { Db } from '../table-builders.js';

const AUDITED = [
  ...['groups', 'logical_numbers', 'devices', 'apps', 'app_versions'],
  ...['files', 'parameters', 'metacontents', 'notifications'],
];

/**
 * Moves a company's data about a member from `users` to `memberships`, so that the companies of one user do
 * not see each other's. A user may have several derived tokens for one company. Every record has a creator.
 */
export async function up(db: Db): Promise<void> {
  await addMembershipColumns(db);
  await sql`drop index access_tokens_one_derived`.execute(db);
  for (const table of AUDITED) await addCreators(db, table);
}

async function addMembershipColumns(db: Db): Promise<void> {
  await sql`alter table memberships add column name ${ddl.text} not null default ''`.execute(db);
  await sql`alter table memberships add column time_zone ${ddl.text} not null default 'UTC'`.execute(db);
  for (const column of ['sign_in_count', 'revision', 'updated_at']) {
    await sql`alter table memberships add column ${sql.ref(column)} ${ddl.integer} not null default 0`.execute(
      db,
    );
  }
  await sql`alter table memberships add column last_sign_in_at ${ddl.instant}`.execute(db);
  await sql`alter table memberships add column last_sign_in_ip ${ddl.text}`.execute(db);
  await sql`alter table memberships add column disabled_at ${ddl.instant}`.execute(db);
  const ofUser = (column: string) =>
    sql`(select ${sql.ref(`u.${column}`)} from users as u where u.id = memberships.user_id)`;
  await sql`update memberships set name = ${ofUser('name')}, time_zone = ${ofUser('time_zone')},
    sign_in_count = ${ofUser('sign_in_count')}, revision = ${ofUser('revision')},
    updated_at = ${ofUser('updated_at')}, last_sign_in_at = ${ofUser('last_sign_in_at')},
    last_sign_in_ip = ${ofUser('last_sign_in_ip')}`.execute(db);
  await sql`create index memberships_by_created_at on memberships (company_id, created_at, user_id)`.execute(
    db,
  );
  await sql`create view members as select m.company_id, m.user_id as id, u.email, m.name, m.time_zone, m.role,
    m.sign_in_count, m.last_sign_in_at, m.last_sign_in_ip, m.disabled_at,
    u.disabled_at as account_disabled_at, u.locked_until, m.revision, m.created_at, m.updated_at
    from memberships as m join users as u on u.id = m.user_id`.execute(db);
}

/**
 * Gives records that the command line created without a user the company's first administrator, or else its
 * first member.
 */
async function addCreators(db: Db, name: string): Promise<void> {
  const table = sql.table(name);
  await sql`update ${table} set created_by = (select m.user_id from memberships as m
      where m.company_id = ${sql.ref(`${name}.company_id`)}
      order by case when m.role = 'admin' then 0 else 1 end, m.created_at, m.user_id limit 1)
    where created_by is null`.execute(db);
}
