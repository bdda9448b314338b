import type { List } from '../../../database/list/list.js';
import type { EntityTypeName, ReadWork } from '../../../database/work.js';
import { invalidRecord } from '../../../platform/errors.js';
import { type Ids, normalized } from '../../../platform/validate.js';
import { deletedRows } from '../../base/ledger/retention.service.js';
import type { Device } from '../../fleet/device/device.model.js';
import { devices, findDevicesBySerialNumbers } from '../../fleet/device/device.service.js';
import { groups } from '../../fleet/group/group.service.js';
import type { LogicalNumber } from '../../fleet/logical-number/logical-number.model.js';
import { logicalNumbers, withVersions } from '../../fleet/logical-number/logical-number.service.js';
import { effectiveParameters, parametersOf } from '../../fleet/setting/parameter.service.js';
import type { Parameter } from '../../fleet/setting/setting.model.js';
import { appVersions } from '../app/app-version.service.js';
import { apps } from '../app/app.service.js';
import { selectAround, selectChangesOf, selectDeletedAfter, selectPosition } from './device-at.repository.js';

export type DeviceAt = NonNullable<Awaited<ReturnType<typeof findDeviceAt>>>;

/**
 * The device that had a serial number at a time, rebuilt from the ledger; null if there was none. Changes are sequences of
 * the ledger, null if retention has deleted the entry. At most 18 statements. Errors: `invalid` for a time whose entries
 * retention has deleted.
 */
export async function findDeviceAt(work: ReadWork, serial: string, at: Date) {
  const serialNumber = normalized(serial);
  const position = await positionAt(work, at);
  const present = (await findDevicesBySerialNumbers(work, [serialNumber])).get(serialNumber);
  // A serial number never changes. Of the devices that had it since, the first one to be deleted is the earliest.
  const [deleted] = await selectDeletedAfter(work, 'device', { serialNumber: [serialNumber] }, position);
  const id = deleted ?? present?.id ?? 0;
  const device = (await statesAt(work, 'device', [id], position, devices)).get(id)?.state;
  if (device === undefined) return null;
  const { enabled, meta, frameworkVersion, logicalNumberId } = device;
  const fields = ['enabled', 'logicalNumberId'] as const;
  const changes = await selectChangesOf<Device>(work, ['device', id], fields, position);
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
    ...(await numberAt(work, logicalNumberId ?? 0, position)),
  };
}

/** Sequence of the last change until a time; 0 if there was none. Errors: `invalid` for a time before retention. */
async function positionAt(work: ReadWork, at: Date): Promise<number> {
  const { upTo, newestAt } = (await deletedRows(work)).ledger;
  if (newestAt !== null && at < newestAt) {
    throw invalidRecord(
      'The ledger is kept from {at} on: retention has deleted earlier entries. Ask for a later time.',
      { at: newestAt.toISOString() },
    );
  }
  return (await selectPosition(work, at)) ?? upTo;
}

/**
 * Records as they were at a position of the ledger, and the sequence of the last change until then, by id; absent if they
 * did not exist. Each is the record before its next change, or else the present one of `list`. Instants in it may be
 * texts. One statement besides those of `list`.
 */
async function statesAt<T extends { readonly id: number }>(
  work: ReadWork,
  type: EntityTypeName,
  ids: Ids,
  position: number,
  list: Pick<List<T>, 'byIds'>,
) {
  const found = ids.length === 0 ? [] : await selectAround(work, type, ids, position);
  const unchanged = found.filter(({ next }) => next === null).map(({ id }) => id);
  const current = unchanged.length === 0 ? new Map<number, T>() : await list.byIds(work, unchanged);
  const states = new Map<number, { readonly state: T; readonly last: number | null }>();
  for (const { id, last, next, before } of found) {
    const state = next === null ? current.get(id) : (JSON.parse(before ?? 'null') as T | null);
    if (state) states.set(id, { state, last });
  }
  return states;
}

/** Software and settings that the terminals of a logical number had at a position of the ledger. No number has the id 0. */
async function numberAt(work: ReadWork, id: number, position: number) {
  const numbers = await statesAt(work, 'logical_number', id === 0 ? [] : [id], position, numbersWithVersions);
  const number = numbers.get(id)?.state;
  if (number === undefined) {
    return { logicalNumber: null, group: null, groupChange: null, appVersions: [], parameters: [] };
  }
  const { groupId, appVersionIds } = number;
  const groupIds = groupId === null ? [] : [groupId];
  const group = await statesAt(work, 'group', groupIds, position, groups);
  const fields = ['groupId', 'appVersionIds'] as const;
  const changes = await selectChangesOf<LogicalNumber>(work, ['logical_number', id], fields, position);
  const versions = await versionsAt(work, appVersionIds, position);
  return {
    logicalNumber: number.number,
    group: group.get(groupId ?? 0)?.state.name ?? null,
    groupChange: changes.find(({ before, after }) => before.groupId !== after.groupId)?.sequence ?? null,
    appVersions: versions.map((version) => {
      const hasIt = (ids: Ids = []): boolean => ids.includes(version.appVersionId);
      const grant = changes.find(
        ({ before, after }) => hasIt(after.appVersionIds) && !hasIt(before.appVersionIds),
      );
      return { ...version, change: grant?.sequence ?? null };
    }),
    parameters: await parametersAt(work, id, groupIds, position),
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

/** The parameters of the terminals of a logical number, ordered by key. */
async function parametersAt(work: ReadWork, id: number, groupIds: Ids, position: number) {
  const owners = { logicalNumberId: [id], groupId: groupIds };
  const deleted = await selectDeletedAfter(work, 'parameter', owners, position);
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
