import { Records } from '../../../database/company/records.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { changed, newValues } from '../../../platform/changes/changes.js';
import { normalized } from '../../../platform/encoding/text.js';
import { parse } from '../../../platform/validate.js';
import { GroupCreate, GroupUpdate, type Group } from './group.model.js';
import { groupTable } from './group.repository.js';

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
