import { CompanyRows } from '../../../database/company/company-rows.js';
import { getFrom } from '../../../database/company/records.js';
import type { ReadWork } from '../../../database/work.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import type { Json } from '../../../platform/encoding/json.js';
import { DomainError } from '../../../platform/errors.js';
import type { Ids } from '../../../platform/validate.js';
import { devices, findDevicesBySerialNumbers } from '../../fleet/device/device.service.js';
import type { Group } from '../../fleet/group/group.model.js';
import { findGroupsByNames, groups } from '../../fleet/group/group.service.js';
import type { LogicalNumberHead } from '../../fleet/logical-number/logical-number.model.js';
import {
  logicalNumberHeads,
  logicalNumbers,
  withVersions,
} from '../../fleet/logical-number/logical-number.service.js';
import { parameters } from '../../fleet/setting/parameter.service.js';
import type { Metacontent, OwnedRecord, OwnerIds } from '../../fleet/setting/setting.model.js';
import { metacontents } from '../../fleet/setting/setting.service.js';
import { appVersions, versionsOfApps } from '../app/app-version.service.js';
import { apps, findAppsByNames } from '../app/app.service.js';
import { type FleetDocument, MAX_NAMED, parameterState, type VersionNames } from './plan.model.js';

const groupLinks = new CompanyRows('app_version_groups');
const defaultLinks = new CompanyRows('group_default_versions');
const [parameterRows, metacontentRows] = [new CompanyRows('parameters'), new CompanyRows('metacontents')];

/** The records that a document names, with all that they have, and those that these name. */
export type Fleet = Awaited<ReturnType<typeof loadFleet>>;

type ByOwner<R> = ReadonlyMap<string, ReadonlyMap<string, R>>;

export const ownerKey = ({ groupId, logicalNumberId }: OwnerIds) => `${groupId} ${logicalNumberId}`;
export const versionKey = (app: string, number: string): string => JSON.stringify([app, number]);

const byField = <T, K extends keyof T>(records: Iterable<T>, field: K): Map<T[K], T> =>
  new Map(Array.from(records, (record) => [record[field], record]));

const byOwner = <R extends OwnedRecord>(records: readonly R[]): ByOwner<R> =>
  new Map(
    Array.from(Map.groupBy(sorted(records, 'key'), ownerKey), ([owner, own]) => [owner, byField(own, 'key')]),
  );

const sorted = <T>(all: readonly T[], field: keyof T): readonly T[] =>
  all.toSorted((one, other) => (one[field] < other[field] ? -1 : 1));

const defined = <T>(values: Iterable<T | null | undefined>): T[] =>
  [...new Set(values)].filter((value): value is T => value != null);

/** Bytes of the parameters and metacontents that one plan reads. */
const MAX_VALUE_BYTES = 16 * 1024 * 1024;

/** Reads the records that a document is about. A constant number of statements. Errors: `too_many_records`. */
export async function loadFleet(work: ReadWork, document: FleetDocument) {
  const { groups: ofGroups, logicalNumbers: ofNumbers, devices: ofDevices } = document;
  const targets = Object.values(ofDevices).map(({ logicalNumber }) => logicalNumber);
  const heads = await logicalNumberHeads.findByNames(work, defined([...Object.keys(ofNumbers), ...targets]));
  const numbers = byField(await withVersions(work, [...heads.values()]), 'number');
  await yieldToEventLoop();
  const ownDevices = await findDevicesBySerialNumbers(work, Object.keys(ofDevices));
  const numberIds = defined(Array.from(ownDevices.values(), ({ logicalNumberId }) => logicalNumberId));
  const groupNames = [...Object.keys(ofGroups), ...Object.values(ofNumbers).map(({ group }) => group)];
  const ownGroups = await findGroupsByNames(work, defined(groupNames));
  const withGroups = await loadGroups(work, ownGroups.values(), numbers.values());
  const versionIds = Array.from(numbers.values(), ({ appVersionIds }) => appVersionIds);
  await yieldToEventLoop();
  return {
    groups: ownGroups,
    logicalNumbers: numbers,
    devices: ownDevices,
    numbersById: new Map([
      ...(await logicalNumbers.byIds(work, numberIds)),
      ...byField(numbers.values(), 'id'),
    ]),
    ...withGroups,
    ...(await valuesOf(work, idsIn(numbers, ofNumbers), idsIn(ownGroups, ofGroups))),
    ...(await softwareOf(work, document, [...versionIds, ...withGroups.attached.values()].flat())),
  };
}

