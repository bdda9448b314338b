import { CompanyRows } from '../../../database/company/company-rows.js';
import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import type { ReadWork } from '../../../database/work.js';
import type { Group } from './group.model.js';

export const groupTable = new CompanyTable<'groups', Group>('groups');

export const groups = auditedList(groupTable, {
  name: 'Group',
  orders: { NAME: 'name' },
  filters: { name: { column: 'name', kind: 'text', isUnique: true } },
});

export const groupsOfAppVersion = groups.of({
  link: 'app_version_groups',
  parent: 'app_version_id',
  child: 'group_id',
});

const logicalNumbers = new CompanyRows('logical_numbers');
const appVersionLinks = new CompanyRows('app_version_groups');

/** Whether logical numbers or app versions still belong to the group. */
export async function isGroupInUse(work: ReadWork, id: number): Promise<boolean> {
  const match = { group_id: id };
  return (await logicalNumbers.exists(work, match)) || (await appVersionLinks.exists(work, match));
}
