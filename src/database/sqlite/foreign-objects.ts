import Sqlite from 'better-sqlite3';

import { MIGRATIONS } from './migrations/index.js';
import { SqliteConnection } from './connections/connection.js';
import { inspectFile } from './file/inspect.js';
import { applyMigrations, SILENT } from './file/migrate.js';
import { closing } from './file/open-file.js';

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/**
 * Messages about tables, indexes, triggers and views that the migrations of this program have not created,
 * that differ from theirs, or that are missing. A foreign trigger could change or copy records.
 */
export async function foreignObjects(file: string): Promise<readonly string[]> {
  const expected = await objectsAfter(inspectFile(file).applied);
  const actual = closing(new Sqlite(file, { readonly: true, fileMustExist: true }), objectsOf);
  return [
    ...[...actual].flatMap(([key, { type, name, sql }]) => {
      const known = expected.get(key);
      if (known === undefined) return [`the ${type} ${name} is not of this program`];
      return known.sql === sql ? [] : [`the ${type} ${name} differs from the one of this program`];
    }),
    ...[...expected].flatMap(([key, { type, name }]) =>
      actual.has(key) ? [] : [`the ${type} ${name} is missing`],
    ),
  ];
}

/** Objects of the schema that migrations create in an empty database. */
async function objectsAfter(applied: readonly string[]): Promise<ReadonlyMap<string, SchemaObject>> {
  const database = new Sqlite(':memory:');
  try {
    await applyMigrations(new SqliteConnection(database, SILENT), MIGRATIONS, applied);
    return objectsOf(database);
  } finally {
    database.close();
  }
}

/** Objects of the schema by type and name, without SQLite's own. */
function objectsOf(database: Sqlite.Database): ReadonlyMap<string, SchemaObject> {
  const rows = database
    .prepare("select type, name, sql from sqlite_schema where name not like 'sqlite_%' order by type, name")
    .all() as SchemaObject[];
  return new Map(rows.map((row) => [`${row.type} ${row.name}`, row]));
}
