import { instant, nullable } from '../../database/storage.js';
import type { Row } from '../../database/tables.js';
import type { SystemReadWork, SystemWriteWork } from '../../database/work.js';
import type { Role } from '../../platform/caller.js';
import type { Membership, User } from './user.model.js';

const time = nullable(instant);

export function userOf(row: Row<'users'>): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    timeZone: row.time_zone,
    signInCount: row.sign_in_count,
    lastSignInAt: time.fromColumn(row.last_sign_in_at),
    lastSignInIp: row.last_sign_in_ip,
    disabledAt: time.fromColumn(row.disabled_at),
    revision: row.revision,
    createdAt: instant.fromColumn(row.created_at),
    updatedAt: instant.fromColumn(row.updated_at),
  };
}

export async function findUserByEmail(work: SystemReadWork, email: string): Promise<User | undefined> {
  const row = await work.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
  return row && userOf(row);
}

export async function insertUser(
  work: SystemWriteWork,
  values: Pick<User, 'email' | 'name' | 'timeZone'> & { passwordHash: string },
): Promise<User> {
  const now = instant.toColumn(work.now);
  const row = await work.db
    .insertInto('users')
    .values({
      email: values.email,
      name: values.name,
      time_zone: values.timeZone,
      password_hash: values.passwordHash,
      sign_in_count: 0,
      failed_sign_ins: 0,
      revision: 1,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return userOf(row);
}

export async function findMembership(
  work: SystemReadWork,
  companyId: number,
  userId: number,
): Promise<Membership | undefined> {
  const row = await work.db
    .selectFrom('memberships')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row && { companyId: row.company_id, userId: row.user_id, role: row.role as Role };
}

export async function insertMembership(work: SystemWriteWork, values: Membership): Promise<void> {
  await work.db
    .insertInto('memberships')
    .values({
      company_id: values.companyId,
      user_id: values.userId,
      role: values.role,
      created_at: instant.toColumn(work.now),
    })
    .execute();
}
