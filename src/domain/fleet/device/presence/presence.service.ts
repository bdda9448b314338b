import type { ReadWork } from '../../../../database/work.js';
import type { Device } from '../device.model.js';
import type { Sighting } from './presence.model.js';
import { selectSightings } from './presence.repository.js';

export { devicesByGroup, devicesByPresence, MAX_GROUPS } from './presence-summary.repository.js';
export { selectOnlyDevices, storeSightings } from './presence.repository.js';

/** Time of the latest request of each device, by device id. One statement. */
export async function sightings(
  work: ReadWork,
  devices: readonly Pick<Device, 'id'>[],
): Promise<ReadonlyMap<number, Sighting>> {
  return await selectSightings(
    work,
    devices.map(({ id }) => id),
  );
}
