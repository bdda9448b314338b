import { sql, type QueryExecutorProvider } from 'kysely';
import type { Client } from 'pg';

import { MINUTE_OF_TRANSACTION } from '../../schema/postgres-triggers.js';
import type { StorageSizes } from '../database.js';
import { totalChecks } from '../tools.js';
import { readAsSystem } from './roles.js';

/**
 * Compares counters and totals, which triggers maintain, with the rows, and finds tables without a policy.
 * Resolves to a message for each problem. `pg_amcheck` of PostgreSQL finds damage of the storage itself.
 */
export async function checkServer(client: Client): Promise<readonly string[]> {
  const problemsOf = async (query: string): Promise<string[]> =>
    (await client.query<{ problem: string }>(query)).rows.map(({ problem }) => problem);
  const problems = await problemsOf(OPEN_TABLES);
  return await readAsSystem(client, async () => {
    for (const query of CHECKS) problems.push(...(await problemsOf(query)));
    return problems;
  });
}

/** Number of rows of all companies in each table; shows whether a dump contains any rows. */
export async function rowCounts(client: Client): Promise<Readonly<Record<string, number>>> {
  return await readAsSystem(client, async () => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname::text as name from pg_class where relkind = 'r'
        and relnamespace = current_schema()::regnamespace and has_table_privilege(oid, 'select') order by 1`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ total: number }>(`select count(*) as total from "${name}"`);
      counts[name] = rows[0]?.total ?? 0;
    }
    return counts;
  });
}

const OPEN_TABLES = `select 'the table ' || c.relname || ' has no policy that keeps companies apart' as problem
  from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attname = 'company_id'
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    and not (c.relrowsecurity and c.relforcerowsecurity)`;

const CHECKS = totalChecks(
  MINUTE_OF_TRANSACTION,
  (seconds) => `to_char(to_timestamp(${seconds}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`,
);

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
