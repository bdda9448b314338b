import type { SystemReadWork, SystemWriteWork } from '../../database/work.js';
import { notFound } from '../../platform/errors.js';
import { normalized } from '../../platform/text.js';
import { parse } from '../../platform/validate.js';
import { CompanyCreate, type Company } from './company.model.js';
import { findCompanyByName, insertCompany } from './company.repository.js';

export { companies } from './company.repository.js';

export async function findCompany(work: SystemReadWork, name: string): Promise<Company | undefined> {
  return await findCompanyByName(work, normalized(name));
}

export async function getCompanyByName(work: SystemReadWork, name: string): Promise<Company> {
  const company = await findCompany(work, name);
  if (company === undefined) throw notFound('company');
  return company;
}

/** The company with this name; creates it if it does not exist. */
export async function ensureCompany(work: SystemWriteWork, input: unknown): Promise<Company> {
  const { name } = parse(CompanyCreate, input);
  const known = await findCompanyByName(work, name);
  if (known !== undefined) return known;
  const company = await insertCompany(work, name);
  work.ledger.created('company', company, { companyId: company.id });
  return company;
}
