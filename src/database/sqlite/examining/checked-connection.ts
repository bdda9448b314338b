/**
 * A connection whose statements can be stopped: each table is read through a temporary view of the same name, whose
 * condition calls `may_go_on` for one in 64 rows (decisions.md#many-rows). SQLite merges the view into the statement, so
 * the plan stays the same. A table with a prescribed index (`indexed by`) has a view for each index.
 *
 * This file also runs as TypeScript in a thread, where Node only removes the types: it imports no file of the project.
 */
import Sqlite from 'better-sqlite3';

/** Milliseconds to wait for a lock, which block only this thread. */
const BUSY_TIMEOUT_MS = 1_000;

export interface CheckedOptions {
  /** Called repeatedly while a statement runs; false stops it. */
  readonly mayGoOn: () => boolean;
  /** Average number of rows between two calls of `mayGoOn`, a power of two. */
  readonly rowsPerCheck?: number;
}

export class Stopped extends Error {
  override readonly name = 'Stopped';
}

type Column = Readonly<Record<'name' | 'type', string> & Record<'pk', number>>;
type SchemaObject = Readonly<Record<'type' | 'name' | 'tbl_name' | 'sql', string>>;

/** Opens a file for reading. Errors: those of SQLite. */
export function openChecked(file: string, options: CheckedOptions): Sqlite.Database {
  const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    database.pragma('trusted_schema = 0');
    database.function('may_go_on', { deterministic: false }, (_row: unknown) => {
      if (options.mayGoOn()) return 1;
      throw new Stopped();
    });
    for (const view of viewsOf(database, options.rowsPerCheck ?? 64)) database.exec(view);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The text of a statement with the views of prescribed indexes instead of `indexed by`. */
export function checkedText(sql: string): string {
  return sql.replace(/"(\w+)" as "(\w+)" indexed by "(\w+)"/g, '"$1 indexed by $3" as "$2"');
}

function viewsOf(database: Sqlite.Database, rowsPerCheck: number): string[] {
  const objects = database
    .prepare(
      // A view over an index of names (schema/search.ts) could not be searched.
      `select type, name, tbl_name, sql from sqlite_schema
       where tbl_name not like 'sqlite_%' and instr(tbl_name, '_search') = 0 and type in ('table', 'index', 'view') order by rowid`,
    )
    .all() as SchemaObject[];
  return objects.map(({ type, name, tbl_name: table, sql }) => {
    // A view of the file reads tables of the file, so it is created again over the temporary views.
    if (type === 'view') return sql.replace(/^create view/i, 'create temp view');
    const columns = database.pragma(`table_info(${quoted(table)})`) as Column[];
    const check = checkOf(columns, rowsPerCheck);
    return type === 'table'
      ? `create temp view ${quoted(name)} as select * from main.${quoted(table)} where ${check}`
      : `create temp view ${quoted(`${table} indexed by ${name}`)} as
          select * from main.${quoted(table)} indexed by ${quoted(name)} where ${check}`;
  });
}

/**
 * Condition that calls `may_go_on` for some of the rows: chosen by a product of the id with a random factor, squared
 * twice, so that no client can choose ids to avoid them, and any few thousand consecutive ids include some. (The product
 * alone leaves out 2,000 consecutive ids with one factor in a hundred.) Without an id, a random number for each row
 * takes six times as long. SQLite evaluates a condition without a column only once; the key is part of every index.
 */
function checkOf(columns: readonly Column[], rowsPerCheck: number): string {
  const key = columns.filter(({ pk }) => pk > 0);
  const name = quoted(key.at(-1)?.name ?? columns[0]?.name ?? '');
  const isId = key.length === 1 && key[0]?.type.toLowerCase() === 'integer';
  const factor = 2 * Math.floor(Math.random() * 2 ** 29) + 2 ** 29 + 1;
  // 26 bits, so that the squares are exact integers.
  const product = `((${name} * ${factor}) & ${2 ** 26 - 1})`;
  const square = `(((${product} * ${product}) >> 13) & ${2 ** 26 - 1})`;
  const chosen = isId ? `(${square} * ${square}) >> 20` : 'random()';
  return `((${chosen} & ${rowsPerCheck - 1}) <> 0 or may_go_on(${name}))`;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
