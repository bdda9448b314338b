import { found, getFrom } from '../../../database/company/records.js';
import type { SystemReadWork, SystemWriteWork, WriteWork } from '../../../database/work.js';
import { taken } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import { CompanyCreate, CompanyUpdate, type Company } from './company.model.js';
import { companies, findCompany, insertCompany, updateCompany } from './company.repository.js';

export { companies, findCompany, listCompanies } from './company.repository.js';

/** Changes the caller's company; absent fields keep their values. Errors: `invalid`, `taken`. */
export async function changeCompany(work: WriteWork, input: unknown): Promise<Company> {
  const given = parse(CompanyUpdate, input);
  const { companyId } = work.caller;
  const before = await getFrom(companies, work, companyId, 'company');
  const { name = before.name, timeZone = before.timeZone } = given;
  if (name === before.name && timeZone === before.timeZone) return before;
  if (name !== before.name) await work.acrossCompanies((above) => refuseTaken(above, name));
  const after = { id: companyId, name, timeZone };
  await updateCompany(work, after);
  work.ledger.updated('company', before, after, name === before.name ? {} : { action: 'rename' });
  return after;
}

export async function getCompanyByName(work: SystemReadWork, name: string): Promise<Company> {
  return found(await findCompany(work, name), 'company');
}

/** `by` is the acting user, the company's first member. Errors: `invalid`, `taken`. */
export async function createCompany(work: SystemWriteWork, input: unknown, by: number): Promise<Company> {
  const fields = parse(CompanyCreate, input);
  await refuseTaken(work, fields.name);
  const company = await insertCompany(work, fields);
  work.ledger.created('company', company, { companyId: company.id, userId: by });
  return company;
}

async function refuseTaken(work: SystemReadWork, name: string): Promise<void> {
  if ((await findCompany(work, name)) !== undefined) {
    throw taken('name', 'This name is not available.');
  }
}
