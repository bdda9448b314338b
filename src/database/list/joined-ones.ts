import { sql, type RawBuilder } from 'kysely';

import type { Tables } from '../../schema/schema.js';
import { runCached } from '../statements.js';
import { hiddenFromPlanner } from '../storage.js';
import type { ReadWork } from '../work.js';
import { ALL, tableWith } from './companions.js';
import { ofCompany, type ListTable } from './scope.js';

/** A record of another list, whose id is in a column of the rows or of a record joined before. */
export interface JoinedOne {
  /** Columns of the joined record are properties of the rows: `j1_email` for the column `email` of the alias `j1`. */
  readonly alias: string;
  readonly table: keyof Tables;
  readonly id: string;
  readonly company: string;
  readonly columns: readonly string[];
  /** Alias of the joined record that has the reference; null for the rows themselves. */
  readonly of: string | null;
  readonly reference: string;
}

/** Part of the name of a query, different for each way of joining. */
const nameOfJoined = ({ alias, table, columns, of, reference }: JoinedOne): string =>
  `${alias} ${table} ${columns.join()} ${of ?? ''} ${reference}`;

function joinedColumns({ alias, columns }: JoinedOne): readonly RawBuilder<unknown>[] {
  return columns.map((column) => sql`${sql.ref(`${alias}.${column}`)} as ${sql.ref(`${alias}_${column}`)}`);
}

/** `ownCompany` is the column with the company of the rows themselves, `t`. */
function joinOf(
  { alias, table, id, company, columns, of, reference }: JoinedOne,
  ownCompany: string,
): RawBuilder<unknown> {
  return sql`left join ${tableWith(table, columns)} as ${sql.table(alias)} on ${sql.ref(`${alias}.${company}`)} = ${sql.ref(`t.${ownCompany}`)}
    and ${sql.ref(`${alias}.${id}`)} = ${sql.ref(`${of ?? 't'}.${reference}`)}`;
}

interface Joining {
  readonly list: ListTable;
  /** Name of the list, for the names of queries. */
  readonly key: string;
  readonly selected: RawBuilder<unknown>;
  /** Columns that `selected` uses. */
  readonly used: readonly string[];
  readonly id: number;
  readonly joined: readonly JoinedOne[];
}

/** A row of a list by its id, with the joined columns. */
export async function readJoined<R>(
  work: ReadWork,
  { list, key, selected, used, id, joined }: Joining,
): Promise<R | undefined> {
  const rows = await runCached<R>(
    work.db,
    [key, 'by id', ...joined.map(nameOfJoined)].join(),
    [work.caller.companyId, id],
    () => sql`select ${sql.join([selected, ...joined.flatMap(joinedColumns)])} from ${tableWith(list.table, [ALL, ...used])} as t
      ${sql.join(
        joined.map((one) => joinOf(one, list.company ?? 'company_id')),
        sql` `,
      )}
      where ${ofCompany(list, work, null)} and ${sql.ref(`t.${list.id}`)} = ${hiddenFromPlanner(id)}`,
  );
  return rows[0];
}
