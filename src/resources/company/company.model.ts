import { z } from 'zod';

import { printableName } from '../../platform/encoding/text.js';

const name = printableName(255);
export const CompanyCreate = z.object({ name });
/** The `--company` option of commands that create a company where it does not exist. */
export const CompanyOption = z.object({ company: name });

export interface Company {
  readonly id: number;
  readonly name: string;
}

export interface CompanySummary extends Company {
  readonly createdAt: Date;
  /** Number of members. */
  readonly members: number;
}
