import { instant } from '../../database/storage.js';
import type { ReadWork, SystemReadWork, SystemWriteWork, WriteWork } from '../../database/work.js';
import type { Content, NewContent } from './content.model.js';

export async function insertContent(work: WriteWork, content: NewContent): Promise<number> {
  const { id } = await work.db
    .insertInto('contents')
    .values({
      company_id: work.caller.companyId,
      size: content.size,
      crc: content.crc,
      sha256: content.sha256,
      created_at: instant.toColumn(work.now),
      released_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function insertChunk(
  work: WriteWork,
  contentId: number,
  sequence: number,
  bytes: Uint8Array,
): Promise<void> {
  await work.db
    .insertInto('content_chunks')
    .values({ company_id: work.caller.companyId, content_id: contentId, sequence, bytes })
    .execute();
}

export async function findContent(work: ReadWork, id: number): Promise<Content | undefined> {
  return await work.db
    .selectFrom('contents')
    .select(['id', 'size', 'crc', 'sha256'])
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function findChunk(
  work: SystemReadWork,
  companyId: number,
  contentId: number,
  sequence: number,
): Promise<Uint8Array | undefined> {
  const row = await work.db
    .selectFrom('content_chunks')
    .select('bytes')
    .where('company_id', '=', companyId)
    .where('content_id', '=', contentId)
    .where('sequence', '=', sequence)
    .executeTakeFirst();
  return row?.bytes;
}

export async function markReleased(work: WriteWork, id: number): Promise<void> {
  await work.db
    .updateTable('contents')
    .set({ released_at: instant.toColumn(work.now) })
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', id)
    .execute();
}

/** Deletes at most `limit` contents that nobody has owned since `before`; says how many. */
export async function deleteReleased(work: SystemWriteWork, before: Date, limit: number): Promise<number> {
  const result = await work.db
    .deleteFrom('contents')
    .where('id', 'in', (query) =>
      query
        .selectFrom('contents')
        .select('id')
        .where('released_at', '<', instant.toColumn(before))
        .orderBy('released_at')
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
