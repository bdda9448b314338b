import { setImmediate } from 'node:timers/promises';

import { CompanyRows, inCompany, only, type OfCompany } from '../../../database/company/company-rows.js';
import { instant } from '../../../database/storage.js';
import type { ReadWork, SystemReadWork, Units, WriteWork } from '../../../database/work.js';
import { MINUTE } from '../../../platform/clock.js';
import {
  CHUNK_BYTES,
  type ContentSums,
  type SentContent,
  type StagedContent,
} from '../../../platform/encoding/content.js';
import { DomainError } from '../../../platform/errors.js';
import { type Caller, LOCAL_ORIGIN } from '../../../platform/requests.js';
import type { SpooledContent } from '../../../platform/spool.js';
import { copyChunk, deletePart, findReleased } from './app.repository.js';

/** Longer than a response may take, so that a response can finish streaming a replaced content. */
const RETENTION_MS = 15 * MINUTE;
/** Chunks have up to 768 KiB (decisions.md#content-chunks). */
const CHUNKS_PER_CALL = 8;

const contents = new CompanyRows('contents');
const chunks = new CompanyRows('content_chunks');

/** Stores size and checksums; `releasedAt` is null if a record gets the content in the same unit. */
async function insertContent(work: WriteWork, { size, crc, sha256 }: ContentSums, releasedAt: Date | null) {
  const times = { created_at: instant.toColumn(work.now), released_at: releasedAt };
  return only(await contents.insertReturningIds(work, [{ size, crc, sha256, ...times }]));
}

/** Stores bytes, or gives an owner to the bytes of an upload. Returns their id. Errors: `busy`. */
export async function keepContent(work: WriteWork, content: SentContent): Promise<number> {
  if ('stagedId' in content) return await adopt(work, content);
  const id = await insertContent(work, content, null);
  for (const [sequence, bytes] of content.chunks.entries()) {
    // Lets other requests run between the chunks of a large file.
    if (sequence > 0) await setImmediate();
    await chunks.insert(work, [{ content_id: id, sequence, bytes }]);
  }
  return id;
}

/** Gives uploaded bytes to an owner: the first owner gets these bytes, further owners get copies. */
async function adopt(work: WriteWork, { stagedId, stagedAt, adopted }: StagedContent): Promise<number> {
  const staged = { id: stagedId, released_at: instant.toColumn(stagedAt) };
  if ((await contents.update(work, staged, { released_at: null })).length === 1) {
    work.afterCommit(adopted);
    return stagedId;
  }
  if (await contents.exists(work, { id: stagedId })) return await copyContent(work, stagedId);
  // The clock was set forward, so the bytes were deleted before their retention ended.
  throw new DomainError('busy', 'The upload took too long; send it again.', { retryAfter: 1 });
}

/** Copies a content for another owner, so that each can be released separately. Returns the copy's id. */
export async function copyContent(work: WriteWork, id: number): Promise<number> {
  const copy = await insertContent(work, only(await contents.select(work, { id })), null);
  for (let sequence = 0; await copyChunk(work, id, copy, sequence); sequence += 1) await setImmediate();
  return copy;
}

/** Releases contents whose owner was changed or deleted. They are deleted 15 minutes later. One statement. */
export async function releaseContents(work: WriteWork, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await contents.update(work, { id: ids }, { released_at: instant.toColumn(work.now) });
}

type Read = <T>(use: (work: OfCompany<SystemReadWork>) => Promise<T>) => Promise<T>;

/**
 * The bytes of a content from `start` to before `end`, each chunk read on demand. Throws if a chunk is missing,
 * because the content was deleted while a slow client read it: a truncated response must not look complete.
 */
export async function* readPart(
  read: Read,
  contentId: number,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end;) {
    const sequence = Math.floor(at / CHUNK_BYTES);
    const chunk = await read((work) => readChunk(work, contentId, sequence));
    const bytes = chunk?.subarray(at - sequence * CHUNK_BYTES, end - sequence * CHUNK_BYTES);
    if (bytes === undefined || bytes.length === 0) {
      throw new Error(`The content ${contentId} has no bytes in its chunk ${sequence}`);
    }
    yield bytes;
    at += bytes.length;
  }
}

