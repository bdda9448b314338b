import type { Client } from 'pg';

import type { TargetState } from '../../copy/place.js';
import { COPIED_TABLES } from '../../copy/tables.js';
import { UNFINISHED_TABLE } from '../../copy/unfinished.js';
import { AS_SYSTEM } from '../roles.js';

/** Source of the unfinished copy in the database; null if the database is none. */
export async function unfinishedCopyIn(client: Client): Promise<string | null> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    `select to_regclass('${UNFINISHED_TABLE}') is not null as found`,
  );
  if (tables[0]?.found !== true) return null;
  const { rows } = await client.query<{ source: string }>(`select source from ${UNFINISHED_TABLE}`);
  return rows[0]?.source ?? '';
}

/** State of a database that has tables; an older one may have fewer. */
export async function stateOfCopy(client: Client): Promise<TargetState> {
  const unfinished = await unfinishedCopyIn(client);
  const { rows: existing } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = current_schema() and tablename = any($1)',
    [COPIED_TABLES],
  );
  const counts = existing.map(({ name }) => `select count(*) as rows from ${name}`);
  await client.query(`begin; ${AS_SYSTEM}`);
  const { rows } = await client.query<{ records: number }>(
    `select coalesce(sum(rows), 0) as records from (${counts.join(' union all ')}) as counted`,
  );
  await client.query('rollback');
  return { records: rows[0]?.records ?? 0, unfinished };
}
