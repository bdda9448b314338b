import { isDeepStrictEqual } from 'node:util';

import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import { DomainError, invalid, taken } from '../../../platform/errors.js';
import { requireScope } from '../../../platform/requests.js';
import { withoutUndefined } from '../../../platform/validate.js';
import type { Rejected } from '../../base/job/job.service.js';
import { type IssueTokens, setAllParameters, type Setting } from '../bulk/bulk-change.service.js';
import { type Device, NEW_DEVICE } from '../device/device.model.js';
import { findDevicesBySerialNumbers, storeDevices } from '../device/device.service.js';
import { groupRecords } from '../group/group.service.js';
import { describeNumbers } from '../logical-number/description.service.js';
import type { LogicalNumberHead } from '../logical-number/logical-number.model.js';
import * as service from '../logical-number/logical-number.service.js';
import { lossesByMove } from '../logical-number/version-links.service.js';
import type { ImportRow } from './import.model.js';

/** Kind of the jobs that import devices. */
export const FLEET_IMPORT = 'fleetImport';

/** True if rows may change devices and logical numbers that exist. */
export type ImportMode = 'CREATE' | 'CREATE_OR_UPDATE';

type NewNumber = service.NewNumber;

interface ImportInput {
  readonly mode: ImportMode;
  /** True if logical numbers may move to groups that lack app versions of their terminals. */
  readonly force: boolean;
  /** Absent if no tokens are issued. */
  readonly issueTokens?: true;
}

/** A row that may be imported, with what exists of it. */
export interface Planned {
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
  const values = new Map<string, unknown>();
  const descriptions = new Map<string, unknown>();
  const losses = await lossesByMove(work, movesOf(rows, numbers, groups), force);
  return rows.map((row): Planned | DomainError => {
    const { serialNumber, logicalNumber, group } = row;
    const device = devices.get(serialNumber);
    if (device !== undefined && mode === 'CREATE') return taken('serialNumber', 'exists already');
    if (logicalNumber === undefined && isOfNumber(row)) return noNumber();
    const description = descriptionOf(row);
    const groupId = group === undefined ? undefined : groups.get(group)?.id;
    if (group !== undefined && groupId === undefined) return unknownGroup(group);
    const number = logicalNumber === undefined ? undefined : numbers.get(logicalNumber);
    const isMoved = number !== undefined && groupId !== undefined && number.groupId !== groupId;
    const isKnown = number !== undefined && mode === 'CREATE';
    const refusal = isKnown ? refusalOfKnown(number, isMoved, description) : isMoved && losses.get(number.id);
    if (refusal) return refusal;
    if (logicalNumber !== undefined && groupId !== undefined) {
      if ((chosen.get(logicalNumber) ?? groupId) !== groupId) return invalid('group', 'is given twice');
      chosen.set(logicalNumber, groupId);
    }
    if (disagreement(logicalNumber, row.parameters, values) !== undefined)
      return invalid('parameters', 'is given twice');
    const other = disagreement(logicalNumber, description, descriptions);
    if (other !== undefined) return invalid(COLUMNS_OF_NUMBERS[other] ?? other, 'is given twice');
    return { row, device, number, groupId };
  });
}

/** Why a row may not describe a logical number that exists; undefined if it changes nothing of it. */
function refusalOfKnown(number: LogicalNumberHead, isMoved: boolean, description: Partial<NewNumber>) {
  if (isMoved) return taken('logicalNumber', 'exists already, in another group');
  return isDeepStrictEqual({ ...number, ...description }, number)
    ? undefined
    : taken('logicalNumber', 'exists already, with another merchant, tags or notes');
}

/** True if a row has fields of a logical number beside the number itself. */
const isOfNumber = (row: ImportRow): boolean =>
  [row.group, row.parameters, ...Object.values(descriptionOf(row))].some((value) => value !== undefined);

const noNumber = (): DomainError =>
  invalid('logicalNumber', 'is required: {advice}', {
    advice: 'the row has values of a logical number',
  });

const unknownGroup = (name: string): DomainError =>
  invalid('group', 'There is no {what} "{name}". Create it first, or choose another one.', {
    what: 'group',
    name,
  });

/**
 * Adds the values of a row to those of earlier rows, by logical number and key. Returns the key
 * for which an earlier row has another value; then none is added.
 */
function disagreement(
  logicalNumber: string | undefined,
  own: object = {},
  values: Map<string, unknown>,
): string | undefined {
  const nameOf = (key: string): string => JSON.stringify([logicalNumber, key]);
  const given = Object.entries(own) as readonly [string, unknown][];
  const isOther = (name: string, value: unknown): boolean =>
    values.has(name) && !isDeepStrictEqual(values.get(name), value);
  const [other] = given.find(([key, value]) => isOther(nameOf(key), value)) ?? [];
  if (other === undefined) for (const [key, value] of given) values.set(nameOf(key), value);
  return other;
}

/** Fields of a row by those of its logical number, where devices have fields with the same names. */
const COLUMNS_OF_NUMBERS: Readonly<Record<string, string>> = { tags: 'numberTags', notes: 'numberNotes' };

/** The merchant, tags and notes that a row gives to its logical number. */
const descriptionOf = (row: ImportRow): Partial<NewNumber> => {
  const { merchantName, merchantAddress, numberTags: tags, numberNotes: notes } = row;
  return withoutUndefined({ merchantName, merchantAddress, tags, notes });
};

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
  /** Values that rows give to logical numbers, by number; several rows may name one of them. */
  const wanted = new Map<string, NewNumber>();
  const present = new Map<string, LogicalNumberHead>();
  for (const { row, number, groupId } of planned) {
    const { logicalNumber } = row;
    if (logicalNumber === undefined) continue;
    if (number !== undefined) present.set(logicalNumber, number);
    const given = wanted.get(logicalNumber) ?? { number: logicalNumber, groupId: number?.groupId ?? null };
    wanted.set(logicalNumber, { ...given, ...descriptionOf(row), ...(groupId !== undefined && { groupId }) });
  }
  const created = [...wanted.values()].filter(({ number }) => !present.has(number));
  const ids = new Map(Array.from(present.values(), ({ number, id }) => [number, id]));
  for (const { id, number } of await service.createLogicalNumbers(work, created)) ids.set(number, id);
  const numbers = await service.withVersions(work, [...present.values()]);
  const described = await describeNumbers(work, numbers, ({ number }) => wanted.get(number) ?? {});
  const groupOf = ({ number }: LogicalNumberHead): number | null => wanted.get(number)?.groupId ?? null;
  const moved = described.filter((number) => groupOf(number) !== number.groupId);
  for (const [groupId, own] of Map.groupBy(moved, groupOf))
    await service.moveLogicalNumbers(work, own, groupId);
  return ids;
}

/** Devices as they are after the import; those that stay the same are left out. */
function devicesAfter(planned: readonly Planned[], numbers: ReadonlyMap<string, number>) {
  return planned.flatMap(({ row, device }) => {
    const { serialNumber, logicalNumber, enabled, tags, notes } = row;
    const present = device ?? { ...NEW_DEVICE, logicalNumberId: null, notes: null };
    const logicalNumberId = numbers.get(logicalNumber ?? '') ?? present.logicalNumberId;
    const given = withoutUndefined({ enabled, tags, notes });
    const after = { ...present, serialNumber, logicalNumberId, ...given };
    return isDeepStrictEqual(after, device) ? [] : [after];
  });
}
