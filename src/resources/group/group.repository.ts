import { auditOf, changedBy, createdBy } from '../../database/audit.js';
import { listOf } from '../../database/list/list.js';
import type { Row } from '../../database/tables.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { offsetOf, type PageRequest } from '../../platform/page.js';
import type { Group } from './group.model.js';

function groupOf(row: Row<'groups'>): Group {
  return { id: row.id, name: row.name, ...auditOf(row) };
}

export const groups = listOf<'groups', Group>({
  name: 'Group',
  table: 'groups',
  id: 'id',
  orders: { ID: 'id', NAME: 'name', CREATED_AT: 'created_at', UPDATED_AT: 'updated_at' },
  filters: {
    id: { column: 'id', kind: 'id' },
    name: { column: 'name', kind: 'text' },
    createdAt: { column: 'created_at', kind: 'instant' },
    updatedAt: { column: 'updated_at', kind: 'instant' },
  },
  recordOf: groupOf,
});

export const groupsOfAppVersion = groups.of({
  link: 'app_version_groups',
  parent: 'app_version_id',
  child: 'group_id',
});

const ownGroups = (work: ReadWork) =>
  work.db.selectFrom('groups').selectAll().where('company_id', '=', work.caller.companyId);

export async function findGroup(work: ReadWork, id: number): Promise<Group | undefined> {
  const row = await ownGroups(work).where('id', '=', id).executeTakeFirst();
  return row && groupOf(row);
}

export async function findGroupByName(work: ReadWork, name: string): Promise<Group | undefined> {
  const row = await ownGroups(work).where('name', '=', name).executeTakeFirst();
  return row && groupOf(row);
}

export async function selectGroups(work: ReadWork, page: PageRequest): Promise<Group[]> {
  const rows = await ownGroups(work).orderBy('id').limit(page.perPage).offset(offsetOf(page)).execute();
  return rows.map(groupOf);
}

export async function insertGroup(work: WriteWork, values: { name: string }): Promise<Group> {
  const row = await work.db
    .insertInto('groups')
    .values({ company_id: work.caller.companyId, name: values.name, ...createdBy(work) })
    .returningAll()
    .executeTakeFirstOrThrow();
  return groupOf(row);
}

export async function updateGroupRow(
  work: WriteWork,
  current: Group,
  values: { name: string },
): Promise<Group> {
  const row = await work.db
    .updateTable('groups')
    .set({ name: values.name, ...changedBy(work, current) })
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', current.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return groupOf(row);
}

export async function deleteGroupRow(work: WriteWork, id: number): Promise<void> {
  await work.db
    .deleteFrom('groups')
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', id)
    .execute();
}

/** Whether logical numbers or app versions still belong to the group. */
export async function isGroupInUse(work: ReadWork, id: number): Promise<boolean> {
  const { companyId } = work.caller;
  const number = await work.db
    .selectFrom('logical_numbers')
    .select('id')
    .where('company_id', '=', companyId)
    .where('group_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  const version = await work.db
    .selectFrom('app_version_groups')
    .select('app_version_id')
    .where('company_id', '=', companyId)
    .where('group_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return number !== undefined || version !== undefined;
}
