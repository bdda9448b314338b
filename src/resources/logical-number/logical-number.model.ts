import { z } from 'zod';

import type { Audit } from '../../platform/changes/audit.js';
import { identifyingName } from '../../platform/card-data/identifying-name.js';
import { recordId, recordIds } from '../../platform/validate.js';

const number = identifyingName(64)
  .refine((text) => !text.includes(','), 'must not contain a comma')
  .describe('The logical number, unique in the company; no comma.');

/** What a client decides about a logical number, besides its app versions. */
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

/** What identifies a logical number. */
export interface LogicalNumberRef {
  readonly id: number;
  readonly number: string;
}

/** A logical number without its app versions, as in long lists. */
export interface LogicalNumberHead
  extends LogicalNumberRef, Audit, Readonly<z.output<typeof LogicalNumberFields>> {}

export interface LogicalNumber extends LogicalNumberHead {
  /** Ascending. */
  readonly appVersionIds: readonly number[];
  /** Changes that have removed some of its app versions, but have yet to raise its revision; absent if none. */
  readonly unrecorded?: number;
}
