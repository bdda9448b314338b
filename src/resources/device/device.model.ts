import { z } from 'zod';

import type { Audit } from '../../platform/audit.js';
import { freeText, printableName } from '../../platform/text.js';
import { recordId } from '../../platform/validate.js';

const MAX_META_ENTRIES = 64;

export const SerialNumber = printableName(64).describe('Serial number, unique in the company.');
const enabled = z.boolean().describe('Whether the device may access the service.');
const logicalNumberId = recordId.nullable().describe('Logical number that the device works under.');

export const DeviceCreate = z.object({
  serialNumber: SerialNumber,
  enabled: enabled.optional(),
  logicalNumberId: logicalNumberId.optional(),
});

export const DeviceUpdate = z.object({
  enabled: enabled.optional(),
  logicalNumberId: logicalNumberId.optional(),
});

/** What a terminal says of itself: brand, model, battery level and the like, all as texts. */
export type DeviceMeta = Readonly<Record<string, string>>;

export const DeviceReport = z.object({
  meta: z
    .record(printableName(64), freeText(1024))
    .refine(
      (meta) => Object.keys(meta).length <= MAX_META_ENTRIES,
      `must have at most ${MAX_META_ENTRIES} entries`,
    )
    .optional(),
  frameworkVersion: printableName(64).nullable().optional(),
});

export interface Device extends Audit {
  readonly id: number;
  readonly serialNumber: string;
  readonly enabled: boolean;
  readonly logicalNumberId: number | null;
  readonly meta: DeviceMeta;
  readonly frameworkVersion: string | null;
}

export type { ErrorPolicy } from '../../platform/batch.js';

/** One row of a batch. Without problems and without a device, other rows' problems stopped it. */
export interface DeviceRow {
  /** Place in the input, from 0. */
  readonly index: number;
  readonly serialNumber: string;
  readonly device: Device | null;
  readonly problems: readonly string[];
  /** Whether the problem is another device with the same serial number. */
  readonly isTaken: boolean;
}

/** How many devices say the same of themselves; null for those that do not say. */
export interface DeviceCount {
  readonly value: string | null;
  readonly count: number;
}

export interface DeviceTotals {
  readonly total: number;
  readonly enabled: number;
  readonly disabled: number;
  /** Nothing reported yet. */
  readonly neverSeen: number;
}
