/** Rows of lists besides pages: one with those that it refers to, and new ones in the order of their ids. */
import { sql } from 'kysely';

import { runCached } from '../statements.js';
import { hiddenFromPlanner, indexedBy, type Sql } from '../storage.js';
import type { ReadWork, SystemReadWork } from '../work.js';
import { condition, type Condition, type FilterKind } from './condition.js';
import {
  ofCompany,
  selected,
  tableWith,
  type AnyListing,
  type ListTable,
  type ListRow,
  type Reading,
} from './listing.js';

/** A record of another list, whose id is in a column of the rows or of a record joined before. */
export interface JoinedOne {
  /** Columns of the joined record are properties of the rows: `j1_email` for the column `email` of the alias `j1`. */
  readonly alias: string;
  readonly listing: ListTable;
  readonly columns: readonly string[];
  /** Alias of the joined record that has the reference; null for the rows themselves. */
  readonly of: string | null;
  readonly reference: string;
}

/** Part of the name of a query, different for each way of joining. */
const nameOfJoined = ({ alias, listing, columns, of, reference }: JoinedOne): string =>
  `${alias} ${listing.table} ${columns.join()} ${of ?? ''} ${reference}`;

function joinedColumns({ alias, columns }: JoinedOne): readonly Sql[] {
  return columns.map((column) => sql`${sql.ref(`${alias}.${column}`)} as ${sql.ref(`${alias}_${column}`)}`);
}

/** `ownCompany` is the column with the company of the rows themselves, `t`. */
function joinOf({ alias, listing, columns, of, reference }: JoinedOne, ownCompany: string): Sql {
  const { table, id, company = 'company_id' } = listing;
  return sql`left join ${tableWith(table, columns)} as ${sql.table(alias)} on ${sql.ref(`${alias}.${company}`)} = ${sql.ref(`t.${ownCompany}`)}
    and ${sql.ref(`${alias}.${id}`)} = ${sql.ref(`${of ?? 't'}.${reference}`)}`;
}

export async function readJoined(
  work: ReadWork,
  { listing, read, key }: Reading,
  id: number,
  joined: readonly JoinedOne[],
): Promise<ListRow | undefined> {
  const joins = (): Sql[] => joined.map((one) => joinOf(one, listing.company ?? 'company_id'));
  const rows = await runCached<ListRow>(
    work.db,
    [key, 'by id', ...joined.map(nameOfJoined)].join(),
    [work.caller.companyId, id],
    () => sql`select ${sql.join([selected('t', read), ...joined.flatMap(joinedColumns)])}
      from ${tableWith(listing.table, read)} as t ${sql.join(joins(), sql` `)}
      where ${ofCompany(listing, work, null)} and ${sql.ref(`t.${listing.id}`)} = ${hiddenFromPlanner(id)}`,
  );
  return rows[0];
}

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

export interface NewRows<T> {
  readonly name: string;
  readonly filters: Readonly<Record<string, FilterKind>>;
  span(work: SystemReadWork, companyId: number): Promise<IdSpan>;
  /** The company's records in the range, ascending by id. Scans at most as many rows as the range has ids. */
  read(work: ReadWork, range: IdRange): Promise<readonly T[]>;
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
    read: async (work, { after, upTo, limit, condition: where }) => {
      const { rows } = await sql<ListRow>`select t.* from ${indexedBy(table, 't', index)}
        where t.company_id = ${work.caller.companyId} and ${column} > ${after} and ${column} <= ${upTo}
          ${where === null ? sql`` : sql`and ${condition(filters, where)}`}
        order by ${column} limit ${limit}`.execute(work.db);
      return rows.map(recordOf);
    },
  };
}
