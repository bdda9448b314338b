import { getFrom } from '../../../database/company/records.js';
import type { Search } from '../../../database/list/request-class.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { scrubText } from '../../../platform/card-data/card-data.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { DomainError, notFound } from '../../../platform/errors.js';
import { crc16Of, formatCrc16 } from '../../../platform/hashes.js';
import { InstallReport } from '../../../platform/terminal.js';
import { parse } from '../../../platform/validate.js';
import type { Device } from '../../fleet/device/device.model.js';
import { getDevice, selectOnlyDevices } from '../../fleet/device/device.service.js';
import { groups } from '../../fleet/group/group.service.js';
import type { LogicalNumberHead } from '../../fleet/logical-number/logical-number.model.js';
import { logicalNumbers } from '../../fleet/logical-number/logical-number.service.js';
import { effectiveBytes, listEffectiveParameters } from '../../fleet/setting/parameter.service.js';
import { companies } from '../../people/company/company.service.js';
import { appVersions } from '../app/app-version.service.js';
import type { assetRequestOf } from './asset-request.rules.js';
import {
  type Asset,
  type AssetEvidence,
  type Assets,
  type HeldVersion,
  PARAMS_DAT,
  type RenderedManifest,
  type TerminalFile,
} from './manifest.model.js';
import * as store from './manifest.repository.js';
import { assetsByName, assetsOfNumber, render } from './manifest.rules.js';
import { hasBytes, heldAfter, withoutBytes } from './software-state.rules.js';
import { selectRunning } from './terminal-software.repository.js';

type ManifestDevice = Pick<Device, 'id' | 'serialNumber' | 'enabled' | 'logicalNumberId'>;
type AssignedDevice = ManifestDevice & { readonly logicalNumberId: number };

/** Maximum app versions, and also modules and files, of all manifests of one request. */
const MAX_ENTRIES = 10_000;
/** Maximum bytes of a terminal's parameter values: the text is made in one turn of the event loop. */
const MAX_PARAMETER_BYTES = 1024 * 1024;

export { assetRequestOf } from './asset-request.rules.js';
export { hasAllVersions, manifestEntries } from './manifest.repository.js';
export * from './terminal-software.repository.js';

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
    const device = { serial_number: serialNumber, enabled };
    const head = { device, logical_number: number.number, group };
    manifests.set(id, render(head, own, parameters.get(number.id) ?? []));
  }
  return manifests;
}

export const crcOfParams = (text: string): string => formatCrc16(crc16Of(Buffer.from(text)));

/** Settings file and files of the manifests of devices, by device id, with what their terminals have of each. */
export async function filesOfDevices(
  work: ReadWork,
  devices: readonly ManifestDevice[],
): Promise<ReadonlyMap<number, readonly TerminalFile[]>> {
  const ids = devices.map(({ id }) => id);
  const [held, manifests] = [await store.selectFiles(work, ids), await listManifests(work, devices)];
  return new Map(
    ids.map((id) => {
      const manifest = manifests.get(id);
      const paramsCrc = manifest && crcOfParams(manifest.paramsDat);
      const named = [{ name: PARAMS_DAT, crc: paramsCrc }, ...(manifest?.files ?? [])];
      const files = named.map(({ name, crc: current }) => {
        const { crc = null, since = null } = held.get(id)?.find((each) => each.name === name) ?? {};
        return { name, crc, since, isCurrent: crc !== null && crc === current };
      });
      return [id, files];
    }),
  );
}

/** Plans to store which bytes of a file a terminal has. Undefined if they are known. */
export async function noteOfFile(work: ReadWork, { id }: Pick<Terminal, 'id'>, name: string, crc: string) {
  const [known] = (await store.selectFiles(work, [id], name)).get(id) ?? [];
  if (known?.crc === crc) return undefined;
  return (writing: WriteWork) => store.storeFile(writing, id, name, crc);
}

/**
 * The asset with this name (any text) that the device may download, if any, and the logical number of the request: the
 * device's own, unless its terminal has named an earlier one.
 */
