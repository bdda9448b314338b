import { setImmediate } from 'node:timers/promises';

import type { ReadWork, SystemWriteWork, Units, WriteWork } from '../../database/work.js';
import { MINUTE } from '../../platform/clock.js';
import type { NewContent } from './content.model.js';
import {
  deleteReleased,
  findChunk,
  findSize,
  insertChunk,
  insertContent,
  insertCopy,
  markReleased,
  selectSums,
} from './content.repository.js';

/** Longer than any answer may take: who reads a content that was replaced meanwhile still reads it whole. */
const KEPT_AFTER_RELEASE_MS = 15 * MINUTE;
const SWEPT_AT_A_TIME = 20;

/** Keeps bytes and answers their id. */
export async function keepContent(work: WriteWork, content: NewContent): Promise<number> {
  const id = await insertContent(work, content);
  for (const [sequence, bytes] of content.chunks.entries()) {
    await insertChunk(work, id, sequence, bytes);
    // A large file must not hold up everybody else's reads.
    await setImmediate();
  }
  return id;
}

/** Keeps the same bytes for another owner, so that each may let go of its own; answers the copy's id. */
export async function copyContent(work: WriteWork, id: number): Promise<number> {
  return await insertCopy(work, id);
}

/** For the owners' last use of them; the bytes go some time later. One statement, however many. */
export async function releaseContents(work: WriteWork, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await markReleased(work, ids);
}

/**
 * The bytes in pieces, each read when the one before was taken. Throws at the end where some are missing: who
 * takes them for longer than they are kept must not take them for the whole.
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
  if (read !== size) throw new Error(`Of content ${contentId}, ${read} bytes of ${size} are there`);
}

/** SHA-256 by content, as hexadecimal digits. One statement, however many. */
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

/** Frees the room of contents that nobody owns any more; true where there may be more of them. */
export async function sweepContents(work: SystemWriteWork): Promise<boolean> {
  const before = new Date(work.now.getTime() - KEPT_AFTER_RELEASE_MS);
  return (await deleteReleased(work, before, SWEPT_AT_A_TIME)) === SWEPT_AT_A_TIME;
}