/** All bytes of a content, see `readPart`. */
export async function* readContent(units: Units, companyId: number, contentId: number) {
  const read: Read = (use) => units.systemRead((work) => use(inCompany(work, companyId)));
  const { size } = only(await read((work) => contents.select(work, { id: contentId })));
  yield* readPart(read, contentId, { start: 0, end: size });
}

/** A chunk of a content: `CHUNK_BYTES`, the last one shorter. Undefined if there is none. One statement. */
export async function readChunk(work: OfCompany<SystemReadWork>, contentId: number, sequence: number) {
  return (await chunks.find(work, { content_id: contentId, sequence }))?.bytes;
}

/** SHA-256 by content id, as hexadecimal digits. One statement. */
export async function sumsOfContents(work: ReadWork, of: readonly { readonly id: number }[]) {
  const sums = await contents.select(work, { id: of.map(({ id }) => id) });
  return new Map(sums.map(({ id, sha256 }) => [id, sha256]));
}

/** True if a record has these bytes; null: none. */
export async function hasBytes(
  work: ReadWork,
  { contentId }: { readonly contentId: number | null },
  sent: Pick<SentContent, 'sha256'> | null,
) {
  const sums = await sumsOfContents(work, contentId === null ? [] : [{ id: contentId }]);
  return sums.get(contentId ?? 0) === sent?.sha256;
}

/** Deletes a part of a content released before `before`, or 15 minutes ago. Returns whether more may be left. */
export async function sweepContents(units: Units, before?: Date): Promise<boolean> {
  const released = await units.systemRead((work) =>
    findReleased(work, before ?? new Date(work.now.getTime() - RETENTION_MS)),
  );
  if (released === undefined) return false;
  const { companyId, id } = released;
  await units.systemWrite(
    LOCAL_ORIGIN,
    (work) => deletePart(work, companyId, id, CHUNKS_PER_CALL),
    companyId,
  );
  return true;
}

type StoredBytes = Omit<StagedContent, 'adopted'>;

/**
 * Stores the bytes of an upload before the unit of work of its record begins, each chunk in a transaction of
 * its own, so that other changes come between. Until `keepContent` they count as released, and are deleted
 * like other released contents if that never happens. Errors: `busy`, `storage_full` and the other faults of
 * a storage.
 */
export async function stageContent(units: Units, caller: Caller, { spool, ...sums }: SpooledContent) {
  const write = <T>(use: (work: WriteWork) => Promise<T>): Promise<T> =>
    units.write(caller, async (work) => {
      work.requireRoom();
      return await use(work);
    });
  const staged = await write(async (work) => ({
    ...sums,
    stagedId: await insertContent(work, sums, work.now),
    stagedAt: work.now,
  }));
  try {
    for (let sequence = 0; sequence * CHUNK_BYTES < sums.size; sequence += 1) {
      const bytes = await spool.read(sequence * CHUNK_BYTES, CHUNK_BYTES);
      await write((work) => chunks.insert(work, [{ content_id: staged.stagedId, sequence, bytes }]));
    }
    return staged;
  } catch (error) {
    await discardContent(units, caller, staged);
    throw error;
  }
}

/** Deletes bytes without a record, in short transactions. Never rejects: the rest is deleted later. */
export async function discardContent(units: Units, caller: Caller, { stagedId }: StoredBytes): Promise<void> {
  try {
    let isPartial = true;
    while (isPartial) {
      isPartial = await units.systemWrite(
        caller,
        (work) => {
          work.freesDiskSpace();
          return deletePart(work, caller.companyId, stagedId, CHUNKS_PER_CALL);
        },
        caller.companyId,
      );
    }
  } catch {
    // The storage failed or is closed: housekeeping deletes the rest.
  }
}