export async function findAsset(work: ReadWork, device: AssignedDevice, name: string, named?: string) {
  const [number, all] = await Promise.all([
    numberOf(work, device),
    assetsOfNumbers(work, [{ id: device.logicalNumberId }]),
  ]);
  const assets = all.get(number.id);
  const asset = assets && assetsByName(assets).get(name.normalize('NFC'));
  const logicalNumber = named ?? number.number;
  return { asset, logicalNumber, numberAtStart: logicalNumber === number.number ? null : number.number };
}

const numberOf = (work: ReadWork, { logicalNumberId }: AssignedDevice): Promise<LogicalNumberHead> =>
  getFrom(logicalNumbers, work, logicalNumberId, 'logical number');

/** Assets by id of the logical number. Four statements. */
async function assetsOfNumbers(work: ReadWork, numbers: readonly Pick<LogicalNumberHead, 'id'>[]) {
  const { companyId } = work.caller;
  const ids = numbers.map(({ id }) => id);
  const [software, named] = await Promise.all([
    store.selectSoftware(work, ids, MAX_ENTRIES + 1),
    companies.byIds(work, [companyId]),
  ]);
  const all = [software.versions, software.modules, software.files];
  if (all.some((each) => [...each.values()].flat().length > MAX_ENTRIES)) {
    throw tooMany(`app versions, modules or files: at most ${MAX_ENTRIES} of each`);
  }
  const name = named.get(companyId)?.name ?? '';
  return new Map(ids.map((id) => [id, assetsOfNumber(software, id, name)]));
}

function tooMany(what: string): DomainError {
  return new DomainError('too_many_records', `The manifest has too many ${what}.`);
}

type Terminal = Pick<Device, 'id' | 'serialNumber' | 'frameworkVersion'>;

export type RecordAssetRequest = (
  work: WriteWork,
  request: ReturnType<typeof assetRequestOf>,
) => Promise<unknown>;

/** Called when a terminal has shown that it has the bytes of an asset: wings above follow it. */
export const assetsShown: ((work: WriteWork, terminal: Pick<Terminal, 'id'>) => Promise<void>)[] = [];

/** Stores what a request or a report shows of an asset on a terminal. Writes nothing if nothing is new. */
export async function noteAsset(
  work: WriteWork,
  terminal: Pick<Terminal, 'id'>,
  asset: Pick<Asset, 'versionId' | 'name' | 'crc'>,
  evidence: AssetEvidence,
): Promise<void> {
  await storeAsset(work, terminal, asset, evidence);
  if (evidence.kind === 'shown' || evidence.kind === 'installed')
    for (const follow of assetsShown) await follow(work, terminal);
}

/** The triggers `note_new_software` and `note_changed_software` note new states in the rollouts of the version. */
async function storeAsset(
  work: WriteWork,
  { id: deviceId }: Pick<Terminal, 'id'>,
  { versionId, name, crc }: Pick<Asset, 'versionId' | 'name' | 'crc'>,
  evidence: AssetEvidence,
): Promise<void> {
  if (versionId === null) {
    const { kind, other } = evidence;
    const shown = kind === null || kind === 'failed' ? other?.crc : crc;
    if (shown != null) await (await noteOfFile(work, { id: deviceId }, name, shown))?.(work);
    return;
  }
  const [held, others] = await Promise.all([
    store.selectHeld(work, deviceId),
    store.selectOtherVersions(work, versionId),
  ]);
  const known = held.find(({ appVersionId }) => appVersionId === versionId);
  const after = heldAfter({ deviceId, appVersionId: versionId }, known, evidence, work.now);
  // A terminal that could not install a version goes on with another one.
  const current = after ?? (known?.state === 'failed' && evidence.other !== null ? known : undefined);
  if (current === undefined) return;
  const changed = [
    ...(after === undefined ? [] : [after]),
    ...othersAfter(work, held, others, current, evidence),
  ];
  if (changed.length > 0) await store.upsertHeld(work, changed);
  if (changed.some(({ state }) => state === 'granted')) await store.forgetLost(work, deviceId);
  // Wakes the subscribers of `softwareChanged`.
  work.report({ companyId: work.caller.companyId, entityType: 'terminal_version' });
}

