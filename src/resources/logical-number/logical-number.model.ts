import { z } from 'zod';

import type { Audit } from '../../platform/audit.js';
import { printableName } from '../../platform/text.js';
import { recordId, recordIds } from '../../platform/validate.js';

const number = printableName(64)
  .refine((text) => !text.includes(','), 'must not contain a comma')
  .describe('The logical number, unique in the company; no comma.');
const groupId = recordId.nullable().describe('Group that the number belongs to.');
const appVersionIds = recordIds.describe(
  'App versions that the number may access, out of those of its group.',
);

export const LogicalNumberCreate = z.object({
  number,
  groupId: groupId.optional(),
  appVersionIds: appVersionIds.optional(),
});

export const LogicalNumberUpdate = z.object({
  number: number.optional(),
  groupId: groupId.optional(),
  appVersionIds: appVersionIds.optional(),
});

/** What tells one logical number from the others. */
export interface LogicalNumberRef {
  readonly id: number;
  readonly number: string;
}

/** A logical number as long lists show it: without its app versions. */
export interface LogicalNumberHead extends LogicalNumberRef, Audit {
  readonly groupId: number | null;
}

export interface LogicalNumber extends LogicalNumberHead {
  /** Ascending. */
  readonly appVersionIds: readonly number[];
}
