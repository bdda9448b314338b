import { isDeepStrictEqual } from 'node:util';

import { found, getFrom } from '../../../database/company/records.js';
import type { ReadWork, SystemReadWork, SystemWriteWork, WriteWork } from '../../../database/work.js';
import { requireAtMost, taken } from '../../../platform/errors.js';
import { changed, parse } from '../../../platform/validate.js';
import {
  CompanyCreate,
  CompanyUpdate,
  MAX_RESPONSE_TEXTS,
  ResponseTextSet,
  type Company,
} from './company.model.js';
import { companies, findCompany, insertCompany, updateCompany } from './company.repository.js';

export { companies, findCompany, listCompanies } from './company.repository.js';

/** Changes the caller's company; absent fields keep their values. Errors: `invalid`, `taken`. */
export async function changeCompany(work: WriteWork, input: unknown): Promise<Company> {
  const given = parse(CompanyUpdate, input);
  const before = await getCompany(work);
  const after = changed(before, given);
  const { name } = after;
  if (isDeepStrictEqual(after, before)) return before;
  if (name !== before.name) await work.acrossCompanies((above) => refuseTaken(above, name));
  await updateCompany(work, after);
  work.ledger.updated('company', before, after, name === before.name ? {} : { action: 'rename' });
  return after;
}

/** Sets the company's own text of a response code; null removes it. Errors: `invalid`. */
export async function setResponseText(work: WriteWork, input: unknown): Promise<Company> {
  const { code, text } = parse(ResponseTextSet, input);
  const before = await getCompany(work);
  const others = Object.entries(before.responseTexts).filter(([each]) => each !== code);
  const responseTexts = Object.fromEntries(text === null ? others : [...others, [code, text]]);
  requireAtMost('responseTexts', Object.keys(responseTexts).length, MAX_RESPONSE_TEXTS);
  if (before.responseTexts[code] === (text ?? undefined)) return before;
  const after = { ...before, responseTexts };
  await updateCompany(work, after);
  work.ledger.updated('company', before, after);
  return after;
}

/** The caller's company. */
export const getCompany = (work: ReadWork): Promise<Company> =>
  getFrom(companies, work, work.caller.companyId, 'company');

/** Digits behind the point of amounts of the caller's company: 2 until it has a currency. */
export async function amountDecimals(work: ReadWork): Promise<number> {
  const { currency } = await getCompany(work);
  if (currency === null) return 2;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

export async function getCompanyByName(work: SystemReadWork, name: string): Promise<Company> {
  return found(await findCompany(work, name), 'company');
}

/** `by` is the acting user, the company's first member. Errors: `invalid`, `taken`. */
export async function createCompany(work: SystemWriteWork, input: unknown, by: number): Promise<Company> {
  const fields = parse(CompanyCreate, input);
  await refuseTaken(work, fields.name);
  const company = await insertCompany(work, { ...fields, currency: null, responseTexts: {} });
  work.ledger.created('company', company, { companyId: company.id, userId: by });
  return company;
}

async function refuseTaken(work: SystemReadWork, name: string): Promise<void> {
  if ((await findCompany(work, name)) !== undefined) {
    throw taken('name', 'This name is not available.');
  }
}
