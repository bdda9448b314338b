import { z } from 'zod';

import type { Audit } from '../../platform/audit.js';
import { printableName } from '../../platform/text.js';

const name = printableName(255).describe('Name, unique in the company.');

export const GroupCreate = z.object({ name });
export const GroupUpdate = z.object({ name: name.optional() });

export interface Group extends Audit {
  readonly id: number;
  readonly name: string;
}
