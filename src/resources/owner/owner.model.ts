import { z } from 'zod';

import type { Audit } from '../../platform/audit.js';

/** Whose parameter or metacontent it is: a logical number's or a group's. */
export type Owner =
  | { readonly logicalNumberId: number; readonly groupId: null }
  | { readonly logicalNumberId: null; readonly groupId: number };

/** Names one owner by its id: exactly one of the two is given. */
export interface OwnerIds {
  readonly logicalNumberId: number | null;
  readonly groupId: number | null;
}

/** Names one owner: exactly one of the two is given (contract 2). */
export const OwnerSelector = z.object({
  number: z.string().nullish().describe('A logical number: its record is the owner.'),
  name: z.string().nullish().describe('The name of a group: the group is the owner.'),
});

/** What every record that belongs to an owner has; its key is unique for the owner. */
export interface OwnedRecord extends Audit {
  readonly id: number;
  readonly key: string;
  readonly groupId: number | null;
  readonly logicalNumberId: number | null;
}
