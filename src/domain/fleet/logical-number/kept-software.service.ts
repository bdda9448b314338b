import type { ReadWork } from '../../../database/work.js';
import { counted, DomainError } from '../../../platform/errors.js';
import type { LogicalNumber } from './logical-number.model.js';
import {
  countHolders,
  countTerminals,
  isHeld,
  selectVersionsLinkedToGroup,
} from './version-links.repository.js';

/**
 * Refuses to remove versions from logical numbers while terminals use these numbers. `groupIds`: only numbers
 * of these groups; undefined for all. Errors: `in_use`.
 */
export async function refuseLoss(
  work: ReadWork,
  appVersionIds: readonly number[],
  groupIds?: readonly number[],
): Promise<void> {
  if (appVersionIds.length === 0 || groupIds?.length === 0) return;
  const { terminals, more } = await countHolders(work, appVersionIds, groupIds);
  if (terminals > 0 || more) throw inUse(terminals, more);
}

/**
 * Refuses to move a logical number to another group, or out of its group, while terminals would lose versions
 * that are not linked to the new group. Errors: `in_use`.
 */
export async function refuseLossByMove(
  work: ReadWork,
  current: LogicalNumber,
  { groupId, appVersionIds: chosen }: { readonly groupId?: unknown; readonly appVersionIds?: unknown },
): Promise<void> {
  const isMoved = groupId !== undefined && groupId !== current.groupId;
  if (!isMoved || chosen !== undefined || current.appVersionIds.length === 0) return;
  const kept =
    typeof groupId === 'number'
      ? await selectVersionsLinkedToGroup(work, groupId, current.appVersionIds)
      : [];
  if (kept.length === current.appVersionIds.length) return;
  const terminals = await countTerminals(work, current.id);
  if (terminals > 0) throw inUse(terminals, false);
}

/** Refuses to replace the bytes of a version that a logical number has. Errors: `in_use`. */
export async function refuseOtherBytes(work: ReadWork, appVersionId: number): Promise<void> {
  if (!(await isHeld(work, appVersionId))) return;
  const message =
    'must stay as it is: logical numbers have this version. Create a version with another number';
  throw new DomainError('in_use', message, { fields: { bytecode: [message] } });
}

function inUse(terminals: number, more: boolean): DomainError {
  const count = `${more ? 'At least ' : ''}${counted(terminals, 'terminal')}`;
  return new DomainError(
    'in_use',
    `${count} would lose app versions. Send force: true to make the change anyway.`,
  );
}
