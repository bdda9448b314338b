import { z } from 'zod';

import { printableName } from '../../platform/text.js';

export const CompanyCreate = z.object({ name: printableName(255) });

export interface Company {
  readonly id: number;
  readonly name: string;
}
