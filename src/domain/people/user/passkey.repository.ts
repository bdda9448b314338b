import { type Insertable, sql, type Updateable } from 'kysely';

import { specialSql } from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import { randomId } from '../../../database/counters.js';
import { instant } from '../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import { CHALLENGE_MS } from '../../../platform/passkeys.js';
import type { Tables } from '../../../schema/schema.js';
import type { Passkey } from './passkey.model.js';

const { recordOf, columnsOf } = recordMapping<'passkeys', Passkey, never>('passkeys', []);

export async function insertPasskey(
  work: SystemWriteWork,
  given: Omit<Passkey, 'id' | 'createdAt' | 'lastUsedAt'>,
): Promise<Passkey> {
  const { db } = specialSql(work);
  const id = await randomId(db, 'passkeys');
  const passkey = { ...given, id, createdAt: work.now, lastUsedAt: null };
  await db
    .insertInto('passkeys')
    .values(columnsOf(passkey) as Insertable<Tables['passkeys']>)
    .execute();
  return passkey;
}

/** Passkeys of a user, the oldest first. */
export async function selectPasskeys(work: SystemReadWork, userId: number): Promise<Passkey[]> {
  const { db } = specialSql(work);
  const query = db.selectFrom('passkeys').selectAll().where('user_id', '=', userId);
  return (await query.orderBy('created_at').orderBy('id').execute()).map(recordOf);
}

/** The passkey of any user with the id that its authenticator gave it. */
export async function findPasskey(work: SystemReadWork, credentialId: string) {
  const { db } = specialSql(work);
  const query = db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId);
  return (await query.execute()).map(recordOf)[0];
}

export async function updatePasskey(
  work: SystemWriteWork,
  id: number,
  changes: Partial<Pick<Passkey, 'name' | 'counter' | 'lastUsedAt'>>,
): Promise<void> {
  const { db } = specialSql(work);
  const columns = columnsOf(changes) as Updateable<Tables['passkeys']>;
  await db.updateTable('passkeys').set(columns).where('id', '=', id).execute();
}

export async function deletePasskey(work: SystemWriteWork, id: number): Promise<void> {
  const { db } = specialSql(work);
  await db.deleteFrom('passkeys').where('id', '=', id).execute();
}

export type CodeKind = 'recovery' | 'create' | 'get';

export async function saveCodes(
  work: SystemWriteWork,
  userId: number | null,
  kind: CodeKind,
  hashes: readonly string[],
): Promise<void> {
  const { db } = specialSql(work);
  const shared = { user_id: userId, kind, created_at: instant.toColumn(work.now) };
  await db
    .insertInto('passkey_codes')
    .values(hashes.map((code_hash) => ({ ...shared, code_hash })))
    .execute();
}

/** Uses a code up. False if there is none, or if it is a challenge that has ended. */
export async function takeCode(
  work: SystemWriteWork,
  userId: number | null,
  kind: CodeKind,
  hash: string,
): Promise<boolean> {
  const { db } = specialSql(work);
  const { rows } = await sql`delete from passkey_codes where code_hash = ${hash} and kind = ${kind}
    and coalesce(user_id, 0) = ${userId ?? 0} and (kind = 'recovery' or created_at > ${ended(work)})
    returning kind`.execute(db);
  return rows.length > 0;
}

export async function countRecoveryCodes(work: SystemReadWork, userId: number): Promise<number> {
  const { db } = specialSql(work);
  const { rows } = await sql<{ count: number }>`select count(*) as count from passkey_codes
    where user_id = ${userId} and kind = 'recovery'`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Resolves to the number of codes that were left. */
export async function deleteRecoveryCodes(work: SystemWriteWork, userId: number): Promise<number> {
  const { db } = specialSql(work);
  const { rows } = await sql`delete from passkey_codes where user_id = ${userId} and kind = 'recovery'
    returning kind`.execute(db);
  return rows.length;
}

const DELETED_PER_CALL = 500;

/** Deletes some of the challenges that have ended; returns whether there may be more. */
export async function deleteEndedChallenges(work: SystemWriteWork): Promise<boolean> {
  const { db } = specialSql(work);
  const { rows } = await sql`delete from passkey_codes where code_hash in (select code_hash from passkey_codes
    where kind in ('create', 'get') and created_at <= ${ended(work)} limit ${DELETED_PER_CALL})
    returning kind`.execute(db);
  return rows.length === DELETED_PER_CALL;
}

/** Challenges that were made until then have ended. */
const ended = ({ now }: SystemWriteWork): Date => instant.toColumn(new Date(now.getTime() - CHALLENGE_MS));
