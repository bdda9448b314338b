import type { ReadWork } from '../../../database/work.js';
import type { Device } from '../../fleet/device/device.model.js';
import { findDevicesBySerialNumbers } from '../../fleet/device/device.service.js';
import type { App } from '../../software/app/app.model.js';
import { findAppsByNames } from '../../software/app/app.service.js';
import type { Transaction } from './transaction.model.js';

/** Devices that have the serial numbers of transactions now, by transaction id; absent if there is none. */
export async function devicesOf(
  work: ReadWork,
  transactions: readonly Transaction[],
): Promise<ReadonlyMap<number, Device>> {
  return matched(transactions, 'serialNumber', (names) => findDevicesBySerialNumbers(work, names));
}

/** Apps that have the app names of transactions now, by transaction id; absent if there is none. */
export async function appsOf(
  work: ReadWork,
  transactions: readonly Transaction[],
): Promise<ReadonlyMap<number, App>> {
  return matched(transactions, 'appName', (names) => findAppsByNames(work, names));
}

async function matched<T>(
  transactions: readonly Transaction[],
  field: 'serialNumber' | 'appName',
  find: (names: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): Promise<ReadonlyMap<number, T>> {
  const found = await find([...new Set(transactions.map((transaction) => transaction[field]))]);
  return new Map(
    transactions.flatMap((transaction): [number, T][] => {
      const match = found.get(transaction[field]);
      return match === undefined ? [] : [[transaction.id, match]];
    }),
  );
}
