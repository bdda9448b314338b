import { sql, type QueryExecutorProvider } from 'kysely';

import type { StorageSizes } from '../database.js';

/** Bytes of each table with its indexes and long values, and PostgreSQL's latest estimate of its rows. */
export const TABLE_SIZES = `select relname::text as name, pg_total_relation_size(oid) as bytes,
    greatest(reltuples, 0)::bigint as rows
  from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`;

export interface SizeRow {
  readonly name: string;
  readonly bytes: number;
  readonly rows: number;
}

export function sizesOf(found: readonly SizeRow[]): StorageSizes {
  const tables = found.map(({ name, bytes, rows }) => [name, { bytes, rows }] as const);
  return { tables: Object.fromEntries(tables), freeBytes: null };
}

export async function tableSizes(db: QueryExecutorProvider): Promise<StorageSizes> {
  const { rows } = await sql.raw<SizeRow>(TABLE_SIZES).execute(db);
  return sizesOf(rows);
}
