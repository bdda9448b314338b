import { hasCardData } from '../../../platform/card-data/card-data.js';
import { isNameLike, normalized } from '../../../platform/validate.js';
import type { Device } from '../../fleet/device/device.model.js';

const MAX_NAME = 255;

interface AssetOutcome {
  /** Requested name; any text. */
  readonly name: string;
  /** Application that runs on the terminal; null if the terminal did not name it. */
  readonly runningApp: string | null;
  readonly logicalNumber: string;
  readonly numberAtStart: string | null;
  readonly status: 'success' | 'fail';
  /** For example `not changed`. */
  readonly result: string;
  readonly startedAt: Date;
}

/** A terminal's request for an asset, as it is recorded: `detail` is for example `4 bytes: acme_sale.posxml`. */
export function assetRequestOf(
  { now }: { readonly now: Date },
  { serialNumber, frameworkVersion }: Pick<Device, 'serialNumber' | 'frameworkVersion'>,
  { name, runningApp, result, ...outcome }: AssetOutcome,
) {
  const named = nameOf(name);
  const appName = runningApp === null ? named : nameOf(runningApp);
  const detail = `${result}: ${named}`;
  return { serialNumber, frameworkVersion, ...outcome, appName, detail, finishedAt: now };
}

/** The requested name in a form that can be stored, or `(no name)`. */
function nameOf(requested: string): string {
  const name = normalized(requested).trim().slice(0, MAX_NAME);
  const isStorable = name !== '' && isNameLike(name) && name.isWellFormed() && !hasCardData(name);
  return isStorable ? name : '(no name)';
}
