import type { WriteWork } from '../../../database/work.js';
import { DomainError } from '../../../platform/errors.js';
import { metacontents } from '../metacontent/metacontent.service.js';
import { deleteOwned } from '../owner/owned-record.service.js';
import { parameters } from '../parameter/parameter.service.js';
import type { Group } from './group.model.js';
import { isGroupInUse } from './group.repository.js';
import { groupRecords } from './group.service.js';

/** Deletes its parameters and metacontents too. Errors: `group_not_empty` (contract 19), `too_many_records`. */
export async function deleteGroup(work: WriteWork, group: Group): Promise<void> {
  if (await isGroupInUse(work, group.id)) {
    throw new DomainError('group_not_empty', 'The group still has logical numbers or app versions.');
  }
  const owner = { groupId: group.id, logicalNumberId: null };
  await deleteOwned(work, `The group ${group.name}`, owner, [parameters, metacontents]);
  await groupRecords.delete(work, group);
}
