import { z } from 'zod';

import { printableName } from '../../../platform/validate.js';

export const MAX_FOUND = 50;
const MAX_TEXT = 100;

export const SearchText = z.object({ text: printableName(MAX_TEXT) });

export type FoundType =
  | 'App'
  | 'Device'
  | 'File'
  | 'Group'
  | 'LogicalNumber'
  | 'Member'
  | 'Metacontent'
  | 'Parameter';

/** A record whose name, or one of whose tags, has the text. */
export interface Found {
  readonly type: FoundType;
  readonly id: number;
  /** Name, number, key, name of the merchant, or tag. */
  readonly name: string;
  /** True if `name` is a tag: the record is the first that has it. */
  readonly isTag: boolean;
}

/** Beginning of a tag; empty for any. */
export const TagText = z.object({ text: z.string().max(MAX_TEXT) });