/** A terminal has only one version of an application: this one, or the one with the bytes that it named. */
function othersAfter(
  { now }: WriteWork,
  held: readonly HeldVersion[],
  others: readonly { readonly id: number; readonly crc: string }[],
  { deviceId, state }: HeldVersion,
  { other }: AssetEvidence,
): readonly HeldVersion[] {
  const shown = hasBytes(state) ? undefined : others.find(({ crc }) => crc === other?.crc);
  if (state === 'failed' && shown === undefined) return [];
  const known = held.find(({ appVersionId }) => appVersionId === shown?.id);
  const after =
    shown && heldAfter({ deviceId, appVersionId: shown.id }, known, { kind: 'shown', other: null }, now);
  const replaced = new Set(others.flatMap(({ id }) => (id === shown?.id ? [] : [id])));
  const lost = held.filter((each) => hasBytes(each.state) && replaced.has(each.appVersionId));
  return [...(after === undefined ? [] : [after]), ...lost.map((each) => withoutBytes(each, now))];
}

/** Plans to mark versions as gone that a terminal deletes, since its assets miss them. Undefined if none. */
export async function droppedBy(work: ReadWork, { id: deviceId }: Terminal, { apps }: Pick<Assets, 'apps'>) {
  const listed = new Set(
    apps.flatMap((app) => [app.versionId, ...app.modules.map((each) => each.versionId)]),
  );
  const isDropped = (each: HeldVersion) => each.state !== 'granted' && !listed.has(each.appVersionId);
  if (!(await store.selectHeld(work, deviceId)).some(isDropped)) return undefined;
  return async (writing: WriteWork) => {
    // Reports may have come since.
    const gone = (await store.selectHeld(writing, deviceId)).filter(isDropped);
    const changed = gone.map((each) => withoutBytes(each, writing.now));
    await store.upsertHeld(writing, changed);
    await store.forgetLost(writing, deviceId);
  };
}

/** Stores a terminal's report that it installed an asset, or could not. Errors: `not_found`, `invalid`. */
export async function noteInstall(work: WriteWork, device: AssignedDevice, input: unknown): Promise<void> {
  const { name, crc, result, code, detail } = parse(InstallReport, input);
  const { asset } = await findAsset(work, device, name);
  if (asset === undefined) throw notFound('asset');
  const isOfOther = crc !== asset.crc;
  // The terminal may report late that it could not install an earlier version.
  if (isOfOther && result === 'failed') return;
  const { value, scrubs } = scrubText(detail ?? '');
  if (scrubs > 0) work.count('cardDataScrubs', scrubs);
  const reported = { reason: code, detail: detail === null ? null : value };
  await noteAsset(work, device, asset, {
    kind: isOfOther ? null : result,
    other: isOfOther ? { crc } : null,
    ...reported,
  });
}

/** Like `noteInstall`, for the only enabled device of a logical number. Errors: also `not_found` if there is none. */
export async function noteInstallOfNumber(work: WriteWork, logicalNumber: string, input: unknown) {
  const [deviceId] = await selectOnlyDevices(work, [logicalNumber]);
  const device = deviceId === undefined ? undefined : await getDevice(work, deviceId);
  if (device?.logicalNumberId == null) throw notFound('device');
  await noteInstall(work, { ...device, logicalNumberId: device.logicalNumberId }, input);
}

/**
 * Versions that terminals have of the applications of versions, by the ids of the device and of the version in a text, such
 * as `7 12`. Two statements.
 */
export async function runningVersions(work: ReadWork, keys: readonly string[]) {
  const running = await selectRunning(work, keys);
  const versions = await appVersions.byIds(work, [...new Set(running.map(({ id }) => id))]);
  return new Map(
    running.flatMap(({ key, id }) => {
      const version = versions.get(id);
      return version === undefined ? [] : [[key, version] as const];
    }),
  );
}
