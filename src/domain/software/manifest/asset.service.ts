import type { Search } from '../../../database/list/request-class.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { hasCardData } from '../../../platform/card-data/card-data.js';
import { isNameLike, normalized } from '../../../platform/encoding/text.js';
import type { Device } from '../../fleet/device/device.model.js';
import {
  dropCurrent,
  forgetDeletedVersions,
  type HeldVersion,
  selectHeld,
  selectOtherVersions,
  upsertHeld,
} from './held-version.repository.js';
import type { Asset, AssetEvidence, AssetOutcome, Assets } from './manifest.model.js';

/** Search of `reachOf`: the logical numbers and the terminals that have the versions. */
export const REACH_SEARCH: Search = { rows: 'logical_number_app_versions' };

export { reachOf } from './held-version.repository.js';

type Terminal = Pick<Device, 'id' | 'serialNumber' | 'frameworkVersion'>;

const MAX_NAME = 255;

/** Records a request for an asset. */
export type RecordAssetRequest = (
  work: WriteWork,
  request: ReturnType<typeof assetRequestOf>,
) => Promise<unknown>;

/** A terminal's request for an asset, as it is recorded: `detail` is for example `4 bytes: acme_sale.posxml`. */
export function assetRequestOf(
  { now }: ReadWork,
  { serialNumber, frameworkVersion }: Terminal,
  { name, runningApp, logicalNumber, status, result, startedAt }: AssetOutcome,
) {
  const named = nameOf(name);
  return {
    serialNumber,
    logicalNumber,
    frameworkVersion,
    status,
    startedAt,
    appName: runningApp === null ? named : nameOf(runningApp),
    detail: `${result}: ${named}`,
    finishedAt: now,
  };
}

/** The requested name in a form that can be stored, or `(no name)`. */
function nameOf(requested: string): string {
  const name = normalized(requested).trim().slice(0, MAX_NAME);
  const isStorable = name !== '' && isNameLike(name) && name.isWellFormed() && !hasCardData(name);
  return isStorable ? name : '(no name)';
}

/**
 * Stores which version a request for an asset proves: that the terminal has its bytes, or that it runs other
 * bytes although it had these. The latest request counts: bytes that the terminal downloads again after it
 * showed others are not current until it shows them. Writes nothing if nothing is new.
 */
export async function noteAsset(
  work: WriteWork,
  { id: deviceId }: Terminal,
  { versionId, contentId }: Asset,
  { has, other }: AssetEvidence,
): Promise<void> {
  if (versionId === null || (has === null && other === null)) return;
  const held = await selectHeld(work, deviceId);
  const known = held.find((each) => isOf(each, { versionId, contentId }));
  const isCurrent = other === null || known === undefined;
  if (isCurrent && has === null) return;
  const isDownloaded = has === 'downloaded' || known?.isDownloaded === true;
  if (known?.isCurrent === isCurrent && known.isDownloaded === isDownloaded) return;
  await upsertHeld(work, deviceId, { versionId, contentId, isDownloaded, isCurrent });
  // A terminal has only one version of an application: this one, or the one with the bytes that it showed.
  const others = await selectOtherVersions(work, versionId);
  const shownCrc = isCurrent ? null : other.crc;
  const shown = others.find(({ crc }) => crc === shownCrc);
  if (shown?.contentId != null) {
    const bytes = { versionId: shown.id, contentId: shown.contentId };
    const wasDownloaded = held.some((each) => isOf(each, bytes) && each.isDownloaded);
    await upsertHeld(work, deviceId, { ...bytes, isDownloaded: wasDownloaded, isCurrent: true });
  }
  const replaced = new Set(others.flatMap(({ id }) => (id === shown?.id ? [] : [id])));
  await dropCurrent(
    work,
    deviceId,
    held.filter((each) => each.isCurrent && replaced.has(each.versionId)),
  );
  await forgetDeletedVersions(work, deviceId);
}

type Bytes = Pick<HeldVersion, 'versionId' | 'contentId'>;

const isOf = (one: Bytes, other: Bytes): boolean =>
  one.versionId === other.versionId && one.contentId === other.contentId;

/**
 * Plans to mark versions as not current that are missing from a terminal's assets, because the terminal
 * deletes them. Undefined if there are none.
 */
export async function droppedBy(
  work: ReadWork,
  { id: deviceId }: Terminal,
  { apps }: Pick<Assets, 'apps'>,
): Promise<((work: WriteWork) => Promise<void>) | undefined> {
  const listed = new Set(
    apps.flatMap((app) => [app.versionId, ...app.modules.map((each) => each.versionId)]),
  );
  const held = await selectHeld(work, deviceId);
  const dropped = held.filter(({ versionId, isCurrent }) => isCurrent && !listed.has(versionId));
  if (dropped.length === 0) return undefined;
  return (writing) => dropCurrent(writing, deviceId, dropped);
}
