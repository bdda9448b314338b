import type { Device } from '../../fleet/device/device.model.js';
import type { EffectiveParameter } from '../../fleet/setting/setting.model.js';

/** An app version that a terminal had, with its names at that time. */
export interface VersionAt {
  readonly appVersionId: number;
  readonly app: string;
  readonly number: string;
  /** Sequence of the change by which the logical number got it; null if retention has deleted that entry. */
  readonly change: number | null;
}

export interface ParameterAt extends Omit<EffectiveParameter, 'overridden'> {
  /** Sequence of the last change of the parameter until then; null if retention has deleted that entry. */
  readonly change: number | null;
}

/** Software and settings that the terminals of a logical number had at a time. */
export interface OfNumber {
  /** Null for terminals without a logical number. */
  readonly logicalNumber: string | null;
  readonly group: string | null;
  readonly groupChange: number | null;
  readonly appVersions: readonly VersionAt[];
  /** Ordered by key. */
  readonly parameters: readonly ParameterAt[];
}

/** A terminal as it was at a time. Changes are sequences of the ledger; null if retention has deleted the entry. */
export interface DeviceAt
  extends OfNumber, Pick<Device, 'serialNumber' | 'enabled' | 'meta' | 'frameworkVersion'> {
  readonly deviceId: number;
  readonly enabledChange: number | null;
  readonly logicalNumberChange: number | null;
}
