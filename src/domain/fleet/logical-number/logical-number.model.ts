import { z } from 'zod';

import { identifyingName } from '../../../platform/card-data/card-data.js';
import { invalid } from '../../../platform/errors.js';
import { rule } from '../../../platform/rules.js';
import { type Audit, freeText, printableName, recordId, recordIds } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';
import { Described } from '../tag/tag.model.js';

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

/** Fields beside those that `/v1` has. */
const MoreFields = Described.extend({
  merchantName: printableName(100).nullable().describe('Name of the merchant.'),
  merchantAddress: freeText(500).nullable().describe('Address of the merchant, in one line or several.'),
});

/** Fields of changed and new logical numbers in `/v1`. */
export const LogicalNumberUpdateBody = z.object({
  ...LogicalNumberFields.partial().shape,
  appVersionIds: appVersionIds.optional(),
});
export const LogicalNumberCreateBody = z.object({ ...LogicalNumberUpdateBody.shape, number });

export const LogicalNumberUpdate = LogicalNumberUpdateBody.extend(MoreFields.partial().shape);
export const LogicalNumberCreate = LogicalNumberCreateBody.extend(MoreFields.partial().shape);

/** The values of a logical number of which nothing is known yet. */
export const NEW_NUMBER = { merchantName: null, merchantAddress: null, tags: [], notes: null };

/** A logical number without its app versions, as in long lists. */
export type LogicalNumberHead = RecordOf<
  'logical_numbers',
  Audit & z.output<typeof LogicalNumberFields> & z.output<typeof MoreFields>
>;

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

/** Logical numbers that a change affects: their count, and the first 20 of them. */
export interface AffectedNumbers {
  readonly count: number;
  readonly examples: readonly LogicalNumberHead[];
}

export const MAX_EXAMPLES = 20;

export function affectedNumbers(numbers: readonly LogicalNumberHead[]): AffectedNumbers {
  return { count: numbers.length, examples: numbers.slice(0, MAX_EXAMPLES) };
}

/** Errors: `invalid` if a change affects another number of records than the person has confirmed. */
export function requireExpectedCount(
  count: number,
  expected: number | null | undefined,
  what = 'logical numbers',
): void {
  if (expected == null || expected === count) return;
  const message = 'This now affects {count} {what}, not {expected}. Check the list and confirm again.';
  throw invalid('expectCount', message, { count, what, expected });
}
