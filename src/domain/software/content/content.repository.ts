import { sql } from 'kysely';

import { CompanyRows, inCompany, only } from '../../../database/company/company-rows.js';
import { specialSql } from '../../../database/company/special-sql.js';
import { instant, typed } from '../../../database/storage.js';
import type { ReadWork, SystemReadWork, SystemWriteWork, WriteWork } from '../../../database/work.js';
import type { ContentSums } from '../../../platform/encoding/content-builder.js';

const contents = new CompanyRows('contents');
const chunks = new CompanyRows('content_chunks');

/** @param releasedAt null if a record gets it in the same unit. */
export async function insertContent(
  work: WriteWork,
  { size, crc, sha256 }: ContentSums,
  releasedAt: Date | null,
): Promise<number> {
  const released_at = releasedAt && instant.toColumn(releasedAt);
  const row = { size, crc, sha256, created_at: instant.toColumn(work.now), released_at };
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
export async function getContent(work: WriteWork, id: number): Promise<ContentSums> {
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
    select company_id, ${typed('integer', to)}, sequence, bytes from content_chunks
    where company_id = ${companyId} and content_id = ${from} and sequence = ${sequence}`.execute(db);
  return Number(numAffectedRows ?? 0) === 1;
}

export async function markReleased(work: WriteWork, ids: readonly number[]): Promise<void> {
  await contents.update(work, { id: ids }, { released_at: instant.toColumn(work.now) });
}

/** Takes back a release at a given time; false if the content was not released then. */
export async function unrelease(work: WriteWork, id: number, at: Date): Promise<boolean> {
  const match = { id, released_at: instant.toColumn(at) };
  return (await contents.update(work, match, { released_at: null })).length === 1;
}

/**
 * The content that was released first, before `before`; but none that a stored idempotent response refers to.
 * Its id and its company's.
 */
export async function findReleased(
  work: SystemReadWork,
  before: Date,
): Promise<{ readonly id: number; readonly companyId: number } | undefined> {
  const { db } = specialSql(work);
  const { rows } = await sql<{ id: number; companyId: number }>`
    select c.id, c.company_id as "companyId" from contents as c where c.released_at < ${instant.toColumn(before)}
      and not exists (select 1 from idempotency_keys as k
        where k.company_id = c.company_id and k.content_id = c.id)
    order by c.released_at limit 1`.execute(db);
  return rows[0];
}

/** Deletes the last `limit` chunks of a released content; returns how many there were. */
export async function deleteLastChunks(
  work: SystemWriteWork,
  companyId: number,
  id: number,
  limit: number,
): Promise<number> {
  const { db } = specialSql(work);
  const last = db
    .selectFrom('content_chunks')
    .select('sequence')
    .where('company_id', '=', companyId)
    .where('content_id', '=', id)
    .orderBy('sequence', 'desc')
    .limit(limit);
  const deleted = await db
    .deleteFrom('content_chunks')
    .where('company_id', '=', companyId)
    .where('content_id', '=', id)
    .where('sequence', 'in', last)
    .where((of) =>
      of.exists(
        of
          .selectFrom('contents')
          .select('id')
          .where('company_id', '=', companyId)
          .where('id', '=', id)
          .where('released_at', 'is not', null),
      ),
    )
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/** Deletes a content without chunks, unless it has an owner. */
export async function deleteReleased(work: SystemWriteWork, companyId: number, id: number): Promise<void> {
  const { db } = specialSql(work);
  await db
    .deleteFrom('contents')
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('released_at', 'is not', null)
    .execute();
}
