import type { ReadWork } from '../../database/work.js';
import type { DeviceCount, DeviceTotals } from './device.model.js';
import { countByFrameworkVersion, countByModel, selectTotals } from './device.summary.repository.js';

/** Limit of rows: terminals report arbitrary values. */
export const MAX_VALUES = 100;

export async function totalDevices(work: ReadWork): Promise<DeviceTotals> {
  return await selectTotals(work);
}

/** Most devices first. */
export async function devicesByModel(work: ReadWork): Promise<readonly DeviceCount[]> {
  return await countByModel(work, MAX_VALUES);
}

/** Most devices first. */
export async function devicesByFrameworkVersion(work: ReadWork): Promise<readonly DeviceCount[]> {
  return await countByFrameworkVersion(work, MAX_VALUES);
}