/** Ids of the records that a document names, in no order. */
const idsIn = (records: ReadonlyMap<string, { readonly id: number }>, named: object): Ids =>
  Object.keys(named).flatMap((name) => records.get(name)?.id ?? []);

/** Values by owner, see `ownerKey`, and by key. */
async function valuesOf(work: ReadWork, numberIds: Ids, groupIds: Ids) {
  let bytes = 0;
  for (const match of [{ logical_number_id: numberIds }, { group_id: groupIds }]) {
    bytes += await parameterRows.bytesOf(work, match, 'value');
    bytes += await metacontentRows.bytesOf(work, match, 'value');
  }
  if (bytes > MAX_VALUE_BYTES) {
    const message = `The groups and logical numbers have more than ${MAX_VALUE_BYTES} bytes of parameters and metacontents: name fewer.`;
    throw new DomainError('too_many_records', message);
  }
  return {
    parameters: byOwner(await parameters.ofOwners(work, numberIds, groupIds)),
    metacontents: byOwner<Metacontent>(await metacontents.ofOwners(work, numberIds, groupIds)),
  };
}

/** Groups by id, of the document and of logical numbers, and ids of the versions that each has. */
async function loadGroups(work: ReadWork, own: Iterable<Group>, numbers: Iterable<LogicalNumberHead>) {
  const ids = defined(Array.from(numbers, ({ groupId }) => groupId));
  const groupsById = new Map([...(await groups.byIds(work, ids)), ...byField(own, 'id')]);
  const match = { group_id: [...groupsById.keys()] };
  const attached = groupedVersions(await groupLinks.select(work, match));
  return { groupsById, attached, defaults: groupedVersions(await defaultLinks.select(work, match)) };
}

function groupedVersions(rows: readonly { readonly group_id: number; readonly app_version_id: number }[]) {
  const byGroup = Map.groupBy(rows, (row) => row.group_id);
  return new Map(Array.from(byGroup, ([id, own]) => [id, own.map((row) => row.app_version_id)]));
}

/**
 * Names of the apps that a document names, and of those of some versions; versions of these by id, with all of the named
 * apps, and their ids by `versionKey`.
 */
async function softwareOf(work: ReadWork, document: FleetDocument, ids: Ids) {
  const sections = [
    ...Object.values(document.groups).flatMap((group) => [group.appVersions, group.defaultAppVersions]),
    ...Object.values(document.logicalNumbers).map((number) => number.appVersions),
  ];
  const appNames = sections.flatMap((section) => Object.keys(section ?? {}));
  const named = await findAppsByNames(work, defined(appNames));
  const appIds = Array.from(named.values(), ({ id }) => id);
  const found = byField(await versionsOfApps(work, appIds), 'id');
  for (const [id, version] of await appVersions.byIds(work, defined(ids))) found.set(id, version);
  const all = await apps.byIds(work, defined(Array.from(found.values(), ({ appId }) => appId)));
  const versions = Array.from(found.values(), ({ id, appId, number }) => {
    return { id, app: all.get(appId)?.name ?? '', number };
  });
  return {
    apps: new Set([...named.keys(), ...versions.map(({ app }) => app)]),
    versions: byField(versions, 'id'),
    versionIds: new Map(versions.map(({ id, app, number }) => [versionKey(app, number), id])),
  };
}

