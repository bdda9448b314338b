import type { ReadWork } from '../../../database/work.js';
import { type Ids, normalized } from '../../../platform/validate.js';
import { changesUntil, idsDeletedAfter, positionAt, statesAt } from '../../base/ledger/past.service.js';
import type { Device } from '../../fleet/device/device.model.js';
import { devices, findDevicesBySerialNumbers } from '../../fleet/device/device.service.js';
import { groups } from '../../fleet/group/group.service.js';
import type { LogicalNumber } from '../../fleet/logical-number/logical-number.model.js';
import { logicalNumbers, withVersions } from '../../fleet/logical-number/logical-number.service.js';
import { effectiveParameters, parametersOf } from '../../fleet/setting/parameter.service.js';
import type { Parameter } from '../../fleet/setting/setting.model.js';
import { appVersions } from '../app/app-version.service.js';
import { apps } from '../app/app.service.js';
import type { DeviceAt, OfNumber, ParameterAt, VersionAt } from './device-at.model.js';

/**
 * The device that had a serial number at a time, rebuilt from the ledger; null if there was none. At most 18 statements.
 * Errors: `invalid` for a time whose entries retention has deleted.
 */
export async function findDeviceAt(work: ReadWork, serial: string, at: Date): Promise<DeviceAt | null> {
  const serialNumber = normalized(serial);
  const position = await positionAt(work, at);
  const present = (await findDevicesBySerialNumbers(work, [serialNumber])).get(serialNumber);
  // A serial number never changes. Of the devices that had it since, the first one to be deleted is the earliest.
  const [deleted] = await idsDeletedAfter(work, 'device', { serialNumber: [serialNumber] }, position);
  const id = deleted ?? present?.id ?? 0;
  const device = (await statesAt(work, 'device', [id], position, devices)).get(id)?.state;
  if (device === undefined) return null;
  const { enabled, meta, frameworkVersion, logicalNumberId } = device;
  const fields = ['enabled', 'logicalNumberId'] as const;
  const changes = await changesUntil<Device>(work, ['device', id], fields, position);
  const changeOf = (field: (typeof fields)[number]): number | null =>
    changes.find(({ before, after }) => before[field] !== after[field])?.sequence ?? null;
  return {
    deviceId: id,
    serialNumber,
    enabled,
    meta,
    frameworkVersion,
    enabledChange: changeOf('enabled'),
    logicalNumberChange: changeOf('logicalNumberId'),
    ...(logicalNumberId === null ? WITHOUT_NUMBER : await numberAt(work, logicalNumberId, position)),
  };
}

const WITHOUT_NUMBER: OfNumber = {
  logicalNumber: null,
  group: null,
  groupChange: null,
  appVersions: [],
  parameters: [],
};

/** Software and settings of the terminals of a logical number at a position of the ledger. */
async function numberAt(work: ReadWork, id: number, position: number): Promise<OfNumber> {
  const numbers = await statesAt(work, 'logical_number', [id], position, numbersWithVersions);
  const number = numbers.get(id)?.state;
  if (number === undefined) return WITHOUT_NUMBER;
  const { groupId, appVersionIds } = number;
  const groupIds = groupId === null ? [] : [groupId];
  const group = await statesAt(work, 'group', groupIds, position, groups);
  const fields = ['groupId', 'appVersionIds'] as const;
  const changes = await changesUntil<LogicalNumber>(work, ['logical_number', id], fields, position);
  const versions = await versionsAt(work, appVersionIds, position);
  return {
    logicalNumber: number.number,
    group: group.get(groupId ?? 0)?.state.name ?? null,
    groupChange: changes.find(({ before, after }) => before.groupId !== after.groupId)?.sequence ?? null,
    appVersions: versions.map((version): VersionAt => {
      const hasIt = (ids: Ids = []): boolean => ids.includes(version.appVersionId);
      const grant = changes.find(
        ({ before, after }) => hasIt(after.appVersionIds) && !hasIt(before.appVersionIds),
      );
      return { ...version, change: grant?.sequence ?? null };
    }),
    parameters: await parametersAt(work, { id, groupIds }, position),
  };
}

const numbersWithVersions = {
  byIds: async (work: ReadWork, ids: Ids) => {
    const found = await withVersions(work, [...(await logicalNumbers.byIds(work, ids)).values()]);
    return new Map(found.map((number) => [number.id, number]));
  },
};

/** App versions with the names that they had. */
async function versionsAt(work: ReadWork, ids: Ids, position: number) {
  const versions = await statesAt(work, 'app_version', ids, position, appVersions);
  const appIds = new Set(Array.from(versions.values(), ({ state }) => state.appId));
  const named = await statesAt(work, 'app', [...appIds], position, apps);
  return ids.flatMap((appVersionId) => {
    const version = versions.get(appVersionId)?.state;
    const app = version && named.get(version.appId)?.state;
    return version && app ? [{ appVersionId, app: app.name, number: version.number }] : [];
  });
}

async function parametersAt(
  work: ReadWork,
  { id, groupIds }: { readonly id: number; readonly groupIds: Ids },
  position: number,
): Promise<readonly ParameterAt[]> {
  const owners = { logicalNumberId: [id], groupId: groupIds };
  const deleted = await idsDeletedAfter(work, 'parameter', owners, position);
  const present = new Map((await parametersOf(work, [id], groupIds)).map((each) => [each.id, each]));
  const ids = [...new Set([...present.keys(), ...deleted])];
  const past = await statesAt<Parameter>(work, 'parameter', ids, position, {
    byIds: () => Promise.resolve(present),
  });
  const all = Array.from(past.values(), ({ state, last }) => ({ ...state, change: last }));
  const own = all.filter(({ groupId }) => groupId === null);
  const ofGroup = all.filter(({ groupId }) => groupId !== null);
  const changes = new Map([...ofGroup, ...own].map(({ key, change }) => [key, change]));
  return effectiveParameters(own, ofGroup).map(({ key, value, description, source }) => {
    return { key, value, description, source, change: changes.get(key) ?? null };
  });
}
