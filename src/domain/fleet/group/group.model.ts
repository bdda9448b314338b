import { z } from 'zod';

import { printableName, type Audit } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

const GroupFields = z.object({ name: printableName(255).describe('Name, unique in the company.') });

export const GroupCreate = GroupFields;
export const GroupUpdate = GroupFields.partial();

export type Group = RecordOf<'groups', Audit & z.output<typeof GroupFields>>;
