import { sql } from 'kysely';

import { specialSql } from '../../../database/company/company-rows.js';
import { flag, instant } from '../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import { HOUR } from '../../../platform/clock.js';
import type { AccountLink, LinkKind } from './user.model.js';

const LINK_MS = 72 * HOUR;

/** Stores a link of a user; an earlier one of the same kind ends. */
export async function saveLink(
  work: SystemWriteWork,
  { userId, kind, email, removesPasskeys }: AccountLink,
  hash: string,
): Promise<void> {
  const { db } = specialSql(work);
  const now = instant.toColumn(work.now);
  await sql`insert into account_links (user_id, kind, token_hash, email, removes_passkeys, created_at)
    values (${userId}, ${kind}, ${hash}, ${email}, ${removesPasskeys}, ${now})
    on conflict (user_id, kind) do update set token_hash = excluded.token_hash, email = excluded.email,
      removes_passkeys = excluded.removes_passkeys, created_at = excluded.created_at`.execute(db);
}

/** The link that has not ended with the hash of a code. */
export async function findLink(work: SystemReadWork, hash: string, kind: LinkKind) {
  const { db } = specialSql(work);
  const oldest = instant.toColumn(new Date(work.now.getTime() - LINK_MS));
  const { rows } = await sql<{
    user_id: number;
    email: string | null;
    removes_passkeys: number | boolean;
  }>`select user_id, email, removes_passkeys from account_links
    where token_hash = ${hash} and kind = ${kind} and created_at > ${oldest}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const removesPasskeys = flag.fromColumn(row.removes_passkeys);
  return { userId: row.user_id, kind, email: row.email, removesPasskeys };
}

/** When the latest link of a kind was made; undefined if there is none that could still be used. */
export async function lastLinkAt(work: SystemReadWork, userId: number, kind: LinkKind) {
  const { db } = specialSql(work);
  const { rows } = await sql<{ created_at: number }>`select created_at from account_links
    where user_id = ${userId} and kind = ${kind}`.execute(db);
  return rows[0] && instant.fromColumn(rows[0].created_at);
}

export async function deleteLink(work: SystemWriteWork, userId: number, kind: LinkKind): Promise<void> {
  const { db } = specialSql(work);
  await sql`delete from account_links where user_id = ${userId} and kind = ${kind}`.execute(db);
}
