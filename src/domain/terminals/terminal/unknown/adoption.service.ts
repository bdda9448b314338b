import type { WriteWork } from '../../../../database/work.js';
import { normalized } from '../../../../platform/encoding/text.js';
import { DomainError } from '../../../../platform/errors.js';
import type { Device } from '../../../fleet/device/device.model.js';
import { createDevice } from '../../../fleet/device/device.service.js';
import { isUnknownTerminal } from './unknown-terminal.repository.js';

export { unknownTerminals } from './unknown-terminal.repository.js';

/**
 * Creates the device of an unknown terminal and removes it from the list. Errors: `not_found` for a serial
 * number that is not in the list, and those of `createDevice`.
 */
export async function adoptTerminal(
  work: WriteWork,
  serialNumber: string,
  { logicalNumberId = null }: { readonly logicalNumberId?: unknown },
): Promise<Device> {
  const name = normalized(serialNumber);
  if (!(await isUnknownTerminal(work, name))) {
    const message = 'No unknown terminal has this serial number.';
    throw new DomainError('not_found', message, { fields: { serialNumber: [message] } });
  }
  return await createDevice(work, { serialNumber: name, logicalNumberId });
}
