import { sql, type Selectable } from 'kysely';

import { specialSql } from '../../../database/company/company-rows.js';
import { randomId } from '../../../database/counters.js';
import { listOf } from '../../../database/list/list.js';
import { instant } from '../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import { normalized } from '../../../platform/validate.js';
import type { Tables } from '../../../schema/schema.js';
import type { Company, CompanySummary, ResponseTexts } from './company.model.js';

export async function findCompany(work: SystemReadWork, name: string): Promise<Company | undefined> {
  const { db } = specialSql(work);
  const query = db.selectFrom('companies').selectAll();
  const row = await query.where('name', '=', normalized(name)).executeTakeFirst();
  return row && recordOf(row);
}

export async function insertCompany(work: SystemWriteWork, given: Omit<Company, 'id'>): Promise<Company> {
  const { db } = specialSql(work);
  const id = await randomId(db, 'companies');
  const now = instant.toColumn(work.now);
  const row = { id, ...columnsOf(given), created_at: now, updated_at: now };
  await db.insertInto('companies').values(row).execute();
  return { id, ...given };
}

export async function updateCompany(work: SystemWriteWork, company: Company): Promise<void> {
  const { db } = specialSql(work);
  const changes = { ...columnsOf(company), updated_at: instant.toColumn(work.now) };
  await db.updateTable('companies').set(changes).where('id', '=', company.id).execute();
}

const columnsOf = ({ name, timeZone, currency, responseTexts }: Omit<Company, 'id'>) => ({
  name,
  time_zone: timeZone,
  currency,
  response_texts: JSON.stringify(responseTexts),
});

type Row = Omit<Selectable<Tables['companies']>, 'created_at' | 'updated_at'>;

const recordOf = ({ id, name, time_zone: timeZone, currency, response_texts: texts }: Row): Company => ({
  id,
  name,
  timeZone,
  currency,
  responseTexts: JSON.parse(texts) as ResponseTexts,
});

/** All companies of the server, ordered by name, for its operator. */
export async function listCompanies(work: SystemReadWork): Promise<CompanySummary[]> {
  const { db } = specialSql(work);
  const { rows } = await sql<Omit<CompanySummary, 'createdAt'> & { at: number }>`
    select c.id, c.name, c.time_zone as "timeZone", c.currency, c.created_at as at, coalesce(n.total, 0) as members
    from companies as c left join counters as n on n.company_id = c.id and n.name = 'users'
    order by c.name`.execute(db);
  return rows.map(({ at, ...company }) => ({ ...company, createdAt: instant.fromColumn(at) }));
}

/** Has only the caller's company. */
export const companies = listOf<'companies', Company>({
  name: 'Company',
  table: 'companies',
  id: 'id',
  orders: { ID: 'id' },
  filters: {},
  recordOf,
  company: 'id',
  rows: 1,
});
