/**
 * Makes a database of this server from the reference data set, with the same ids, names and times, so that the
 * side-by-side bench follows the schema. Not a test.
 *
 *   npm run bench:load-reference -- REFERENCE.sqlite NEW.db --token TOKEN
 *
 * TOKEN has 40 hexadecimal digits (default: be, 20 times); it is that of user 1, with the scopes read, write, admin and
 * ingest.
 */
import type Sqlite from 'better-sqlite3';
import { parseArgs } from 'node:util';

import { NUMBERED_TABLES } from '../../src/database/company/ids.js';
import { fillDatabase, insertToken } from './fill.js';
import { FILLINGS, RECORDED } from './reference.js';

/** Loads the reference data set in one transaction; resolves to the rows of each table. `target` must not exist. */
export async function loadReference(
  reference: string,
  target: string,
  token: string,
): Promise<ReadonlyMap<string, number>> {
  return await fillDatabase(
    target,
    (insert, database) => {
      const rows = new Map<string, number>();
      for (const { table, columns, from } of FILLINGS) {
        const names = Object.keys(columns).join(', ');
        const query = `select ${Object.values(columns).join(', ')} from ${from}`;
        rows.set(table, database.prepare(`insert into ${table} (${names}) ${query}`).run().changes);
      }
      for (const [table, entityType] of RECORDED) recordCreation(database, table, entityType);
      for (const table of [...NUMBERED_TABLES, 'ledger']) markDrawn(database, table);
      insertToken(insert, 1, token, Date.now());
      return rows;
    },
    reference,
  );
}

/** An entry of the ledger for each record of a table, as its creation would have added. */
function recordCreation(database: Sqlite.Database, table: string, entityType: string): void {
  database
    .prepare(
      `insert into ledger (sequence, company_id, at, user_id, channel, action, entity_type, entity_id, after, request_id, ip)
       select (select coalesce(max(sequence), 0) from ledger where company_id = r.company_id)
           + row_number() over (partition by company_id order by id),
         company_id, created_at, created_by, 'api', 'create', ?, id, json_object('id', id),
         lower(hex(randomblob(16))), '127.0.0.1'
       from ${table} r order by id`,
    )
    .run(entityType);
}

/** Later ids and sequences come after those that were loaded. */
function markDrawn(database: Sqlite.Database, table: string): void {
  const column = table === 'ledger' ? 'sequence' : 'id';
  database
    .prepare(
      `insert into counters (company_id, name, total, last_drawn)
       select company_id, '${table}', 0, max(${column}) from ${table} group by company_id
       on conflict (company_id, name) do update set last_drawn = excluded.last_drawn`,
    )
    .run();
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { token: { type: 'string', default: 'be'.repeat(20) } },
  });
  const [reference, target] = positionals;
  if (reference === undefined || target === undefined) {
    throw new Error('Name the reference file and the new database: REFERENCE.sqlite NEW.db');
  }
  for (const [table, rows] of await loadReference(reference, target, values.token)) {
    process.stdout.write(`${table.padEnd(30)}${String(rows).padStart(10)}\n`);
  }
}
