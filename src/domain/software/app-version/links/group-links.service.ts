import type { ReadWork, WriteWork } from '../../../../database/work.js';
import { invalid } from '../../../../platform/errors.js';
import { parse } from '../../../../platform/validate.js';
import type { Group } from '../../../fleet/group/group.model.js';
import { dropVersionLinks } from '../../../fleet/logical-number/version-links.service.js';
import { AppVersionLinks, type AssociatedVersion } from '../app-version.model.js';
import { appVersionTable } from '../app-version.repository.js';
import { deleteAssociations, insertAssociations, withAssociations } from './association.repository.js';
import { recordAssociations } from './association.service.js';

/**
 * Attaches app versions to a group; attached ones do not change. A constant number of statements. Errors:
 * `invalid`.
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
 * Detaches app versions from a group and from its logical numbers (contract 21). Versions that are not
 * attached are ignored. Errors: `invalid`, `too_many_records`.
 */
export async function detachFromGroup(work: WriteWork, group: Group, input: unknown): Promise<void> {
  const versions = (await versionsIn(work, input)).filter((version) => version.groupIds.includes(group.id));
  if (versions.length === 0) return;
  await dropVersionLinks(work, idsOf(versions), [group.id]);
  await deleteAssociations(work, 'groupIds', idsOf(versions), [group.id]);
  await recordAssociations(work, versions, 'groupIds', (had) => had.filter((id) => id !== group.id));
}

const idsOf = (versions: readonly AssociatedVersion[]): readonly number[] => versions.map(({ id }) => id);

async function versionsIn(work: ReadWork, input: unknown): Promise<readonly AssociatedVersion[]> {
  const { appVersionIds } = parse(AppVersionLinks, input);
  const versions = await appVersionTable.select(work, { id: appVersionIds });
  if (versions.length < appVersionIds.length) {
    throw invalid('appVersionIds', 'must hold ids of app versions only');
  }
  return await withAssociations(work, versions);
}
