import { auditOf } from '../../database/audit.js';
import { CompanyRows } from '../../database/company/company-rows.js';
import { CompanyTable } from '../../database/company/company-table.js';
import { auditedList } from '../../database/list/audited-list.js';
import { specialSql } from '../../database/special-sql.js';
import { amongIds } from '../../database/storage.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import type { LogicalNumber, LogicalNumberHead } from './logical-number.model.js';

export const logicalNumberTable = new CompanyTable<'logical_numbers', LogicalNumberHead>({
  table: 'logical_numbers',
  recordOf: (row) => ({ id: row.id, number: row.number, groupId: row.group_id, ...auditOf(row) }),
  columnsOf: ({ number, groupId }) => ({ number, group_id: groupId }),
});

export const logicalNumbers = auditedList(logicalNumberTable, {
  name: 'LogicalNumber',
  orders: { NUMBER: 'number' },
  filters: {
    number: { column: 'number', kind: 'text', isUnique: true },
    groupId: { column: 'group_id', kind: 'id', order: 'ID' },
  },
});

export const logicalNumbersOfGroup = logicalNumbers.of({ column: 'group_id' });
export const logicalNumbersOfAppVersion = logicalNumbers.of({
  link: 'logical_number_app_versions',
  parent: 'app_version_id',
  child: 'logical_number_id',
});

const versionLinks = new CompanyRows('logical_number_app_versions');
const groupLinks = new CompanyRows('app_version_groups');

/** Adds the ids of their app versions to logical numbers; one statement. */
export async function withVersions(
  work: ReadWork,
  heads: readonly LogicalNumberHead[],
): Promise<LogicalNumber[]> {
  if (heads.length === 0) return [];
  const match = { logical_number_id: heads.map(({ id }) => id) };
  const links = await versionLinks.select(work, match, { orderBy: ['logical_number_id', 'app_version_id'] });
  const versions = new Map(heads.map(({ id }) => [id, [] as number[]]));
  for (const link of links) versions.get(link.logical_number_id)?.push(link.app_version_id);
  return heads.map((head) => ({ ...head, appVersionIds: versions.get(head.id) ?? [] }));
}

export async function insertVersionLinks(
  work: WriteWork,
  logicalNumberId: number,
  appVersionIds: readonly number[],
): Promise<void> {
  const rows = appVersionIds.map((id) => ({ logical_number_id: logicalNumberId, app_version_id: id }));
  await versionLinks.insert(work, rows);
}

export async function deleteVersionLinks(
  work: WriteWork,
  logicalNumberIds: readonly number[],
  appVersionIds: readonly number[],
): Promise<void> {
  await versionLinks.delete(work, { logical_number_id: logicalNumberIds, app_version_id: appVersionIds });
}

/** Those of the app versions that are linked to the group. */
export async function selectVersionsLinkedToGroup(
  work: ReadWork,
  groupId: number,
  appVersionIds: readonly number[],
): Promise<number[]> {
  const links = await groupLinks.select(work, { group_id: groupId, app_version_id: appVersionIds });
  return links.map((link) => link.app_version_id);
}

/** Logical numbers that have one of the app versions; of the given groups, or of all (undefined). */
export async function selectHoldersOfVersions(
  work: ReadWork,
  appVersionIds: readonly number[],
  groupIds: readonly number[] | undefined,
): Promise<LogicalNumber[]> {
  const { db, companyId } = specialSql(work);
  const holders = db
    .selectFrom('logical_number_app_versions')
    .select('logical_number_id')
    .where('company_id', '=', companyId)
    .where('app_version_id', 'in', amongIds(appVersionIds));
  let query = db
    .selectFrom('logical_numbers')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', 'in', holders)
    .orderBy('id');
  if (groupIds !== undefined) query = query.where('group_id', 'in', amongIds(groupIds));
  return await withVersions(work, (await query.execute()).map(logicalNumberTable.recordOf));
}
