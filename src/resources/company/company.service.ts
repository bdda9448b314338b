import type { SystemReadWork, SystemWriteWork, WriteWork } from '../../database/work.js';
import { normalized } from '../../platform/encoding/text.js';
import { taken } from '../../platform/errors.js';
import { parse } from '../../platform/validate.js';
import { found } from '../shared/records.service.js';
import { CompanyCreate, type Company, type CompanySummary } from './company.model.js';
import {
  companies,
  findCompanyByName,
  insertCompany,
  selectCompanies,
  updateCompanyName,
} from './company.repository.js';

export { companies } from './company.repository.js';

/** All companies of the server, ordered by name, for its operator. */
export async function listCompanies(work: SystemReadWork): Promise<readonly CompanySummary[]> {
  return await selectCompanies(work);
}

/** Renames the caller's company. Errors: `invalid`, `taken`. */
export async function renameCompany(work: WriteWork, input: unknown): Promise<Company> {
  const { name } = parse(CompanyCreate, input);
  const { companyId } = work.caller;
  const before = found((await companies.byIds(work, [companyId])).get(companyId), 'company');
  if (name === before.name) return before;
  await work.aboveCompanies((above) => refuseTaken(above, name));
  const after = await updateCompanyName(work, before.id, name);
  work.ledger.updated('company', before, after, { action: 'rename' });
  return after;
}

export async function findCompany(work: SystemReadWork, name: string): Promise<Company | undefined> {
  return await findCompanyByName(work, normalized(name));
}

export async function getCompanyByName(work: SystemReadWork, name: string): Promise<Company> {
  return found(await findCompany(work, name), 'company');
}

/** `by` is the acting user, the company's first member. Errors: `invalid`, `taken`. */
export async function createCompany(work: SystemWriteWork, input: unknown, by: number): Promise<Company> {
  const { name } = parse(CompanyCreate, input);
  await refuseTaken(work, name);
  const company = await insertCompany(work, name);
  work.ledger.created('company', company, { companyId: company.id, userId: by });
  return company;
}

async function refuseTaken(work: SystemReadWork, name: string): Promise<void> {
  if ((await findCompanyByName(work, name)) !== undefined) {
    throw taken('name', 'This name is not available.');
  }
}
