import { CompanyRows } from '../../../database/company/company-rows.js';
import { getFrom } from '../../../database/company/records.js';
import type { ReadWork } from '../../../database/work.js';
import { yieldToEventLoop } from '../../../platform/clock.js';
import type { Json } from '../../../platform/encoding/json.js';
import { DomainError } from '../../../platform/errors.js';
import type { Ids } from '../../../platform/validate.js';
import type { Device } from '../../fleet/device/device.model.js';
import { devices, findDevicesBySerialNumbers } from '../../fleet/device/device.service.js';
import type { Group } from '../../fleet/group/group.model.js';
import { findGroupsByNames, groups } from '../../fleet/group/group.service.js';
import type { LogicalNumber, LogicalNumberHead } from '../../fleet/logical-number/logical-number.model.js';
import {
  logicalNumberHeads,
  logicalNumbers,
  withVersions,
} from '../../fleet/logical-number/logical-number.service.js';
import { parameters } from '../../fleet/setting/parameter.service.js';
import type { Metacontent, Parameter } from '../../fleet/setting/setting.model.js';
import { metacontents } from '../../fleet/setting/setting.service.js';
import { appVersions, versionsOfApps } from '../app/app-version.service.js';
import { apps, findAppsByNames } from '../app/app.service.js';
import { type FleetDocument, MAX_NAMED, type VersionNames } from './plan.model.js';
import { countValueBytes } from './plan.repository.js';
import { writtenState } from './plan.rules.js';

const groupLinks = new CompanyRows('app_version_groups');
const defaultLinks = new CompanyRows('group_default_versions');

/** The records that a document names, with all that they have, and those that these name. */
export interface Fleet {
  readonly groups: ReadonlyMap<string, Group>;
  readonly numbers: ReadonlyMap<string, LogicalNumber>;
  readonly devices: ReadonlyMap<string, Device>;
  readonly groupsById: ReadonlyMap<number, Group>;
  readonly numbersById: ReadonlyMap<number, LogicalNumberHead>;
  /** Ids of the versions that are attached to each group, and of its default versions, by its id. */
  readonly attached: ReadonlyMap<number, Ids>;
  readonly defaults: ReadonlyMap<number, Ids>;
  readonly parameters: readonly Parameter[];
  readonly metacontents: readonly Metacontent[];
  /** Names of apps. */
  readonly apps: ReadonlySet<string>;
  /** Names of app versions by their ids. */
  readonly versions: ReadonlyMap<number, { readonly app: string; readonly number: string }>;
}

const byField = <T, K extends keyof T>(records: Iterable<T>, field: K): Map<T[K], T> =>
  new Map(Array.from(records, (record) => [record[field], record]));

const defined = <T>(values: Iterable<T | null | undefined>): T[] =>
  [...new Set(values)].filter((value): value is T => value != null);

/** Bytes of the parameters and metacontents that one plan reads. */
const MAX_VALUE_BYTES = 16 * 1024 * 1024;

