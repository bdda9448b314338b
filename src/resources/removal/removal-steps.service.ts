import type { SystemReadWork, Units, WriteWork } from '../../database/work.js';
import { finishApp } from '../app/app.removal.service.js';
import { finishAppVersion } from '../app-version/app-version.removal.service.js';
import { finishGroup } from '../group/group.removal.service.js';
import { finishLogicalNumber } from '../logical-number/logical-number.removal.service.js';
import { dropRemovedLinks } from '../logical-number/version-links.service.js';
import type { Removal } from './removal.model.js';
import { deleteRemoval, findRemoval, findRemovalAfter, updatePosition } from './removal.repository.js';

/**
 * Takes one step of a removal, in one short transaction: of the company after `companyId`, or of the first
 * one. Returns the company's id; null if nothing is left to be removed.
 */
export async function takeRemovalStep(units: Units, companyId: number): Promise<number | null> {
  const next = await units.systemRead((work) => nextAfter(work, companyId));
  if (next === undefined) return null;
  await units.write(next.caller, async (work) => {
    const removal = await findRemoval(work, next.id);
    if (removal !== undefined) await step(work, removal);
  });
  return next.caller.companyId;
}

async function nextAfter(work: SystemReadWork, companyId: number): Promise<Removal | undefined> {
  return (await findRemovalAfter(work, companyId)) ?? (await findRemovalAfter(work, 0));
}

async function step(work: WriteWork, removal: Removal): Promise<void> {
  const { groupId, logicalNumberId, appVersionId, appId } = removal;
  if (appVersionId !== null) {
    const position = await dropRemovedLinks(work, { ...removal, appVersionId });
    if (position !== null) await updatePosition(work, removal.id, position);
    else {
      await deleteRemoval(work, removal.id);
      if (groupId === null) await finishAppVersion(work, appVersionId);
    }
  } else if (groupId !== null) {
    await finishGroup(work, groupId);
  } else if (logicalNumberId !== null) {
    await finishLogicalNumber(work, logicalNumberId);
  } else if (appId !== null) {
    await finishApp(work, appId);
  }
}
