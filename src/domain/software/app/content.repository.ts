import { sql } from 'kysely';

import { specialSql } from '../../../database/company/company-rows.js';
import { instant, typed } from '../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork, WriteWork } from '../../../database/work.js';

/** Copies one chunk to another content; false if there is none. */
export async function copyChunk(work: WriteWork, from: number, to: number, sequence: number) {
  const { db, companyId } = specialSql(work);
  const { numAffectedRows } = await sql`insert into content_chunks (company_id, content_id, sequence, bytes)
    select company_id, ${typed('integer', to)}, sequence, bytes from content_chunks
    where company_id = ${companyId} and content_id = ${from} and sequence = ${sequence}`.execute(db);
  return Number(numAffectedRows ?? 0) === 1;
}

/** The content that was released first, before `before`, unless a stored idempotent response shows it. */
export async function findReleased(work: SystemReadWork, before: Date) {
  const { db } = specialSql(work);
  const { rows } = await sql<{ id: number; companyId: number }>`
    select c.id, c.company_id as "companyId" from contents as c where c.released_at < ${instant.toColumn(before)}
      and not exists (select 1 from idempotency_keys as k
        where k.company_id = c.company_id and k.content_id = c.id)
    order by c.released_at limit 1`.execute(db);
  return rows[0];
}

/** Deletes the last `limit` chunks of a released content, then the content. Returns whether chunks may be left. */
export async function deletePart(work: SystemWriteWork, companyId: number, id: number, limit: number) {
  const { db } = specialSql(work);
  const { numAffectedRows } = await sql`delete from content_chunks
    where company_id = ${companyId} and content_id = ${id}
      and sequence in (select sequence from content_chunks
        where company_id = ${companyId} and content_id = ${id} order by sequence desc limit ${limit})
      and exists (select 1 from contents
        where company_id = ${companyId} and id = ${id} and released_at is not null)`.execute(db);
  if (Number(numAffectedRows ?? 0) === limit) return true;
  await sql`delete from contents
    where company_id = ${companyId} and id = ${id} and released_at is not null`.execute(db);
  return false;
}
