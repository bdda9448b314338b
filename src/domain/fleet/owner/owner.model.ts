import { z } from 'zod';

import type { Audit } from '../../../platform/changes.js';

/** The owner of a parameter or metacontent: a logical number or a group. */
export type Owner =
  | { readonly logicalNumberId: number; readonly groupId: null }
  | { readonly logicalNumberId: null; readonly groupId: number };

/** Selects an owner by id: exactly one of the two is given. */
export interface OwnerIds {
  readonly logicalNumberId: number | null;
  readonly groupId: number | null;
}

/** Selects an owner by number or name: exactly one of the two is given (contract 2). */
export const OwnerSelector = z.object({
  number: z.string().nullish().describe('A logical number: its record is the owner.'),
  name: z.string().nullish().describe('The name of a group: the group is the owner.'),
});

/** A record of an owner; the key is unique for the owner. */
export interface OwnedRecord extends Audit {
  readonly id: number;
  readonly key: string;
  readonly groupId: number | null;
  readonly logicalNumberId: number | null;
}
