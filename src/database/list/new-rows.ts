/** New rows of lists, in the order of their ids. */
import { sql } from 'kysely';

import type { Caller } from '../../platform/requests.js';
import { indexedBy } from '../storage.js';
import type { ReadWork, SystemReadWork, Units } from '../work.js';
import { condition, meant, type Condition, type FilterKind } from './condition.js';
import type { AnyListing, ListRow } from './listing.js';

/** Ids of a company in a table. They become visible in ascending order, since its units write in turn. */
export interface IdSpan {
  /** The lowest id that exists; `last + 1` if the table is empty. */
  readonly first: number;
  /** The highest id ever drawn for the company, even if its row was deleted. */
  readonly last: number;
}

/** Range of ids greater than `after`, up to `upTo`; at most `limit` records that meet the condition. */
export interface IdRange {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  readonly condition: Condition | null;
}

/** Records that were found by looking, without a place in the order: their ids are below 0. */
export interface Look<T> {
  /** Counts the looks of this node. */
  readonly number: number;
  readonly records: readonly T[];
}

export interface NewRows<T> {
  readonly name: string;
  readonly filters: Readonly<Record<string, FilterKind>>;
  span(work: SystemReadWork, companyId: number): Promise<IdSpan>;
  /** The company's records in the range, ascending by id. Scans at most as many rows as the range has ids. */
  read(work: ReadWork, range: IdRange): Promise<readonly T[]>;
  /** Changes without a row since the look with the number `after`; none for null. Followers share a look for seconds. */
  readonly look?: (
    units: Pick<Units, 'read'>,
    caller: Caller,
    after: number | null,
    condition: Condition | null,
  ) => Promise<Look<T>>;
}

/** `index` is the name of the index over the company and the id. */
export function newRowsOf<T>(listing: AnyListing<T>, index: string): Pick<NewRows<T>, 'span' | 'read'> {
  const { table, id, filters, recordOf } = listing;
  const column = sql.ref(`t.${id}`);
  return {
    span: async (work, companyId) => {
      const { rows } = await sql<{ first: number | null; last: number | null }>`select
        (select ${column} from ${sql.table(table)} as t where t.company_id = ${companyId}
          order by ${column} limit 1) as first,
        (select last_drawn from counters where company_id = ${companyId} and name = ${table}) as last`.execute(
        work.db,
      );
      const last = rows[0]?.last ?? 0;
      return { first: rows[0]?.first ?? last + 1, last };
    },
    read: async (work, { after, upTo, limit, condition: given }) => {
      const where = meant(filters, given, work);
      const { rows } = await sql<ListRow>`select t.* from ${indexedBy(table, 't', index)}
        where t.company_id = ${work.caller.companyId} and ${column} > ${after} and ${column} <= ${upTo}
          ${where === null ? sql`` : sql`and ${condition(filters, where)}`}
        order by ${column} limit ${limit}`.execute(work.db);
      return rows.map(recordOf);
    },
  };
}
