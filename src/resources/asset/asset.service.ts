import { ROW_VALUES, type Examination } from '../../database/list/examining/examination.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { hasCardData } from '../../platform/card-data/card-data.js';
import { isNameLike, normalized } from '../../platform/encoding/text.js';
import type { Device } from '../device/device.model.js';
import type { Asset, Assets } from '../manifest/manifest.model.js';
import { recordTransaction } from '../transaction/recording/transaction-recording.service.js';
import type { AssetOutcome, Reach } from './asset.model.js';
import {
  dropCurrent,
  forgetDeletedVersions,
  reachWithin,
  selectHeld,
  selectOtherVersions,
  selectReach,
  upsertHeld,
} from './held-version.repository.js';

/** What `reachOf` examines at most: the logical numbers and the terminals that have the versions. */
export const REACH_EXAMINATION: Examination = {
  values: 2 * ROW_VALUES,
  rows: 'logical_number_app_versions',
  within: reachWithin,
  isOfParents: true,
  isCount: true,
};

/** How far each version has come, by its id. Two statements. */
export async function reachOf(
  work: ReadWork,
  versions: readonly { readonly id: number }[],
): Promise<ReadonlyMap<number, Reach>> {
  return await selectReach(
    work,
    versions.map(({ id }) => id),
  );
}

type Terminal = Pick<Device, 'id' | 'serialNumber' | 'frameworkVersion'>;

const MAX_NAME = 255;

/** Records that a terminal has asked for an asset, as a transaction of type `get_asset`. */
export async function recordAssetRequest(
  work: WriteWork,
  { serialNumber, frameworkVersion }: Terminal,
  { name, runningApp, logicalNumber, status, result, startedAt }: AssetOutcome,
): Promise<void> {
  const named = nameOf(name);
  await recordTransaction(work, {
    transactionType: 'get_asset',
    ...{ serialNumber, logicalNumber, frameworkVersion, status, startedAt },
    appName: runningApp === null ? named : nameOf(runningApp),
    detail: `${result}: ${named}`,
    finishedAt: work.now,
  });
}

/** A requested name as it can be stored. */
function nameOf(requested: string): string {
  const name = normalized(requested).trim().slice(0, MAX_NAME);
  const isStorable = name !== '' && isNameLike(name) && name.isWellFormed() && !hasCardData(name);
  return isStorable ? name : '(no name)';
}

/**
 * Notes that a terminal has an asset: it has downloaded the bytes, or has shown that it has them. Writes nothing where that is
 * known.
 */
export async function noteAsset(
  work: WriteWork,
  { id: deviceId }: Terminal,
  { versionId, contentId }: Asset,
  hasDownloaded: boolean,
): Promise<void> {
  if (versionId === null) return;
  const held = await selectHeld(work, deviceId);
  const known = held.find((each) => each.versionId === versionId && each.contentId === contentId);
  const isDownloaded = hasDownloaded || known?.isDownloaded === true;
  if (known?.isCurrent === true && known.isDownloaded === isDownloaded) return;
  await upsertHeld(work, deviceId, { versionId, contentId, isDownloaded, isCurrent: true });
  const others = new Set(await selectOtherVersions(work, versionId));
  const replaced = held.filter((each) => each.isCurrent && others.has(each.versionId));
  if (replaced.length > 0)
    await dropCurrent(
      work,
      deviceId,
      replaced.map((each) => each.versionId),
    );
  await forgetDeletedVersions(work, deviceId);
}

/**
 * What is to be changed because a terminal has got these assets as all that it shall have: it drops other versions.
 * Undefined if nothing is.
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
  return (writing) =>
    dropCurrent(
      writing,
      deviceId,
      dropped.map(({ versionId }) => versionId),
    );
}
