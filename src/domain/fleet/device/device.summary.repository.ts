import { sql, type RawBuilder } from 'kysely';

import { specialSql } from '../../../database/company/special-sql.js';
import { flag, json, jsonText, textOf } from '../../../database/storage.js';
import type { ReadWork } from '../../../database/work.js';
import type { DeviceCount, DeviceMeta, DeviceTotals } from './device.model.js';

/** `meta` of a device that has not reported yet. */
const NO_META = json<DeviceMeta>().toColumn({});

/** Limit of rows: terminals report arbitrary values. */
export const MAX_VALUES = 100;

/** One statement. */
export async function totalDevices(work: ReadWork): Promise<DeviceTotals> {
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
        own.where('framework_version', 'is', null).where(textOf('meta'), '=', NO_META).as('never_seen'),
      ];
    })
    .executeTakeFirstOrThrow();
  const total = row.total ?? 0;
  const enabled = row.enabled ?? 0;
  return { total, enabled, disabled: total - enabled, neverSeen: row.never_seen ?? 0 };
}

/** Number of devices by framework version, the largest number first. */
export async function devicesByFrameworkVersion(work: ReadWork): Promise<DeviceCount[]> {
  return await countBy(work, sql.ref<string | null>('framework_version'));
}

/** Number of devices by model, the largest number first. */
export async function devicesByModel(work: ReadWork): Promise<DeviceCount[]> {
  return await countBy(work, jsonText('meta', 'model'));
}

async function countBy(work: ReadWork, value: RawBuilder<string | null>): Promise<DeviceCount[]> {
  const { db, companyId } = specialSql(work);
  return await db
    .selectFrom('devices')
    .where('company_id', '=', companyId)
    .select((query) => [value.as('value'), query.fn.countAll<number>().as('count')])
    .groupBy(value)
    .orderBy('count', 'desc')
    .orderBy('value', (order) => order.asc().nullsFirst())
    .limit(MAX_VALUES)
    .execute();
}
