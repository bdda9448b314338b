import { z } from 'zod';

import { recordId } from '../../../platform/validate.js';
import { DeviceUpdateBody } from '../device/device.model.js';
import { ParameterCreate } from '../setting/setting.model.js';
import { TagChange } from '../tag/tag.model.js';

export const LogicalNumberBulkChange = z.object({
  groupId: recordId.nullable().optional().describe('Group of the logical numbers.'),
  parameter: ParameterCreate.optional(),
  ...TagChange.shape,
  /** True if terminals may lose app versions. */
  force: z.boolean().nullish(),
});

/** The change that a job makes to each device, and to its logical number. */
export const DeviceBulkChange = DeviceUpdateBody.extend({
  ...LogicalNumberBulkChange.shape,
  /** A new token, beside which the old one works for some milliseconds. */
  token: z.object({ keepOldFor: z.number() }).optional(),
});

export type LogicalNumberBulkChange = Readonly<z.output<typeof LogicalNumberBulkChange>>;
export type DeviceBulkChange = Readonly<z.output<typeof DeviceBulkChange>>;
