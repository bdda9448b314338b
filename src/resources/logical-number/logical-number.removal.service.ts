import type { ReadWork, WriteWork } from '../../database/work.js';
import { detachDevicesFrom } from '../device/device.service.js';
import { metacontents } from '../metacontent/metacontent.service.js';
import { haveManyDeliveries, deleteSomeDeliveries } from '../notification/delivery/delivery.service.js';
import type { Owner } from '../owner/owner.model.js';
import { parameters } from '../parameter/parameter.service.js';
import { removeInSteps } from '../removal/removal.service.js';
import type { LogicalNumber } from './logical-number.model.js';
import { logicalNumberTable } from './logical-number.repository.js';
import { recorded } from './version-links.service.js';

/**
 * Deletes its parameters and metacontents too, and leaves its devices without a number (contract 18). Errors:
 * `too_many_records` for its devices.
 */
export async function deleteLogicalNumber(work: WriteWork, logicalNumber: LogicalNumber): Promise<void> {
  const { id, number } = logicalNumber;
  const owner = ownerOf(id);
  const isLarge = await ownsMuch(work, owner);
  if (!isLarge) {
    await parameters.deleteAllOf(work, owner);
    await metacontents.deleteAllOf(work, owner);
  }
  await detachDevicesFrom(work, { id, number });
  if (isLarge) {
    await logicalNumberTable.free(work, [id], 'number', ['group_id']);
    await removeInSteps(work, [{ logicalNumberId: id }]);
  } else {
    await logicalNumberTable.deleteById(work, id);
  }
  work.ledger.deleted('logical_number', recorded(logicalNumber));
}

/** One step of removing what a deleted logical number owned, and in the end its row. */
export async function finishLogicalNumber(work: WriteWork, id: number): Promise<void> {
  const owner = ownerOf(id);
  if (await parameters.deleteSomeOf(work, owner)) return;
  if (await metacontents.deleteSomeOf(work, owner)) return;
  if (await deleteSomeDeliveries(work, id)) return;
  await logicalNumberTable.deleteById(work, id);
}

type OwnerNumber = Owner & { readonly logicalNumberId: number };

const ownerOf = (logicalNumberId: number): OwnerNumber => ({ logicalNumberId, groupId: null });

async function ownsMuch(work: ReadWork, owner: OwnerNumber): Promise<boolean> {
  return (
    (await parameters.areManyOf(work, owner)) ||
    (await metacontents.areManyOf(work, owner)) ||
    (await haveManyDeliveries(work, owner.logicalNumberId))
  );
}
