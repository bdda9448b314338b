import { z } from 'zod';

import { printableName, type Audit } from '../../../platform/validate.js';

const GroupFields = z.object({ name: printableName(255).describe('Name, unique in the company.') });

export const GroupCreate = GroupFields;
export const GroupUpdate = GroupFields.partial();

export interface Group extends Audit, Readonly<z.output<typeof GroupFields>> {
  readonly id: number;
}
