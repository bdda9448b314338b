import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import { DomainError, invalid, taken } from '../../../platform/errors.js';
import { requireScope } from '../../../platform/requests.js';
import type { Rejected } from '../../base/job/job.service.js';
import { type IssueTokens, setAllParameters, type Setting } from '../bulk/bulk-change.service.js';
import type { Device } from '../device/device.model.js';
import { findDevicesBySerialNumbers, storeDevices } from '../device/device.service.js';
import { groupRecords } from '../group/group.service.js';
import type { LogicalNumberHead } from '../logical-number/logical-number.model.js';
import * as service from '../logical-number/logical-number.service.js';
import { lossesByMove } from '../logical-number/version-links.service.js';
import type { ImportRow } from './import.model.js';

/** Kind of the jobs that import devices. */
export const FLEET_IMPORT = 'fleetImport';

/** True if rows may change devices and logical numbers that exist. */
export type ImportMode = 'CREATE' | 'CREATE_OR_UPDATE';

interface ImportInput {
  readonly mode: ImportMode;
  /** True if logical numbers may move to groups that lack app versions of their terminals. */
  readonly force: boolean;
  /** Absent if no tokens are issued. */
  readonly issueTokens?: true;
}

/** A row that may be imported, with what exists of it. */
interface Planned {
  readonly row: ImportRow;
  readonly device: Device | undefined;
  readonly number: LogicalNumberHead | undefined;
  /** The group that the logical number has afterwards; undefined keeps it. */
  readonly groupId: number | undefined;
}

/** The rows as they would be imported, or why not, in order. Five statements. */
export async function planImport(
  work: ReadWork,
  { mode, force }: Pick<ImportInput, 'mode' | 'force'>,
  rows: readonly ImportRow[],
) {
  const named = (field: 'logicalNumber' | 'group'): string[] => rows.flatMap((row) => row[field] ?? []);
  const devices = await findDevicesBySerialNumbers(
    work,
    rows.map(({ serialNumber }) => serialNumber),
  );
  const numbers = await service.logicalNumberHeads.findByNames(work, named('logicalNumber'));
  const groups = await groupRecords.findByNames(work, named('group'));
  /** Groups of the logical numbers of earlier rows. */
  const chosen = new Map<string, number>();
  /** Values of parameters of earlier rows, by logical number and key. */
  const values = new Map<string, string>();
  const losses = await lossesByMove(work, movesOf(rows, numbers, groups), force);
  return rows.map((row): Planned | DomainError => {
    const { serialNumber, logicalNumber, group } = row;
    const device = devices.get(serialNumber);
    if (device !== undefined && mode === 'CREATE') return taken('serialNumber', 'exists already');
    if (logicalNumber === undefined && (group !== undefined || row.parameters !== undefined)) {
      const advice = 'the group and the parameters are those of the logical number';
      return invalid('logicalNumber', 'is required: {advice}', { advice });
    }
    const groupId = group === undefined ? undefined : groups.get(group)?.id;
    if (group !== undefined && groupId === undefined)
      return invalid('group', 'are not all known: {values}', { values: group });
    const number = logicalNumber === undefined ? undefined : numbers.get(logicalNumber);
    const isMoved = number !== undefined && groupId !== undefined && number.groupId !== groupId;
    if (isMoved && mode === 'CREATE') return taken('logicalNumber', 'exists already, in another group');
    const loss = isMoved ? losses.get(number.id) : undefined;
    if (loss !== undefined) return loss;
    if (logicalNumber !== undefined && groupId !== undefined) {
      if ((chosen.get(logicalNumber) ?? groupId) !== groupId) return invalid('group', 'is given twice');
      chosen.set(logicalNumber, groupId);
    }
    if (!agrees(row, values)) return invalid('parameters', 'is given twice');
    return { row, device, number, groupId };
  });
}

/** Adds the values of a row to those of earlier rows, by logical number and key; false, and adds none, if one is another. */
function agrees({ logicalNumber, parameters = {} }: ImportRow, values: Map<string, string>): boolean {
  const given = Object.entries(parameters).map(([key, value]) => {
    return [JSON.stringify([logicalNumber, key]), value] as const;
  });
  if (given.some(([name, value]) => (values.get(name) ?? value) !== value)) return false;
  for (const [name, value] of given) values.set(name, value);
  return true;
}

