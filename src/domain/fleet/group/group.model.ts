import { z } from 'zod';

import type { Audit } from '../../../platform/changes/changes.js';
import { printableName } from '../../../platform/encoding/text.js';
import { recordIds } from '../../../platform/validate.js';

/** Fields of a group that clients set. */
const GroupFields = z.object({ name: printableName(255).describe('Name, unique in the company.') });

export const GroupCreate = GroupFields;
export const GroupUpdate = GroupFields.partial();

/** App versions that a logical number gets when it enters the group. */
export const GroupDefaultVersions = z.object({ appVersionIds: recordIds });

export interface Group extends Audit, Readonly<z.output<typeof GroupFields>> {
  readonly id: number;
}
