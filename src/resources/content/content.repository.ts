import { sql } from 'kysely';

import { CompanyRows, inCompany, only } from '../../database/company/company-rows.js';
import { specialSql } from '../../database/special-sql.js';
import { instant } from '../../database/storage.js';
import type { ReadWork, SystemReadWork, SystemWriteWork, WriteWork } from '../../database/work.js';
import type { NewContent } from './content.model.js';

const contents = new CompanyRows('contents');
const chunks = new CompanyRows('content_chunks');

export async function insertContent(
  work: WriteWork,
  { size, crc, sha256 }: Omit<NewContent, 'chunks'>,
): Promise<number> {
  const row = { size, crc, sha256, created_at: instant.toColumn(work.now), released_at: null };
  return only(await contents.insertReturningIds(work, [row]));
}

export async function insertChunk(
  work: WriteWork,
  contentId: number,
  sequence: number,
  bytes: Uint8Array,
): Promise<void> {
  await chunks.insert(work, [{ content_id: contentId, sequence, bytes }]);
}

export async function findChunk(
  work: SystemReadWork,
  companyId: number,
  contentId: number,
  sequence: number,
): Promise<Uint8Array | undefined> {
  return (await chunks.find(inCompany(work, companyId), { content_id: contentId, sequence }))?.bytes;
}

export async function findSize(
  work: SystemReadWork,
  companyId: number,
  contentId: number,
): Promise<number | undefined> {
  return (await contents.find(inCompany(work, companyId), { id: contentId }))?.size;
}

export async function selectSums(
  work: ReadWork,
  ids: readonly number[],
): Promise<readonly { readonly id: number; readonly sha256: string }[]> {
  return await contents.select(work, { id: ids });
}

/** Size and checksums of a content. */
export async function getContent(work: WriteWork, id: number): Promise<Omit<NewContent, 'chunks'>> {
  return only(await contents.select(work, { id }));
}

/** Copies one chunk to another content; false if there is none. */
export async function copyChunk(
  work: WriteWork,
  from: number,
  to: number,
  sequence: number,
): Promise<boolean> {
  const { db, companyId } = specialSql(work);
  const { numAffectedRows } = await sql`insert into content_chunks (company_id, content_id, sequence, bytes)
    select company_id, ${to}, sequence, bytes from content_chunks
    where company_id = ${companyId} and content_id = ${from} and sequence = ${sequence}`.execute(db);
  return Number(numAffectedRows ?? 0) === 1;
}

export async function markReleased(work: WriteWork, ids: readonly number[]): Promise<void> {
  await contents.update(work, { id: ids }, { released_at: instant.toColumn(work.now) });
}

/**
 * Deletes at most `limit` contents that were released before `before`, unless a stored idempotent response refers
 * to them. Returns the number of deleted contents.
 */
export async function deleteReleased(work: SystemWriteWork, before: Date, limit: number): Promise<number> {
  const { db } = specialSql(work);
  const result = await sql`delete from contents where (company_id, id) in (
    select c.company_id, c.id from contents as c where c.released_at < ${instant.toColumn(before)}
      and not exists (select 1 from idempotency_keys as k
        where k.company_id = c.company_id and k.content_id = c.id)
    order by c.released_at limit ${limit})`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}
