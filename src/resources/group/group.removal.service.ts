import type { WriteWork } from '../../database/work.js';
import { DomainError } from '../../platform/errors.js';
import { metacontents } from '../metacontent/metacontent.service.js';
import type { Owner } from '../owner/owner.model.js';
import { parameters } from '../parameter/parameter.service.js';
import { removeInSteps } from '../removal/removal.service.js';
import type { Group } from './group.model.js';
import { groupTable, isGroupInUse } from './group.repository.js';
import { groupRecords } from './group.service.js';

/** Deletes its parameters and metacontents too. Errors: `group_not_empty` (contract 19). */
export async function deleteGroup(work: WriteWork, group: Group): Promise<void> {
  if (await isGroupInUse(work, group.id)) {
    throw new DomainError('group_not_empty', 'The group still has logical numbers or app versions.');
  }
  const owner = ownerOf(group.id);
  if ((await parameters.areManyOf(work, owner)) || (await metacontents.areManyOf(work, owner))) {
    await groupTable.free(work, [group.id], 'name', []);
    await removeInSteps(work, [{ groupId: group.id }]);
    work.ledger.deleted('group', group);
    return;
  }
  await parameters.deleteAllOf(work, owner);
  await metacontents.deleteAllOf(work, owner);
  await groupRecords.delete(work, group);
}

/** One step of removing what a deleted group owned, and in the end its row. */
export async function finishGroup(work: WriteWork, id: number): Promise<void> {
  const owner = ownerOf(id);
  if (await parameters.deleteSomeOf(work, owner)) return;
  if (await metacontents.deleteSomeOf(work, owner)) return;
  await groupTable.deleteById(work, id);
}

const ownerOf = (groupId: number): Owner => ({ groupId, logicalNumberId: null });
