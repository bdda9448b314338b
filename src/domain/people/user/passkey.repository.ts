import type { Insertable, Updateable } from 'kysely';

import { specialSql } from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import { randomId } from '../../../database/counters.js';
import type { SystemReadWork, SystemWriteWork } from '../../../database/work.js';
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
