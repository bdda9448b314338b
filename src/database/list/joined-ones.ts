import { sql, type RawBuilder } from 'kysely';

import { andPresent } from '../removals.js';
import type { Tables } from '../tables/tables.js';

/** The record of another list whose id is in a column of the rows, or of what is joined with them before. */
export interface JoinedOne {
  /** Its columns are properties of the rows: `j1_email` for the column `email` of the alias `j1`. */
  readonly alias: string;
  readonly table: keyof Tables;
  readonly id: string;
  readonly company: string;
  readonly columns: readonly string[];
  /** Null for the rows themselves. */
  readonly of: string | null;
  readonly reference: string;
}

/** Different for what is selected in different ways; to be part of the name of a query. */
export const nameOfJoined = ({ alias, table, columns, of, reference }: JoinedOne): string =>
  `${alias} ${table} ${columns.join()} ${of ?? ''} ${reference}`;

/** To be selected. */
export function joinedColumns({ alias, columns }: JoinedOne): readonly RawBuilder<unknown>[] {
  return columns.map((column) => sql`${sql.ref(`${alias}.${column}`)} as ${sql.ref(`${alias}_${column}`)}`);
}

/** `ownCompany` is the column with the company of the rows themselves, `t`. */
export function joinOf(
  { alias, table, id, company, of, reference }: JoinedOne,
  ownCompany: string,
): RawBuilder<unknown> {
  return sql`left join ${sql.table(table)} as ${sql.table(alias)} on ${sql.ref(`${alias}.${company}`)} = ${sql.ref(`t.${ownCompany}`)}
    and ${sql.ref(`${alias}.${id}`)} = ${sql.ref(`${of ?? 't'}.${reference}`)} ${andPresent(table, alias)}`;
}
