import type { WriteWork } from '../../../database/work.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { MAX_DELETED_TOGETHER, tooManyRecords } from '../../../platform/limits/many-records.js';
import { logicalNumberHeads } from './logical-number.records.service.js';
import { logicalNumberTable, withVersions } from './logical-number.repository.js';
import {
  countLinksOfVersions,
  deleteLinks,
  selectLinksOfVersions,
  type VersionLink,
} from './version-links.repository.js';

/** Links that one statement deletes, except for a number that alone has more. */
const LINKS_PER_PART = 250;

/**
 * Removes app versions from the logical numbers of the given groups, or of all groups (undefined), when
 * versions are detached from groups or deleted (contract 21). The revision of each changed number grows by
 * one. To be called before anything else is changed. Errors: `too_many_records`.
 */
export async function dropVersionLinks(
  work: WriteWork,
  appVersionIds: readonly number[],
  groupIds?: readonly number[],
): Promise<void> {
  if (appVersionIds.length === 0 || groupIds?.length === 0) return;
  const links = await selectLinksOfVersions(work, appVersionIds, groupIds, MAX_DELETED_TOGETHER + 1);
  if (links.length > MAX_DELETED_TOGETHER) {
    const total = await countLinksOfVersions(work, appVersionIds, groupIds);
    throw tooManyRecords(
      'The change',
      `${total} links of logical numbers with app versions to delete`,
      MAX_DELETED_TOGETHER,
      'first remove the versions from the logical numbers in parts (appVersionGrant with the mode REMOVE and a filter, or PUT /v1/logical_numbers)',
    );
  }
  const gone = new Set(appVersionIds);
  for (const [index, part] of partsOf(links).entries()) {
    if (index > 0) await yieldToEventLoop();
    const ids = [...new Set(part.map(({ logicalNumberId }) => logicalNumberId))];
    const before = await withVersions(work, await logicalNumberTable.select(work, { id: ids }));
    await deleteLinks(work, part);
    await logicalNumberHeads.updateAll(work, before, {}, ({ appVersionIds: had }) => ({
      appVersionIds: had.filter((id) => !gone.has(id)),
    }));
  }
}

/** The links in parts, so that all links of a logical number are in one part. */
function partsOf(links: readonly VersionLink[]): readonly (readonly VersionLink[])[] {
  const parts: VersionLink[][] = [];
  for (const own of Map.groupBy(links, (link) => link.logicalNumberId).values()) {
    const last = parts.at(-1);
    if (last === undefined || last.length + own.length > LINKS_PER_PART) parts.push(own);
    else last.push(...own);
  }
  return parts;
}
