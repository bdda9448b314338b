/** Rows that `audit verify` reads: entries of one company in pages, and the heads of all chains. */
import { sql } from 'kysely';

import type { Row } from '../../schema/schema.js';
import type { SystemReadWork } from '../work.js';
import { entriesOf, NO_COMPANY, type ChainHead } from './chain.js';

/** Entries per page. One entry may have half a megabyte. */
const PAGE_SIZE = 50;

/** Entries with sequences after `after`, up to `upTo`, ascending; at most 50. */
export async function selectEntries(
  work: SystemReadWork,
  companyId: number,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<readonly Row<'ledger'>[]> {
  const { rows } = await sql<Row<'ledger'>>`select * from ledger
    where ${entriesOf(companyId)} and sequence > ${after} and sequence <= ${upTo}
    order by sequence limit ${PAGE_SIZE}`.execute(work.db);
  return rows;
}

/** Current state of the ledger of a company. */
export interface ChainState {
  readonly companyId: number;
  /** Name of the company, or `no company` for entries without one. */
  readonly name: string;
  readonly head: ChainHead | null;
  /** Sequence of the last entry, with or without a hash; 0 if there is none. */
  readonly last: number;
  /**
   * Entries that retention has deleted: all up to the sequence `upTo`; `newestAt` is the time of the last
   * one. Null if none.
   */
  readonly pruned: { readonly upTo: number; readonly newestAt: Date } | null;
}

/** States of all companies by name, including those without entries, and of the entries without a company. */
export async function selectStates(work: SystemReadWork): Promise<readonly ChainState[]> {
  const { db } = work;
  const companies = await db.selectFrom('companies').select(['id', 'name']).orderBy('name').execute();
  const heads = new Map(
    (await db.selectFrom('ledger_chains').selectAll().execute()).map((head) => [head.company_id, head]),
  );
  const { rows } = await sql<{ company_id: number; last: number }>`
    select coalesce(company_id, ${NO_COMPANY}) as company_id, max(sequence) as last from ledger
    group by company_id`.execute(db);
  const last = new Map(rows.map((row) => [row.company_id, row.last]));
  const rowsPruned = await db.selectFrom('prunings').selectAll().where('name', '=', 'ledger').execute();
  const pruned = new Map(
    rowsPruned.map((row) => [row.company_id, { upTo: row.up_to, newestAt: new Date(row.newest_at) }]),
  );
  return [...companies, { id: NO_COMPANY, name: 'no company' }].map(({ id, name }) => ({
    ...{ companyId: id, name, head: heads.get(id) ?? null, last: last.get(id) ?? 0 },
    pruned: pruned.get(id) ?? null,
  }));
}
