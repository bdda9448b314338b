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

/** A record whose name has the text. */
export interface Found {
  readonly type: FoundType;
  readonly id: number;
  /** Name, number or key. */
  readonly name: string;
}
