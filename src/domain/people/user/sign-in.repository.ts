import { sql } from 'kysely';

import { specialSql } from '../../../database/company/special-sql.js';
import { instant, nullable, typed } from '../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import { DAY } from '../../../platform/clock.js';
import type { Row } from '../../../schema/schema.js';
import { NEW_NETWORK, type SignInNetwork } from './user.model.js';

const time = nullable(instant);

/** Known networks of an account: those of the latest sign-ins. */
const KNOWN_NETWORKS = 10;

export async function findNetwork(
  work: SystemReadWork,
  userId: number,
  network: string,
): Promise<SignInNetwork> {
  const { db } = specialSql(work);
  const { rows } = await sql<Row<'sign_in_networks'>>`select * from sign_in_networks
    where user_id = ${userId} and network = ${network}`.execute(db);
  const [row] = rows;
  if (row === undefined) return NEW_NETWORK;
  return {
    signedInAt: time.fromColumn(row.signed_in_at),
    failedSignIns: row.failed_sign_ins,
    lockedUntil: time.fromColumn(row.locked_until),
  };
}

/** Stores nothing if there is no such user, but takes the same time. */
export async function saveNetwork(
  work: SystemWriteWork,
  userId: number,
  network: string,
  { signedInAt, failedSignIns, lockedUntil }: SignInNetwork,
): Promise<void> {
  const { db } = specialSql(work);
  await sql`insert into sign_in_networks
      (user_id, network, signed_in_at, failed_sign_ins, locked_until, updated_at)
    select id, ${typed('text', network)}, ${typed('instant', time.toColumn(signedInAt))},
      ${typed('integer', failedSignIns)}, ${typed('instant', time.toColumn(lockedUntil))},
      ${typed('instant', instant.toColumn(work.now))}
    from users where id = ${userId}
    on conflict (user_id, network) do update set signed_in_at = excluded.signed_in_at,
      failed_sign_ins = excluded.failed_sign_ins, locked_until = excluded.locked_until,
      updated_at = excluded.updated_at`.execute(db);
}

/** Deletes networks without a sign-in or a failure for a day, and known ones that are too many. */
export async function deleteOldNetworks(work: SystemWriteWork, userId: number): Promise<void> {
  const { db } = specialSql(work);
  const dayAgo = instant.toColumn(new Date(work.now.getTime() - DAY));
  await sql`delete from sign_in_networks where user_id = ${userId} and (
    (signed_in_at is null and updated_at < ${dayAgo})
    or (signed_in_at is not null and network not in (
      select network from sign_in_networks where user_id = ${userId} and signed_in_at is not null
      order by signed_in_at desc, network limit ${KNOWN_NETWORKS})))`.execute(db);
}

/** Lifts the locks of all networks for a user; known ones stay known. */
export async function resetNetworks(work: SystemWriteWork, userId: number): Promise<void> {
  const { db } = specialSql(work);
  await sql`update sign_in_networks set failed_sign_ins = 0, locked_until = null
    where user_id = ${userId}`.execute(db);
}
