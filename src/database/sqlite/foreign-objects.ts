import Sqlite from 'better-sqlite3';

import { SqliteConnection } from './connections/connection.js';
import { inspectFile } from './file/inspect.js';
import { createSchema, inTransaction, SILENT } from './file/migrate.js';
import { closing } from './file/open-file.js';

/**
 * Messages about tables, indexes, triggers and views that are not in the schema of this program, that differ
 * from it, or that are missing. A foreign trigger could change or copy records. None for an older file, which
 * is compared after its migration.
 */
export async function foreignObjects(file: string): Promise<readonly string[]> {
  if (inspectFile(file).state !== 'current') return [];
  const expected = await objectsOfSchema();
  const actual = closing(new Sqlite(file, { readonly: true, fileMustExist: true }), objectsOf);
  return [
    ...[...actual].flatMap(([name, definition]) => {
      const known = expected.get(name);
      if (known === undefined) return [`the ${name} is not of this program`];
      return known === definition ? [] : [`the ${name} differs from the one of this program`];
    }),
    ...[...expected.keys()].flatMap((name) => (actual.has(name) ? [] : [`the ${name} is missing`])),
  ];
}

async function objectsOfSchema(): Promise<ReadonlyMap<string, string>> {
  const database = new Sqlite(':memory:');
  try {
    await inTransaction(new SqliteConnection(database, SILENT), createSchema);
    return objectsOf(database);
  } finally {
    database.close();
  }
}

/** Definitions by type and name, without SQLite's own objects. */
function objectsOf(database: Sqlite.Database): ReadonlyMap<string, string> {
  // A migration that adds a column changes the text of its table, not what the table is.
  const rows = database
    .prepare(
      `select type || ' ' || name, case type when 'table' then (
          select group_concat(c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || c.pk, ', ' order by c.name)
            from pragma_table_xinfo(s.name) as c)
        else sql end
      from sqlite_schema as s where name not like 'sqlite_%' order by 1`,
    )
    .raw()
    .all() as [string, string][];
  return new Map(rows);
}
