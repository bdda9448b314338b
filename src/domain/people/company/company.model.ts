import { z } from 'zod';

import { printableName, TimeZone } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

const name = printableName(255);
export const CompanyCreate = z.object({ name, timeZone: TimeZone });
export const CompanyUpdate = CompanyCreate.partial();
/** The `--company` option of commands that create the company if it does not exist. */
export const CompanyOption = z.object({ company: name });

export type Company = RecordOf<'companies', object, 'created_at' | 'updated_at'>;

export interface CompanySummary extends Company {
  readonly createdAt: Date;
  readonly members: number;
}

/** The name of a company in names of assets: `Acme Café 2` becomes `acmecafe2`. */
export function foldedCompany(name: string): string {
  const folded = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  return folded === '' ? 'company' : folded;
}
