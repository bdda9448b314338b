import type { WriteWork } from '../../database/work.js';
import { detachDevicesFrom } from '../device/device.service.js';
import { metacontents } from '../metacontent/metacontent.service.js';
import type { Owner } from '../owner/owner.model.js';
import { parameters } from '../parameter/parameter.service.js';
import type { LogicalNumber } from './logical-number.model.js';
import { logicalNumberTable } from './logical-number.repository.js';

/** Deletes its parameters and metacontents too, and leaves its devices without a number (contract 18). */
export async function deleteLogicalNumber(work: WriteWork, logicalNumber: LogicalNumber): Promise<void> {
  const owner: Owner = { logicalNumberId: logicalNumber.id, groupId: null };
  await parameters.deleteAllOf(work, owner);
  await metacontents.deleteAllOf(work, owner);
  await detachDevicesFrom(work, logicalNumber.id);
  await logicalNumberTable.deleteById(work, logicalNumber.id);
  work.ledger.deleted('logical_number', logicalNumber);
}
