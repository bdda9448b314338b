import type { SystemReadWork, SystemWriteWork } from '../../database/work.js';
import { normalized } from '../../platform/encoding/text.js';
import { parse } from '../../platform/validate.js';
import { found } from '../shared/records.service.js';
import { CompanyCreate, type Company } from './company.model.js';
import { findCompanies, findCompanyByName, insertCompany } from './company.repository.js';

export { companies } from './company.repository.js';

export async function findCompany(work: SystemReadWork, name: string): Promise<Company | undefined> {
  return await findCompanyByName(work, normalized(name));
}

export async function getCompanyByName(work: SystemReadWork, name: string): Promise<Company> {
  return found(await findCompany(work, name), 'company');
}

/** All companies, in the order of their ids. */
export async function listCompanies(work: SystemReadWork): Promise<readonly Company[]> {
  return await findCompanies(work);
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
