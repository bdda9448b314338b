import type { Client } from 'pg';

import { COPIED_TABLES } from '../../copy/tables.js';

/** Statements that drop and create each index, except those of constraints. */
const INDEXES = `select 'drop index ' || i.indexrelid::regclass as removal, pg_get_indexdef(i.indexrelid) as creation
  from pg_index as i join pg_class as c on c.oid = i.indrelid
  where c.relnamespace = current_schema()::regnamespace and c.relname = any($1)
    and not exists (select from pg_constraint where conindid = i.indexrelid)
  order by i.indexrelid`;

const FOREIGN_KEYS = `select format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname) as removal,
    format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as creation
  from pg_constraint as k join pg_class as c on c.oid = k.conrelid
  where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace and c.relname = any($1)
  order by k.oid`;

const TRIGGERS = COPIED_TABLES.map(
  (table) => `alter table ${table} disable trigger user, no force row level security`,
);
const TRIGGERS_BACK = COPIED_TABLES.map(
  (table) => `alter table ${table} enable trigger user, force row level security`,
);

/**
 * Removes or turns off all that makes inserts slow or would change rows: indexes, foreign keys, triggers and
 * row-level security. Must be called in the transaction of the copy, which commits all of it or nothing.
 * Returns a function that restores everything; foreign keys are then checked.
 */
export async function setAside(client: Client): Promise<() => Promise<void>> {
  const creations: string[] = [];
  for (const query of [INDEXES, FOREIGN_KEYS]) {
    const { rows } = await client.query<{ removal: string; creation: string }>(query, [COPIED_TABLES]);
    for (const { removal, creation } of rows) {
      await client.query(removal);
      creations.push(creation);
    }
  }
  await client.query(TRIGGERS.join('; '));
  return async () => {
    for (const creation of creations) await client.query(creation);
    await client.query(TRIGGERS_BACK.join('; '));
  };
}
