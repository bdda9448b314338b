import { CompanyRows } from '../../../database/company/company-rows.js';
import { CompanyTable } from '../../../database/company/company-table.js';
import { Records } from '../../../database/company/records.js';
import { auditedList } from '../../../database/list/list.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { DomainError } from '../../../platform/errors.js';
import { changed, newValues, parse } from '../../../platform/validate.js';
import { type Group, GroupCreate, GroupUpdate } from './group.model.js';

const groupTable = new CompanyTable<'groups', Group>('groups');

export const groups = auditedList(groupTable, {
  name: 'Group',
  orders: { NAME: 'name' },
  filters: { name: { column: 'name', kind: 'text', isUnique: true } },
});

export const groupsOfAppVersion = groups.of({ link: 'app_version_groups', parent: 'app_version_id' });

const numbers = new CompanyRows('logical_numbers');
const versionLinks = new CompanyRows('app_version_groups');

export const groupRecords = new Records(groupTable, { field: 'name' });

export const {
  get: getGroup,
  getByName: getGroupByName,
  findByNames: findGroupsByNames,
  list: listGroups,
  refuseUnknown: refuseUnknownGroup,
} = groupRecords;

/** Errors: `invalid`, `taken`. */
export async function createGroup(work: WriteWork, input: unknown): Promise<Group> {
  return await groupRecords.create(work, newValues(GroupCreate, input, {}));
}

/** Errors: `invalid`, `taken`. */
export async function updateGroup(work: WriteWork, current: Group, input: unknown): Promise<Group> {
  return await groupRecords.change(work, current, changed(current, parse(GroupUpdate, input)));
}

/** Removals of what belongs to a deleted group, added by `app/wings.ts`. Errors: `too_many_records`. */
export const groupRemovals: ((work: WriteWork, group: Group) => Promise<void>)[] = [];

/** Deletes what belongs to it too. Errors: `group_not_empty` (contract 19), `too_many_records`. */
export async function deleteGroup(work: WriteWork, group: Group): Promise<void> {
  if (await isGroupInUse(work, group.id)) {
    throw new DomainError('group_not_empty', 'The group still has logical numbers or app versions.');
  }
  for (const remove of groupRemovals) await remove(work, group);
  await groupRecords.delete(work, group);
}

export async function isGroupInUse(work: ReadWork, id: number): Promise<boolean> {
  const match = { group_id: id };
  return (await numbers.exists(work, match)) || (await versionLinks.exists(work, match));
}
