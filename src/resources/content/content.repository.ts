import { amongIds, instant } from '../../database/storage.js';
import type { ReadWork, SystemReadWork, SystemWriteWork, WriteWork } from '../../database/work.js';
import type { NewContent } from './content.model.js';

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

export async function findSize(
  work: SystemReadWork,
  companyId: number,
  contentId: number,
): Promise<number | undefined> {
  const row = await work.db
    .selectFrom('contents')
    .select('size')
    .where('company_id', '=', companyId)
    .where('id', '=', contentId)
    .executeTakeFirst();
  return row?.size;
}

export async function selectSums(
  work: ReadWork,
  ids: readonly number[],
): Promise<readonly { readonly id: number; readonly sha256: string }[]> {
  return await work.db
    .selectFrom('contents')
    .select(['id', 'sha256'])
    .where('company_id', '=', work.caller.companyId)
    .where('id', 'in', amongIds(ids))
    .execute();
}

/** The same bytes once more, for another owner; answers the copy's id. */
export async function insertCopy(work: WriteWork, id: number): Promise<number> {
  const { companyId } = work.caller;
  const copy = await work.db
    .insertInto('contents')
    .columns(['company_id', 'size', 'crc', 'sha256', 'created_at'])
    .expression((query) =>
      query
        .selectFrom('contents')
        .select(['company_id', 'size', 'crc', 'sha256'])
        .select((select) => select.val(instant.toColumn(work.now)).as('created_at'))
        .where('company_id', '=', companyId)
        .where('id', '=', id),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  await work.db
    .insertInto('content_chunks')
    .columns(['company_id', 'content_id', 'sequence', 'bytes'])
    .expression((query) =>
      query
        .selectFrom('content_chunks')
        .select('company_id')
        .select((select) => select.val(copy.id).as('content_id'))
        .select(['sequence', 'bytes'])
        .where('company_id', '=', companyId)
        .where('content_id', '=', id),
    )
    .execute();
  return copy.id;
}

export async function markReleased(work: WriteWork, ids: readonly number[]): Promise<void> {
  await work.db
    .updateTable('contents')
    .set({ released_at: instant.toColumn(work.now) })
    .where('company_id', '=', work.caller.companyId)
    .where('id', 'in', amongIds(ids))
    .execute();
}

/**
 * Deletes at most `limit` contents that nobody has owned since `before`, and that no kept answer would show
 * again; says how many.
 */
export async function deleteReleased(work: SystemWriteWork, before: Date, limit: number): Promise<number> {
  const result = await work.db
    .deleteFrom('contents')
    .where('id', 'in', (query) =>
      query
        .selectFrom('contents')
        .select('id')
        .where('released_at', '<', instant.toColumn(before))
        .where('id', 'not in', (kept) =>
          kept
            .selectFrom('idempotency_keys')
            .select((select) => select.ref('content_id').$notNull().as('content_id'))
            .where('content_id', 'is not', null),
        )
        .orderBy('released_at')
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
