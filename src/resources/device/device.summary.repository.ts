import { specialSql } from '../../database/special-sql.js';
import { flag, json, jsonText } from '../../database/storage.js';
import type { ReadWork } from '../../database/work.js';
import type { DeviceCount, DeviceMeta, DeviceTotals } from './device.model.js';

/** `meta` of a device that has not reported yet. */
const NO_META = json<DeviceMeta>().toColumn({});

function ownDevices(work: ReadWork) {
  const { db, companyId } = specialSql(work);
  return db.selectFrom('devices').where('company_id', '=', companyId);
}

/** One statement. */
export async function selectTotals(work: ReadWork): Promise<DeviceTotals> {
  const { db, companyId } = specialSql(work);
  const row = await db
    .selectNoFrom((query) => {
      const own = query
        .selectFrom('devices')
        .where('company_id', '=', companyId)
        .select((count) => count.fn.countAll<number>().as('total'));
      const counter = query
        .selectFrom('counters')
        .where('company_id', '=', companyId)
        .where('name', '=', 'devices')
        .select('total');
      return [
        counter.as('total'),
        own.where('enabled', '=', flag.toColumn(true)).as('enabled'),
        own.where('framework_version', 'is', null).where('meta', '=', NO_META).as('never_seen'),
      ];
    })
    .executeTakeFirstOrThrow();
  const total = row.total ?? 0;
  const enabled = row.enabled ?? 0;
  return { total, enabled, disabled: total - enabled, neverSeen: row.never_seen ?? 0 };
}

/** Most devices first, at most `limit` values. */
export async function countByFrameworkVersion(work: ReadWork, limit: number): Promise<DeviceCount[]> {
  return await ownDevices(work)
    .select('framework_version as value')
    .select((query) => query.fn.countAll<number>().as('count'))
    .groupBy('framework_version')
    .orderBy('count', 'desc')
    .orderBy('value')
    .limit(limit)
    .execute();
}

/** Most devices first, at most `limit` values. */
export async function countByModel(work: ReadWork, limit: number): Promise<DeviceCount[]> {
  const model = jsonText('meta', 'model');
  return await ownDevices(work)
    .select(model.as('value'))
    .select((query) => query.fn.countAll<number>().as('count'))
    .groupBy(model)
    .orderBy('count', 'desc')
    .orderBy('value')
    .limit(limit)
    .execute();
}
