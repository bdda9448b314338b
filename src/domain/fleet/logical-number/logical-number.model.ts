import { z } from 'zod';

import { identifyingName } from '../../../platform/card-data/card-data.js';
import { rule } from '../../../platform/rules.js';
import { type Audit, recordId, recordIds } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

const number = identifyingName(64)
  .refine((text) => !text.includes(','), rule('must not contain a comma'))
  .describe('The logical number, unique in the company; no comma.');

/** Fields of a logical number that clients set, besides its app versions. */
const LogicalNumberFields = z.object({
  number,
  groupId: recordId.nullable().describe('Group that the number belongs to.'),
});
const appVersionIds = recordIds.describe(
  'App versions that the number may access, out of those of its group.',
);

export const LogicalNumberUpdate = z.object({
  ...LogicalNumberFields.partial().shape,
  appVersionIds: appVersionIds.optional(),
});
export const LogicalNumberCreate = z.object({ ...LogicalNumberUpdate.shape, number });

/** A logical number without its app versions, as in long lists. */
export type LogicalNumberHead = RecordOf<'logical_numbers', Audit & z.output<typeof LogicalNumberFields>>;

export interface LogicalNumber extends LogicalNumberHead {
  /** Ids in ascending order. */
  readonly appVersionIds: readonly number[];
}

/** A logical number that a device had before. */
export interface FormerNumber {
  readonly number: string | null;
  /** Time at which the device changed to another number. It had this number since the `endedAt` before. */
  readonly endedAt: Date;
}
