import { sql } from 'kysely';

import { CompanyRows, only, specialSql } from '../../../database/company/company-rows.js';
import { NO_COMPANY, pruneLedger } from '../../../database/ledger-chain.js';
import { deletedUpTo, prunedUpTo, type PrunedTable, type Retained } from '../../../database/prunings.js';
import { instant, nullable } from '../../../database/storage.js';
import type { ReadWork, SystemReadWork } from '../../../database/work.js';

const time = nullable(instant);
const prunings = new CompanyRows('prunings');

/** Companies after an id, ascending, with the time of their oldest row in ms since 1970, or null. One statement. */
export async function selectAges(work: SystemReadWork, { oldest }: Retained, after: number, limit: number) {
  const { db } = specialSql(work);
  const { rows } = await sql<{ id: number; oldest: number | null }>`
    select c.id, (${oldest}) as oldest from
      (select id from companies where id > ${after} order by id limit ${limit}) as c
    order by c.id`.execute(db);
  return rows;
}

/** Time of the oldest ledger entry without a company (failed sign-ins) in ms since 1970; null if none. */
export async function selectAgeOfNoCompany(work: SystemReadWork): Promise<number | null> {
  const { db } = specialSql(work);
  const after = await prunedUpTo(db, NO_COMPANY, 'ledger');
  const { rows } = await sql<{ at: number }>`select at from ledger
    where company_id is null and sequence > ${after} order by sequence limit 2`.execute(db);
  return rows.length > 1 ? (rows[0]?.at ?? null) : null;
}

/** Number and times of the rows of a company from before a time; times are null without rows. One statement. */
export async function selectOld(work: SystemReadWork, { aged }: Retained, companyId: number, before: Date) {
  const { db } = specialSql(work);
  const { rows } = await sql<{ count: number; oldest: number | null; newest: number | null }>`
    select count(*) as count, min(at) as oldest, max(at) as newest
    from (${aged(companyId, before)}) as aged`.execute(db);
  const { count, oldest, newest } = only(rows);
  return { count, oldest: time.fromColumn(oldest), newest: time.fromColumn(newest) };
}

export type OldRows = Awaited<ReturnType<typeof selectOld>>;

/** Entries of ledgers, also those without a company. */
export const ledgerRetention: Retained = {
  kind: 'ledger',
  table: 'ledger',
  rowsPerUnit: 400,
  // The last entry of a ledger is never deleted.
  oldest: sql`select case when exists (select 1 from ledger as n where n.company_id = c.id and n.sequence = l.sequence + 1)
      then l.at end
    from ledger as l where l.company_id = c.id and l.sequence > ${deletedUpTo('ledger')} order by l.sequence limit 1`,
  aged: (companyId, before) => {
    const ofCompany = companyId === NO_COMPANY ? sql`company_id is null` : sql`company_id = ${companyId}`;
    return sql`select at from ledger where ${ofCompany} and at < ${before}
      and sequence < (select max(sequence) from ledger where ${ofCompany})`;
  },
  deleteOld: pruneLedger,
};

/** Number of deleted rows of a company's table, their highest id (0 for deliveries) and newest time. */
export interface Deleted {
  readonly count: number;
  readonly upTo: number;
  readonly newestAt: Date | null;
}

export type DeletedRows = Readonly<Record<'transactions' | 'ledger' | 'deliveries', Deleted>>;

/** Statistics of the deleted rows of the caller's company. One statement. */
export async function selectDeleted(work: ReadWork): Promise<DeletedRows> {
  const rows = await prunings.select(work, { name: ['ledger', 'transactions', 'notification_deliveries'] });
  const of = (table: PrunedTable): Deleted => {
    const row = rows.find(({ name }) => name === table);
    if (row === undefined) return { count: 0, upTo: 0, newestAt: null };
    return { count: row.total, upTo: row.up_to, newestAt: instant.fromColumn(row.newest_at) };
  };
  return {
    ledger: of('ledger'),
    transactions: of('transactions'),
    deliveries: of('notification_deliveries'),
  };
}

/** Number of deleted rows of all companies, by table. */
export async function selectDeletedByTable(work: SystemReadWork): Promise<Readonly<Record<string, number>>> {
  const { db } = specialSql(work);
  const { rows } = await sql<{ name: string; total: number }>`select name, sum(total) as total from prunings
    group by name`.execute(db);
  return Object.fromEntries(rows.map(({ name, total }) => [name, total]));
}
