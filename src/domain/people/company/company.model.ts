import { z } from 'zod';

import { rule } from '../../../platform/rules.js';
import { printableName, TimeZone } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

const Currency = z
  .string()
  .refine(
    (code) => CURRENCIES.has(code),
    rule('must be a currency code of ISO 4217, for instance {example}', { example: 'BRL' }),
  );

const name = printableName(255);
export const CompanyCreate = z.object({ name, timeZone: TimeZone });
export const CompanyUpdate = CompanyCreate.extend({ currency: Currency.nullable() }).partial();
/** The `--company` option of commands that create the company if it does not exist. */
export const CompanyOption = z.object({ company: name });

/** The company's own texts by response code of authorizers: `{ B1: 'Call the helpdesk' }`. */
export type ResponseTexts = Readonly<Record<string, string>>;

export const MAX_RESPONSE_TEXTS = 100;

export const ResponseTextSet = z.object({ code: printableName(10), text: printableName(100).nullable() });

export type Company = RecordOf<'companies', { responseTexts: ResponseTexts }, 'created_at' | 'updated_at'>;

export interface CompanySummary extends Omit<Company, 'responseTexts'> {
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
