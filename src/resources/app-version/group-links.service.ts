import type { ReadWork, WriteWork } from '../../database/work.js';
import { invalid } from '../../platform/errors.js';
import { parse } from '../../platform/validate.js';
import type { Group } from '../group/group.model.js';
import { dropVersionLinks } from '../logical-number/version-links.service.js';
import { AppVersionLinks, type AssociatedVersion } from './app-version.model.js';
import { selectVersionsByIds } from './app-version.repository.js';
import { deleteAssociations, insertAssociations, withAssociations } from './association.repository.js';
import { recordAssociations } from './association.service.js';

/**
 * Associates app versions with a group; those that are so already stay as they are. As many statements however
 * many there are. Errors: `invalid`.
 */
export async function attachToGroup(work: WriteWork, group: Group, input: unknown): Promise<void> {
  const versions = (await versionsIn(work, input)).filter((version) => !version.groupIds.includes(group.id));
  if (versions.length === 0) return;
  await insertAssociations(work, 'groupIds', idsOf(versions), [group.id]);
  await recordAssociations(work, versions, 'groupIds', (had) =>
    [...had, group.id].sort((one, other) => one - other),
  );
}

/**
 * Takes app versions from a group and from its logical numbers (contract 21); those that it has not are passed
 * over. As many statements however many there are. Errors: `invalid`.
 */
export async function detachFromGroup(work: WriteWork, group: Group, input: unknown): Promise<void> {
  const versions = (await versionsIn(work, input)).filter((version) => version.groupIds.includes(group.id));
  if (versions.length === 0) return;
  await deleteAssociations(work, 'groupIds', idsOf(versions), [group.id]);
  await dropVersionLinks(work, idsOf(versions), [group.id]);
  await recordAssociations(work, versions, 'groupIds', (had) => had.filter((id) => id !== group.id));
}

const idsOf = (versions: readonly AssociatedVersion[]): readonly number[] => versions.map(({ id }) => id);

async function versionsIn(work: ReadWork, input: unknown): Promise<readonly AssociatedVersion[]> {
  const { appVersionIds } = parse(AppVersionLinks, input);
  const versions = await selectVersionsByIds(work, appVersionIds);
  if (versions.length < appVersionIds.length) {
    throw invalid('appVersionIds', 'must hold ids of app versions only');
  }
  return await withAssociations(work, versions);
}
