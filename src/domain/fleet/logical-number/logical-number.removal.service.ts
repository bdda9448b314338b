import type { WriteWork } from '../../../database/work.js';
import { MAX_DELETED_TOGETHER, tooManyRecords } from '../../../platform/limits/many-records.js';
import {
  countDeliveriesOf,
  deleteDeliveriesOf,
} from '../../messages/notification/delivery/delivery.service.js';
import { detachDevicesFrom } from '../device/device.service.js';
import { metacontents } from '../metacontent/metacontent.service.js';
import { deleteOwned } from '../owner/owned-record.service.js';
import { parameters } from '../parameter/parameter.service.js';
import type { LogicalNumber } from './logical-number.model.js';
import { logicalNumberTable } from './logical-number.repository.js';

/**
 * Deletes its parameters, metacontents and deliveries of notifications too, and leaves its devices without a
 * number (contract 18). Errors: `too_many_records`.
 */
export async function deleteLogicalNumber(work: WriteWork, logicalNumber: LogicalNumber): Promise<void> {
  const { id, number } = logicalNumber;
  const what = `The logical number ${number}`;
  const deliveries = await countDeliveriesOf(work, id);
  if (deliveries > MAX_DELETED_TOGETHER) {
    const instead = 'first delete old ones (terminal-gateway db prune --deliveries), or set KEEP_DELIVERIES';
    throw tooManyRecords(what, `${deliveries} deliveries of notifications`, MAX_DELETED_TOGETHER, instead);
  }
  await deleteOwned(work, what, { logicalNumberId: id, groupId: null }, [parameters, metacontents]);
  await deleteDeliveriesOf(work, id);
  await detachDevicesFrom(work, { id, number });
  await logicalNumberTable.deleteById(work, id);
  work.ledger.deleted('logical_number', logicalNumber);
}