/** Versions by the names of their apps, in order. */
export function namesOf(fleet: Fleet, ids: Ids = []): VersionNames {
  const held = ids.flatMap((id) => fleet.versions.get(id) ?? []);
  const byApp = Map.groupBy(held, ({ app }) => app);
  const names = Array.from(byApp, ([app, own]) => [app, own.map(({ number }) => number).sort()] as const);
  return Object.fromEntries(names.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The present values of the sections that a document names, of the records that exist. */
export function presentState(fleet: Fleet, document: FleetDocument): FleetDocument {
  const valuesIn = <R extends OwnedRecord, V>(all: ByOwner<R>, owner: OwnerIds, valueOf: (record: R) => V) =>
    Object.fromEntries(
      Array.from(all.get(ownerKey(owner))?.values() ?? [], (record) => [record.key, valueOf(record)]),
    );
  const settingsOf = (owner: OwnerIds) => ({
    parameters: valuesIn(fleet.parameters, owner, parameterState),
    metacontents: valuesIn(fleet.metacontents, owner, ({ value }) => value),
  });
  return {
    groups: sectionsLike(document.groups, fleet.groups, ({ id }) => ({
      appVersions: namesOf(fleet, fleet.attached.get(id)),
      defaultAppVersions: namesOf(fleet, fleet.defaults.get(id)),
      ...settingsOf({ groupId: id, logicalNumberId: null }),
    })),
    logicalNumbers: sectionsLike(
      document.logicalNumbers,
      fleet.logicalNumbers,
      ({ id, groupId, appVersionIds }) => ({
        group: fleet.groupsById.get(groupId ?? 0)?.name ?? null,
        appVersions: namesOf(fleet, appVersionIds),
        ...settingsOf({ groupId: null, logicalNumberId: id }),
      }),
    ),
    devices: sectionsLike(document.devices, fleet.devices, ({ logicalNumberId, enabled }) => ({
      logicalNumber: fleet.numbersById.get(logicalNumberId ?? 0)?.number ?? null,
      enabled,
    })),
  };
}

/** The sections that a document has of each of these records. */
function sectionsLike<T, Sections extends object>(
  wanted: Readonly<Record<string, object>>,
  records: ReadonlyMap<string, T>,
  sectionsOf: (record: T) => Sections,
) {
  const own = Object.entries(wanted).flatMap(([name, some]) => {
    const record = records.get(name);
    if (record === undefined) return [];
    const sections = Object.entries(sectionsOf(record)).filter(([section]) => section in some);
    return [[name, Object.fromEntries(sections) as Partial<Sections>] as const];
  });
  return Object.fromEntries(own);
}

const WHOLE_GROUP = { appVersions: {}, defaultAppVersions: {}, parameters: {}, metacontents: {} };
const WHOLE_NUMBER = { group: null, appVersions: {}, parameters: {}, metacontents: {} };
const WHOLE_DEVICE = { logicalNumber: null, enabled: true };

/** The present state of a group, with its logical numbers and their devices, or of all of the company. Errors: `not_found`, `too_many_records`. */
export async function exportState(
  work: ReadWork,
  groupId: number | null,
  wanted: Record<'logicalNumbers' | 'devices', boolean | null | undefined>,
) {
  const having = (field: string) =>
    groupId === null ? null : ({ field, operator: 'eq', value: groupId } as const);
  const ownGroups =
    groupId === null
      ? await groups.upTo(work, MAX_NAMED, null)
      : [await getFrom(groups, work, groupId, 'group')];
  const numbers =
    wanted.logicalNumbers === false ? [] : await logicalNumbers.upTo(work, MAX_NAMED, having('groupId'));
  const ownDevices = wanted.devices === false ? [] : await devices.upTo(work, MAX_NAMED, having('group'));
  const total = ownGroups.length + numbers.length + ownDevices.length;
  if (total > MAX_NAMED) {
    const message = `The state has more than ${MAX_NAMED} groups, logical numbers and devices: ask for one group, or leave out the devices, or the logical numbers too.`;
    throw new DomainError('too_many_records', message);
  }
  const whole = <T, Sections>(records: readonly T[], name: keyof T, sections: Sections) =>
    Object.fromEntries(sorted(records, name).map((record) => [String(record[name]), sections]));
  const document = {
    groups: whole(ownGroups, 'name', WHOLE_GROUP),
    logicalNumbers: whole(numbers, 'number', WHOLE_NUMBER),
    devices: whole(ownDevices, 'serialNumber', WHOLE_DEVICE),
  };
  return writtenState(presentState(await loadFleet(work, document), document)) as Json;
}

/** A state without the kinds of which it has no records. */
export const writtenState = (state: FleetDocument): object =>
  Object.fromEntries(Object.entries(state).filter(([, records]) => Object.keys(records).length > 0));
