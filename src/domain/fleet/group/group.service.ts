import { Records } from '../../../database/company/records.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { changed, newValues } from '../../../platform/changes/changes.js';
import { normalized } from '../../../platform/encoding/text.js';
import { DomainError } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import { type Group, GroupCreate, GroupUpdate } from './group.model.js';
import { groupTable, isGroupInUse } from './group.repository.js';

export { groups, groupsOfAppVersion } from './group.repository.js';

export const groupRecords = new Records({
  entityType: 'group',
  table: groupTable,
  counter: 'groups',
  unique: {
    field: 'name',
    match: ({ name }) => ({ name }),
    message: 'A group with this name exists already.',
  },
});

export const { get: getGroup, has: hasGroup, list: listGroups } = groupRecords;

export async function getGroupByName(work: ReadWork, name: string): Promise<Group> {
  return await groupRecords.getBy(work, { name: normalized(name) });
}

/** Errors: `invalid`, `taken`. */
export async function createGroup(work: WriteWork, input: unknown): Promise<Group> {
  return await groupRecords.create(work, newValues(GroupCreate, input, {}));
}

/** Errors: `invalid`, `taken`. */
export async function updateGroup(work: WriteWork, current: Group, input: unknown): Promise<Group> {
  return await groupRecords.change(work, current, changed(current, parse(GroupUpdate, input)));
}

/** Removes what belongs to a group that is being deleted. Errors: `too_many_records`. */
type Removal = (work: WriteWork, group: Group) => Promise<void>;

/** Removals by other resources; `app/wings.ts` adds them. */
export const groupRemovals: Removal[] = [];

/** Deletes what belongs to it too. Errors: `group_not_empty` (contract 19), `too_many_records`. */
export async function deleteGroup(work: WriteWork, group: Group): Promise<void> {
  if (await isGroupInUse(work, group.id)) {
    throw new DomainError('group_not_empty', 'The group still has logical numbers or app versions.');
  }
  for (const remove of groupRemovals) await remove(work, group);
  await groupRecords.delete(work, group);
}
