import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import { notFound } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import type { Rejected } from '../../base/job/job.service.js';
import { refuseUnknownGroup } from '../group/group.service.js';
import {
  logicalNumbers,
  moveLogicalNumbers,
  withVersions,
} from '../logical-number/logical-number.service.js';
import { lossesByMove } from '../logical-number/version-links.service.js';
import { LogicalNumberBulkChange } from './bulk-change.model.js';
import { demandChange, idsIn, setOfEach, sortedOut } from './bulk-change.service.js';

export const NUMBER_CHANGE = 'logicalNumberBulkChange';

/** The change, which has at least one field. Errors: `invalid`, also for an unknown group. */
export async function checkNumberChange(work: ReadWork, input: unknown): Promise<LogicalNumberBulkChange> {
  const { force, ...change } = parse(LogicalNumberBulkChange, input);
  demandChange(change);
  await refuseUnknownGroup(work, 'groupId', change.groupId ?? null);
  return { ...change, force };
}

/** Makes a change of the logical numbers of some rows, in a constant number of statements for each set of app versions. */
export async function changeSomeNumbers(
  work: WriteWork,
  input: Json,
  rows: readonly Json[],
): Promise<Rejected> {
  const { groupId, parameter, force } = await checkNumberChange(work, input);
  const found = await logicalNumbers.byIds(work, idsIn(rows));
  const moves = groupId === undefined ? [] : Array.from(found.values(), (number) => ({ number, groupId }));
  const losses = await lossesByMove(work, moves, force);
  const { accepted, rejected } = sortedOut(rows, found, (number) =>
    number === undefined ? notFound('logical number') : losses.get(number.id),
  );
  const numberIds = accepted.map(({ id }) => id);
  await setOfEach(work, numberIds, parameter);
  if (groupId !== undefined) await moveLogicalNumbers(work, await withVersions(work, accepted), groupId);
  return rejected;
}
