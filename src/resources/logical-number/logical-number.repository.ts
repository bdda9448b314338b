import { auditOf, changedBy, changedTogether, createdBy } from '../../database/audit.js';
import { listOf } from '../../database/list/list.js';
import { amongIds, amongTexts } from '../../database/storage.js';
import type { Row } from '../../database/tables.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { offsetOf, type PageRequest } from '../../platform/page.js';
import type { LogicalNumber, LogicalNumberHead, LogicalNumberRef } from './logical-number.model.js';

export interface LogicalNumberValues {
  readonly number: string;
  readonly groupId: number | null;
}

function headOf(row: Row<'logical_numbers'>): LogicalNumberHead {
  return { id: row.id, number: row.number, groupId: row.group_id, ...auditOf(row) };
}

function logicalNumberOf(row: Row<'logical_numbers'>, appVersionIds: readonly number[]): LogicalNumber {
  return { ...headOf(row), appVersionIds };
}

export const logicalNumbers = listOf<'logical_numbers', LogicalNumberHead>({
  name: 'LogicalNumber',
  table: 'logical_numbers',
  id: 'id',
  orders: { ID: 'id', NUMBER: 'number', CREATED_AT: 'created_at', UPDATED_AT: 'updated_at' },
  filters: {
    id: { column: 'id', kind: 'id' },
    number: { column: 'number', kind: 'text' },
    groupId: { column: 'group_id', kind: 'id' },
    createdAt: { column: 'created_at', kind: 'instant' },
    updatedAt: { column: 'updated_at', kind: 'instant' },
  },
  recordOf: headOf,
});

export const logicalNumbersOfGroup = logicalNumbers.of({ column: 'group_id' });
export const logicalNumbersOfAppVersion = logicalNumbers.of({
  link: 'logical_number_app_versions',
  parent: 'app_version_id',
  child: 'logical_number_id',
});

const ownLogicalNumbers = (work: ReadWork) =>
  work.db.selectFrom('logical_numbers').selectAll().where('company_id', '=', work.caller.companyId);

const versionLinks = (work: ReadWork) =>
  work.db.selectFrom('logical_number_app_versions').where('company_id', '=', work.caller.companyId);

/** Rows with the app versions of all of them, read in one statement. */
async function withVersions(
  work: ReadWork,
  rows: readonly Row<'logical_numbers'>[],
): Promise<LogicalNumber[]> {
  if (rows.length === 0) return [];
  const links = await versionLinks(work)
    .select(['logical_number_id', 'app_version_id'])
    .where('logical_number_id', 'in', amongIds(rows.map((row) => row.id)))
    .orderBy('logical_number_id')
    .orderBy('app_version_id')
    .execute();
  const versions = new Map(rows.map((row) => [row.id, [] as number[]]));
  for (const link of links) versions.get(link.logical_number_id)?.push(link.app_version_id);
  return rows.map((row) => logicalNumberOf(row, versions.get(row.id) ?? []));
}

export async function findLogicalNumber(work: ReadWork, id: number): Promise<LogicalNumber | undefined> {
  return (await withVersions(work, await ownLogicalNumbers(work).where('id', '=', id).execute()))[0];
}

export async function findLogicalNumberByNumber(
  work: ReadWork,
  number: string,
): Promise<LogicalNumber | undefined> {
  return (await withVersions(work, await ownLogicalNumbers(work).where('number', '=', number).execute()))[0];
}

export async function selectLogicalNumbers(work: ReadWork, page: PageRequest): Promise<LogicalNumber[]> {
  const rows = await ownLogicalNumbers(work)
    .orderBy('id')
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute();
  return await withVersions(work, rows);
}

export async function selectRefsByNumbers(
  work: ReadWork,
  numbers: readonly string[],
): Promise<LogicalNumberRef[]> {
  return await work.db
    .selectFrom('logical_numbers')
    .select(['id', 'number'])
    .where('company_id', '=', work.caller.companyId)
    .where('number', 'in', amongTexts(numbers))
    .orderBy('id')
    .execute();
}

export async function insertLogicalNumber(
  work: WriteWork,
  { number, groupId }: LogicalNumberValues,
): Promise<LogicalNumber> {
  const row = await work.db
    .insertInto('logical_numbers')
    .values({ company_id: work.caller.companyId, number, group_id: groupId, ...createdBy(work) })
    .returningAll()
    .executeTakeFirstOrThrow();
  return logicalNumberOf(row, []);
}

export async function updateLogicalNumberRow(
  work: WriteWork,
  current: LogicalNumber,
  { number, groupId }: LogicalNumberValues,
): Promise<LogicalNumber> {
  const row = await work.db
    .updateTable('logical_numbers')
    .set({ number, group_id: groupId, ...changedBy(work, current) })
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', current.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return logicalNumberOf(row, current.appVersionIds);
}

/** Its links to app versions and its deliveries go with the row. */
export async function deleteLogicalNumberRow(work: WriteWork, id: number): Promise<void> {
  await work.db
    .deleteFrom('logical_numbers')
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', id)
    .execute();
}

export async function insertVersionLinks(
  work: WriteWork,
  logicalNumberId: number,
  appVersionIds: readonly number[],
): Promise<void> {
  const { companyId } = work.caller;
  await work.db
    .insertInto('logical_number_app_versions')
    .values(
      appVersionIds.map((id) => ({
        company_id: companyId,
        logical_number_id: logicalNumberId,
        app_version_id: id,
      })),
    )
    .execute();
}

export async function deleteVersionLinks(
  work: WriteWork,
  logicalNumberIds: readonly number[],
  appVersionIds: readonly number[],
): Promise<void> {
  await work.db
    .deleteFrom('logical_number_app_versions')
    .where('company_id', '=', work.caller.companyId)
    .where('logical_number_id', 'in', amongIds(logicalNumberIds))
    .where('app_version_id', 'in', amongIds(appVersionIds))
    .execute();
}

/** Those of the given app versions that are linked to the group. */
export async function selectVersionsLinkedToGroup(
  work: ReadWork,
  groupId: number,
  appVersionIds: readonly number[],
): Promise<number[]> {
  const rows = await work.db
    .selectFrom('app_version_groups')
    .select('app_version_id')
    .where('company_id', '=', work.caller.companyId)
    .where('group_id', '=', groupId)
    .where('app_version_id', 'in', amongIds(appVersionIds))
    .execute();
  return rows.map((row) => row.app_version_id);
}

/** Logical numbers that have one of the app versions; of all groups where none are named. */
export async function selectHoldersOfVersions(
  work: ReadWork,
  appVersionIds: readonly number[],
  groupIds: readonly number[] | undefined,
): Promise<LogicalNumber[]> {
  const holders = versionLinks(work)
    .select('logical_number_id')
    .where('app_version_id', 'in', amongIds(appVersionIds));
  let query = ownLogicalNumbers(work).where('id', 'in', holders).orderBy('id');
  if (groupIds !== undefined) query = query.where('group_id', 'in', amongIds(groupIds));
  return await withVersions(work, await query.execute());
}

/** Counts one more change on each; answers revision and time by id. */
export async function touchLogicalNumbers(
  work: WriteWork,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Pick<LogicalNumber, 'revision' | 'updatedAt'>>> {
  const rows = await work.db
    .updateTable('logical_numbers')
    .set(changedTogether(work))
    .where('company_id', '=', work.caller.companyId)
    .where('id', 'in', amongIds(ids))
    .returningAll()
    .execute();
  return new Map(rows.map((row) => [row.id, auditOf(row)]));
}
