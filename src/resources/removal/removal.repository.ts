import { CompanyRows } from '../../database/company/company-rows.js';
import { lastDrawn } from '../../database/company/ids.js';
import { specialSql } from '../../database/company/special-sql.js';
import { json } from '../../database/storage.js';
import type { Row } from '../../database/tables/tables.js';
import type { ReadWork, SystemReadWork, WriteWork } from '../../database/work.js';
import type { Caller } from '../../platform/caller.js';
import type { Removal, Removed } from './removal.model.js';

const rows = new CompanyRows('removals');
const caller = json<Caller>();

function removalOf(row: Row<'removals'>): Removal {
  return {
    id: row.id,
    groupId: row.group_id,
    logicalNumberId: row.logical_number_id,
    appVersionId: row.app_version_id,
    appId: row.app_id,
    change: row.change,
    position: row.position,
    caller: caller.fromColumn(row.caller),
  };
}

/** The highest id that a removal of the company ever had; 0 if there was none. */
export async function selectLastRemovalId(work: ReadWork): Promise<number> {
  const { db, companyId } = specialSql(work);
  return await lastDrawn(db, companyId, 'removals');
}

export async function insertRemovals(
  work: WriteWork,
  removed: readonly Removed[],
  change: number,
): Promise<void> {
  const common = { change, position: 0, caller: caller.toColumn(work.caller) };
  const none = { groupId: null, logicalNumberId: null, appVersionId: null, appId: null };
  await rows.insert(
    work,
    removed.map((each) => {
      const { groupId, logicalNumberId, appVersionId, appId } = { ...none, ...each };
      return {
        ...{ group_id: groupId ?? null, logical_number_id: logicalNumberId, app_id: appId },
        ...{ app_version_id: appVersionId ?? null, ...common },
      };
    }),
  );
}

/** The first removal of the company after `companyId` that has one. */
export async function findRemovalAfter(
  work: SystemReadWork,
  companyId: number,
): Promise<Removal | undefined> {
  const { db } = specialSql(work);
  const row = await db
    .selectFrom('removals')
    .selectAll()
    .where('company_id', '>', companyId)
    .orderBy('company_id')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row && removalOf(row);
}

export async function findRemoval(work: ReadWork, id: number): Promise<Removal | undefined> {
  const row = await rows.find(work, { id });
  return row && removalOf(row);
}

export async function updatePosition(work: WriteWork, id: number, position: number): Promise<void> {
  await rows.update(work, { id }, { position });
}

export async function deleteRemoval(work: WriteWork, id: number): Promise<void> {
  await rows.delete(work, { id });
}