/** Reads the records that a document is about. A constant number of statements. Errors: `too_many_records`. */
export async function loadFleet(work: ReadWork, document: FleetDocument): Promise<Fleet> {
  const { groups: ofGroups = {}, logicalNumbers: ofNumbers = {}, devices: ofDevices = {} } = document;
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
    numbers,
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

async function valuesOf(work: ReadWork, numberIds: Ids, groupIds: Ids) {
  if ((await countValueBytes(work, numberIds, groupIds)) > MAX_VALUE_BYTES) {
    const message = `The groups and logical numbers have more than ${MAX_VALUE_BYTES} bytes of parameters and metacontents: name fewer.`;
    throw new DomainError('too_many_records', message);
  }
  return {
    parameters: await parameters.ofOwners(work, numberIds, groupIds),
    metacontents: await metacontents.ofOwners(work, numberIds, groupIds),
  };
}

/** Groups by id, of the document and of logical numbers, and the versions of each. */
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

/** Apps that a document names, and those of some versions, with all versions of the named ones. */
async function softwareOf(
  work: ReadWork,
  { groups: ofGroups = {}, logicalNumbers: ofNumbers = {} }: FleetDocument,
  ids: Ids,
) {
  const sections = [
    ...Object.values(ofGroups).flatMap((group) => [group.appVersions, group.defaultAppVersions]),
    ...Object.values(ofNumbers).map((number) => number.appVersions),
  ];
  const appNames = sections.flatMap((section) => Object.keys(section ?? {}));
  const named = await findAppsByNames(work, defined(appNames));
  const appIds = Array.from(named.values(), ({ id }) => id);
  const versions = byField(await versionsOfApps(work, appIds), 'id');
  for (const [id, version] of await appVersions.byIds(work, defined(ids))) versions.set(id, version);
  const all = await apps.byIds(work, defined(Array.from(versions.values(), ({ appId }) => appId)));
  return {
    apps: new Set([...named.keys(), ...Array.from(all.values(), ({ name }) => name)]),
    versions: new Map(
      Array.from(versions.values(), ({ id, appId, number }) => [
        id,
        { app: all.get(appId)?.name ?? '', number },
      ]),
    ),
  };
}

/** Versions by the names of their apps, in order. */
export function namesOf(fleet: Fleet, ids: Ids): VersionNames {
  const held = ids.flatMap((id) => fleet.versions.get(id) ?? []);
  const byApp = Map.groupBy(held, ({ app }) => app);
  const names = Array.from(byApp, ([app, own]) => [app, own.map(({ number }) => number).sort()] as const);
  return Object.fromEntries(names.sort(([one], [other]) => (one < other ? -1 : 1)));
}

const sorted = <T>(all: readonly T[], field: keyof T): readonly T[] =>
  all.toSorted((one, other) => (one[field] < other[field] ? -1 : 1));

type Owner = Pick<Parameter, 'groupId' | 'logicalNumberId'>;

/** The values of an owner by their keys. */
function valuesByOwner<T extends Owner & { readonly key: string }>(
  all: readonly T[],
  valueOf: (record: T) => unknown,
) {
  const nameOf = ({ groupId, logicalNumberId }: Owner) => `${groupId} ${logicalNumberId}`;
  const byOwner = Map.groupBy(sorted(all, 'key'), nameOf);
  return (owner: Owner) =>
    Object.fromEntries(byOwner.get(nameOf(owner))?.map((each) => [each.key, valueOf(each)]) ?? []);
}

/** The present values of the sections that a document names, of the records that exist. */
export function presentState(fleet: Fleet, document: FleetDocument): FleetDocument {
  const parametersOf = valuesByOwner(fleet.parameters, ({ value, description }) => ({ value, description }));
  const metacontentsOf = valuesByOwner(fleet.metacontents, ({ value }) => value);
  const settingsOf = (owner: Owner) => ({
    parameters: parametersOf(owner),
    metacontents: metacontentsOf(owner),
  });
  return {
    ...shapedLike(document, 'groups', fleet.groups, ({ id }) => ({
      appVersions: namesOf(fleet, fleet.attached.get(id) ?? []),
      defaultAppVersions: namesOf(fleet, fleet.defaults.get(id) ?? []),
      ...settingsOf({ groupId: id, logicalNumberId: null }),
    })),
    ...shapedLike(document, 'logicalNumbers', fleet.numbers, ({ id, groupId, appVersionIds }) => ({
      group: fleet.groupsById.get(groupId ?? 0)?.name ?? null,
      appVersions: namesOf(fleet, appVersionIds),
      ...settingsOf({ groupId: null, logicalNumberId: id }),
    })),
    ...shapedLike(document, 'devices', fleet.devices, ({ logicalNumberId, enabled }) => ({
      logicalNumber: fleet.numbersById.get(logicalNumberId ?? 0)?.number ?? null,
      enabled,
    })),
  };
}

/** The sections that a document has of each of these records. */
function shapedLike<T>(
  document: FleetDocument,
  kind: keyof FleetDocument,
  records: ReadonlyMap<string, T>,
  sectionsOf: (record: T) => Readonly<Record<string, unknown>>,
): FleetDocument {
  const own = Object.entries(document[kind] ?? {}).flatMap(([name, wanted]) => {
    const record = records.get(name);
    if (record === undefined) return [];
    const sections = Object.entries(sectionsOf(record)).filter(([section]) => section in wanted);
    return [[name, Object.fromEntries(sections)]];
  });
  return document[kind] === undefined ? {} : { [kind]: Object.fromEntries(own) as object };
}

const WHOLE_GROUP = { appVersions: {}, defaultAppVersions: {}, parameters: {}, metacontents: {} };
const WHOLE_NUMBER = { group: null, appVersions: {}, parameters: {}, metacontents: {} };
const WHOLE_DEVICE = { logicalNumber: null, enabled: true };

/** The present state of a group, its logical numbers and their devices, or of all of the company. Errors: `not_found`, `too_many_records`. */
export async function exportState(
  work: ReadWork,
  groupId: number | null,
  isWithDevices: boolean,
): Promise<Json> {
  const eq = (field: string, value: number) =>
    groupId === null ? null : ({ field, operator: 'eq', value } as const);
  const ownGroups =
    groupId === null
      ? await groups.upTo(work, MAX_NAMED, null)
      : [await getFrom(groups, work, groupId, 'group')];
  const numbers = await logicalNumbers.upTo(work, MAX_NAMED, eq('groupId', groupId ?? 0));
  const ownDevices = isWithDevices ? await devices.upTo(work, MAX_NAMED, eq('group', groupId ?? 0)) : [];
  const total = ownGroups.length + numbers.length + ownDevices.length;
  if (total > MAX_NAMED) {
    const message = `The state has more than ${MAX_NAMED} groups, logical numbers and devices: ask for one group, or leave out the devices.`;
    throw new DomainError('too_many_records', message);
  }
  const whole = <T, Sections>(records: readonly T[], name: keyof T, sections: Sections) =>
    Object.fromEntries(sorted(records, name).map((record) => [String(record[name]), sections] as const));
  const document = {
    groups: whole(ownGroups, 'name', WHOLE_GROUP),
    logicalNumbers: whole(numbers, 'number', WHOLE_NUMBER),
    ...(isWithDevices && { devices: whole(ownDevices, 'serialNumber', WHOLE_DEVICE) }),
  } as FleetDocument;
  const fleet = await loadFleet(work, { ...document, devices: {} });
  const all = { ...fleet, devices: byField(ownDevices, 'serialNumber') };
  return writtenState(presentState(all, document)) as unknown as Json;
}
