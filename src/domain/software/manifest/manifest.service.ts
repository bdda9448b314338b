import type { Search } from '../../../database/list/request-class.js';
import type { ReadWork } from '../../../database/work.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { DomainError, notFound } from '../../../platform/errors.js';
import type { Device } from '../../fleet/device/device.model.js';
import { groups } from '../../fleet/group/group.service.js';
import type { LogicalNumberHead } from '../../fleet/logical-number/logical-number.model.js';
import { logicalNumbers } from '../../fleet/logical-number/logical-number.service.js';
import { effectiveBytes, listEffectiveParameters } from '../../fleet/setting/parameter.service.js';
import { companies } from '../../people/company/company.service.js';
import { assetsOfNumber } from './assets.rules.js';
import type { Asset, Assets, RenderedManifest } from './manifest.model.js';
import { selectSoftware } from './manifest.repository.js';
import { assetsByName, render } from './manifest.rules.js';

type ManifestDevice = Pick<Device, 'id' | 'serialNumber' | 'enabled' | 'logicalNumberId'>;
type AssignedDevice = ManifestDevice & { readonly logicalNumberId: number };

/** Maximum app versions, and also modules and files, of all manifests of one request. */
const MAX_ENTRIES = 10_000;
/** Maximum bytes of a terminal's parameter values: the text is made in one turn of the event loop. */
const MAX_PARAMETER_BYTES = 1024 * 1024;

export { manifestEntries } from './manifest.repository.js';

/** Search of `listManifests`, which reads the parameters of the numbers and of their groups. */
export const MANIFEST_SEARCH: Search = { rows: 'parameters', isLimited: true };

/** Manifest of a terminal. Errors: `too_many_records` for more than a terminal can store. */
export async function getManifest(work: ReadWork, device: AssignedDevice): Promise<RenderedManifest> {
  const number = await numberOf(work, device);
  if ((await effectiveBytes(work, number)) > MAX_PARAMETER_BYTES) {
    throw tooMany(`bytes in parameters: at most ${MAX_PARAMETER_BYTES}`);
  }
  const manifest = (await listManifests(work, [device])).get(device.id);
  if (manifest === undefined) throw notFound('logical number');
  return manifest;
}

/** Manifests by device id; devices without a logical number are absent. At most seven statements. */
export async function listManifests(
  work: ReadWork,
  devices: readonly ManifestDevice[],
): Promise<ReadonlyMap<number, RenderedManifest>> {
  const numbers = await logicalNumbers.byIds(work, [
    ...new Set(devices.flatMap(({ logicalNumberId }) => logicalNumberId ?? [])),
  ]);
  const all = [...numbers.values()];
  const assets = await assetsOfNumbers(work, all);
  const parameters = await listEffectiveParameters(work, all);
  const names = await groups.byIds(work, [...new Set(all.flatMap(({ groupId }) => groupId ?? []))]);
  const manifests = new Map<number, RenderedManifest>();
  for (const [index, { id, serialNumber, enabled, logicalNumberId }] of devices.entries()) {
    const number = numbers.get(logicalNumberId ?? 0);
    const own = assets.get(logicalNumberId ?? 0);
    if (number === undefined || own === undefined) continue;
    if (index > 0) await yieldToEventLoop();
    const group = number.groupId === null ? null : (names.get(number.groupId)?.name ?? null);
    const head = { serialNumber, enabled, logicalNumber: number.number, group };
    manifests.set(id, render({ ...head, ...own, parameters: parameters.get(number.id) ?? [] }));
  }
  return manifests;
}

/**
 * Asset with this name (any text) that the device may download, and the logical number of the device. `asset`
 * is undefined if there is none.
 */
export async function findAsset(
  work: ReadWork,
  device: AssignedDevice,
  name: string,
): Promise<{ readonly asset: Asset | undefined; readonly logicalNumber: string }> {
  const number = await numberOf(work, device);
  const assets = (await assetsOfNumbers(work, [number])).get(number.id);
  const asset = assets && assetsByName(assets).get(name.normalize('NFC'));
  return { asset, logicalNumber: number.number };
}

async function numberOf(work: ReadWork, { logicalNumberId }: AssignedDevice): Promise<LogicalNumberHead> {
  const number = (await logicalNumbers.byIds(work, [logicalNumberId])).get(logicalNumberId);
  if (number === undefined) throw notFound('logical number');
  return number;
}

/** Assets by id of the logical number. Four statements. */
async function assetsOfNumbers(
  work: ReadWork,
  numbers: readonly LogicalNumberHead[],
): Promise<ReadonlyMap<number, Assets>> {
  const { companyId } = work.caller;
  const ids = numbers.map(({ id }) => id);
  const software = await selectSoftware(work, ids, MAX_ENTRIES + 1);
  const all = [software.versions, software.modules, software.files];
  if (all.some((each) => [...each.values()].flat().length > MAX_ENTRIES)) {
    throw tooMany(`app versions, modules or files: at most ${MAX_ENTRIES} of each`);
  }
  const name = (await companies.byIds(work, [companyId])).get(companyId)?.name ?? '';
  return new Map(ids.map((id) => [id, assetsOfNumber(software, id, name)]));
}

function tooMany(what: string): DomainError {
  return new DomainError('too_many_records', `The manifest has too many ${what}.`);
}
