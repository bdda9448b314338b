import { sql } from 'kysely';

import { CompanyRows, inCompany, only } from '../../database/company/company-rows.js';
import { specialSql } from '../../database/special-sql.js';
import { amongIds, instant } from '../../database/storage.js';
import type { ReadWork, SystemReadWork, SystemWriteWork, WriteWork } from '../../database/work.js';
import type { ContentSums } from '../../platform/encoding/content-builder.js';

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
    select company_id, ${to}, sequence, bytes from content_chunks
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

/** At most `limit` contents that were released before `before`, and that no stored idempotent response refers to. */
export async function findReleased(
  work: SystemReadWork,
  before: Date,
  limit: number,
): Promise<readonly number[]> {
  const { db } = specialSql(work);
  const { rows } = await sql<{ id: number }>`select id from contents
    where released_at < ${instant.toColumn(before)}
      and id not in (select content_id from idempotency_keys where content_id is not null)
    order by released_at limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Chunks that one unit deletes: others do not wait long for it. */
const CHUNKS_DELETED = 24;

/** Deletes released contents, or some of their chunks; returns whether more is left of them. */
export async function deleteContents(work: SystemWriteWork, ids: readonly number[]): Promise<boolean> {
  const { db } = specialSql(work);
  const released = sql`contents.id in ${amongIds(ids)} and released_at is not null`;
  const deleted = await sql`delete from content_chunks where rowid in (
    select content_chunks.rowid from contents cross join content_chunks
      on content_chunks.company_id = contents.company_id and content_id = contents.id
    where ${released} limit ${CHUNKS_DELETED})`.execute(db);
  if (Number(deleted.numAffectedRows ?? 0) === CHUNKS_DELETED) return true;
  await sql`delete from contents where ${released}`.execute(db);
  return false;
}
