import { setImmediate } from 'node:timers/promises';

import type { ReadWork, SystemWriteWork, Units, WriteWork } from '../../../database/work.js';
import { LOCAL_ORIGIN } from '../../../platform/caller.js';
import { MINUTE } from '../../../platform/clock.js';
import type { StagedContent } from '../../../platform/encoding/content-builder.js';
import { DomainError } from '../../../platform/errors.js';
import type { NewContent } from './content.model.js';
import {
  copyChunk,
  deleteLastChunks,
  deleteReleased,
  findChunk,
  findReleased,
  findSize,
  getContent,
  insertChunk,
  insertContent,
  markReleased,
  selectSums,
  unrelease,
} from './content.repository.js';

/** Longer than a response may take, so that a response can finish streaming a replaced content. */
const RETENTION_MS = 15 * MINUTE;
/** Chunks have up to 768 KiB (decisions.md#content-chunks). */
const CHUNKS_PER_CALL = 8;

/** Stores bytes, or gives an owner to the bytes of an upload. Returns their id. Errors: `busy`. */
export async function keepContent(work: WriteWork, content: NewContent): Promise<number> {
  if ('stagedId' in content) return await adopt(work, content);
  const id = await insertContent(work, content, null);
  for (const [sequence, bytes] of content.chunks.entries()) {
    // Lets other requests run between the chunks of a large file.
    if (sequence > 0) await setImmediate();
    await insertChunk(work, id, sequence, bytes);
  }
  return id;
}

/** Gives uploaded bytes to an owner: the first owner gets these bytes, further owners get copies. */
async function adopt(work: WriteWork, { stagedId, stagedAt, adopted }: StagedContent): Promise<number> {
  if (await unrelease(work, stagedId, stagedAt)) {
    work.afterCommit(adopted);
    return stagedId;
  }
  if ((await selectSums(work, [stagedId])).length > 0) return await copyContent(work, stagedId);
  // The clock was set forward, so the bytes were deleted before their retention ended.
  throw new DomainError('busy', 'The upload took too long; send it again.', { retryAfter: 1 });
}

/** Copies a content for another owner, so that each can be released separately. Returns the copy's id. */
export async function copyContent(work: WriteWork, id: number): Promise<number> {
  const copy = await insertContent(work, await getContent(work, id), null);
  for (let sequence = 0; await copyChunk(work, id, copy, sequence); sequence += 1) await setImmediate();
  return copy;
}

/** Releases contents whose owner was changed or deleted. They are deleted 15 minutes later. One statement. */
export async function releaseContents(work: WriteWork, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await markReleased(work, ids);
}

/**
 * The chunks of a content, each read on demand. Throws at the end if some are missing, because the content
 * was deleted while a slow client read it: a truncated response must not look complete.
 */
export async function* readContent(
  units: Units,
  companyId: number,
  contentId: number,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for (let sequence = 0; ; sequence += 1) {
    const bytes = await units.systemRead((work) => findChunk(work, companyId, contentId, sequence));
    if (bytes === undefined) break;
    read += bytes.length;
    yield bytes;
  }
  const size = (await units.systemRead((work) => findSize(work, companyId, contentId))) ?? 'none';
  if (read !== size)
    throw new Error(`Content ${contentId} has ${size} bytes, but only ${read} could be read`);
}

/** A chunk of a content: `CHUNK_BYTES`, the last one shorter. Undefined if there is none. One statement. */
export async function readChunk(
  work: ReadWork,
  contentId: number,
  sequence: number,
): Promise<Uint8Array | undefined> {
  return await findChunk(work, work.caller.companyId, contentId, sequence);
}

/** SHA-256 by content id, as hexadecimal digits. One statement. */
export async function sumsOfContents(
  work: ReadWork,
  contents: readonly { readonly id: number }[],
): Promise<ReadonlyMap<number, string>> {
  const sums = await selectSums(
    work,
    contents.map(({ id }) => id),
  );
  return new Map(sums.map(({ id, sha256 }) => [id, sha256]));
}

/** Deletes a content released over 15 minutes ago, or part of it. Returns whether there may be more. */
export async function sweepContents(units: Units): Promise<boolean> {
  return await sweep(units, (now) => new Date(now.getTime() - RETENTION_MS));
}

/** Like `sweepContents`, for contents released before this process began: no response or upload uses them. */
export async function sweepReleasedBefore(units: Units, before: Date): Promise<boolean> {
  return await sweep(units, () => before);
}

async function sweep(units: Units, limit: (now: Date) => Date): Promise<boolean> {
  const released = await units.systemRead((work) => findReleased(work, limit(work.now)));
  if (released === undefined) return false;
  const { companyId, id } = released;
  await units.systemWrite(LOCAL_ORIGIN, (work) => deletePart(work, companyId, id), companyId);
  return true;
}

/** Deletes a released content, or a part of a large one. Returns whether a part of it is left. */
export async function deletePart(work: SystemWriteWork, companyId: number, id: number): Promise<boolean> {
  if ((await deleteLastChunks(work, companyId, id, CHUNKS_PER_CALL)) === CHUNKS_PER_CALL) return true;
  await deleteReleased(work, companyId, id);
  return false;
}