/** The groups that rows give to logical numbers that exist. */
function movesOf(
  rows: readonly ImportRow[],
  numbers: ReadonlyMap<string, LogicalNumberHead>,
  groups: ReadonlyMap<string, { readonly id: number }>,
) {
  return rows.flatMap(({ logicalNumber = '', group = '' }) => {
    const [number, groupId] = [numbers.get(logicalNumber), groups.get(group)?.id];
    return number === undefined || groupId === undefined ? [] : [{ number, groupId }];
  });
}

/** Imports some rows of a file, in a constant number of statements for each group. */
export async function importSome(
  work: WriteWork,
  input: Json,
  rows: readonly Json[],
  issueTokens: IssueTokens,
): Promise<Rejected> {
  const { issueTokens: isIssuing = false, ...how } = input as unknown as ImportInput;
  if (isIssuing) requireScope(work.caller, 'admin');
  const planned = await planImport(work, how, rows as unknown as readonly ImportRow[]);
  const rejected = new Map<number, DomainError>();
  const accepted: Planned[] = [];
  for (const [place, plan] of planned.entries()) {
    if (plan instanceof DomainError) rejected.set(place, plan);
    else accepted.push(plan);
  }
  const numbers = await placeNumbers(work, accepted);
  const present = accepted.flatMap(({ device }) => device ?? []);
  await storeDevices(work, present, devicesAfter(accepted, numbers));
  await setEach(work, accepted, numbers);
  if (!isIssuing) return rejected;
  const names = accepted.map(({ row }) => row.serialNumber);
  const devices = await findDevicesBySerialNumbers(work, names);
  await issueTokens([...devices.values()], null);
  return rejected;
}

/** Sets each parameter once, though several devices of a logical number may have it. */
async function setEach(
  work: WriteWork,
  planned: readonly Planned[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  const settings = new Map<string, Setting>();
  for (const { row } of planned) {
    const logicalNumberId = numbers.get(row.logicalNumber ?? '') ?? null;
    for (const [key, value] of Object.entries(row.parameters ?? {})) {
      const owner = { logicalNumberId, groupId: null };
      settings.set(JSON.stringify([logicalNumberId, key]), { owner, input: { key, value } });
    }
  }
  if (settings.size > 0) await setAllParameters(work, [...settings.values()]);
}

/** Creates the logical numbers that are new, and moves others to their groups. Returns ids by number. */
async function placeNumbers(
  work: WriteWork,
  planned: readonly Planned[],
): Promise<ReadonlyMap<string, number>> {
  const wanted = new Map<string, number | null>();
  const moved = new Map<LogicalNumberHead, number>();
  const ids = new Map<string, number>();
  for (const { row, number, groupId } of planned) {
    const { logicalNumber } = row;
    if (logicalNumber === undefined) continue;
    if (number === undefined) wanted.set(logicalNumber, groupId ?? wanted.get(logicalNumber) ?? null);
    else {
      ids.set(logicalNumber, number.id);
      if (groupId !== undefined && groupId !== number.groupId) moved.set(number, groupId);
    }
  }
  const values = [...wanted].map(([number, groupId]) => ({ number, groupId }));
  for (const { id, number } of await service.createLogicalNumbers(work, values)) ids.set(number, id);
  for (const [groupId, own] of Map.groupBy(moved.keys(), (number) => moved.get(number) ?? null)) {
    await service.moveLogicalNumbers(work, await service.withVersions(work, own), groupId);
  }
  return ids;
}

/** Devices as they are after the import; those that stay the same are left out. */
function devicesAfter(planned: readonly Planned[], numbers: ReadonlyMap<string, number>) {
  return planned.flatMap(({ row: { serialNumber, logicalNumber, enabled }, device }) => {
    const present = device ?? { logicalNumberId: null, enabled: true, meta: {}, frameworkVersion: null };
    const logicalNumberId = numbers.get(logicalNumber ?? '') ?? present.logicalNumberId;
    const after = { ...present, serialNumber, logicalNumberId, enabled: enabled ?? present.enabled };
    const isSame = after.enabled === device?.enabled && logicalNumberId === device.logicalNumberId;
    return isSame ? [] : [after];
  });
}
