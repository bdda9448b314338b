import Sqlite from 'better-sqlite3';

import { LONG_COLUMNS } from '../../../src/database/statements.js';

/** Definition of one table as read from the catalogue, in a form common to both databases. */
export interface TableShape {
  /** `name` or `name not null`, ascending. */
  readonly columns: readonly string[];
  readonly primaryKey: string;
  /** Unique keys, ascending; partial ones with `where`. */
  readonly uniqueKeys: readonly string[];
  /** For example `company_id, group_id -> groups (company_id, id) NO ACTION`. */
  readonly foreignKeys: readonly string[];
  /**
   * Columns of indexes that are not unique, with their directions. Without those of SQLite that PostgreSQL cannot have:
   * with expressions, and with texts that may be longer than an entry of an index.
   */
  readonly indexes: readonly string[];
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}
interface IndexRow {
  readonly name: string;
  readonly unique: number;
  readonly origin: string;
  readonly partial: number;
}
interface IndexColumnRow {
  readonly name: string | null;
  readonly desc: number;
  readonly key: number;
}
interface ForeignKeyRow {
  readonly id: number;
  readonly table: string;
  readonly from: string;
  readonly to: string;
  readonly on_delete: string;
}

/** The tables of a migrated SQLite file. */
export function sqliteShapes(file: string): ReadonlyMap<string, TableShape> {
  const db = new Sqlite(file, { readonly: true });
  try {
    const names = db
      .prepare<[], string>("select name from sqlite_schema where type = 'table' and name not like 'sqlite%'")
      .pluck()
      .all();
    const tables = names.filter((name) => name !== 'applied_migrations');
    return new Map(tables.map((name) => [name, shapeOf(db, name)]));
  } finally {
    db.close();
  }
}

function shapeOf(db: Sqlite.Database, table: string): TableShape {
  const rows = <Row>(pragma: string): Row[] => db.pragma(pragma) as Row[];
  const columns = rows<ColumnRow>(`table_info(${table})`);
  const keyed = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const indexes = rows<IndexRow>(`index_list(${table})`).map((index) => ({
    ...index,
    columns: rows<IndexColumnRow>(`index_xinfo(${index.name})`).filter(({ key }) => key === 1),
  }));
  return {
    // An INTEGER PRIMARY KEY is never null, though the catalogue of SQLite does not say so.
    columns: columns
      .map(({ name, notnull, pk }) => `${name}${notnull === 1 || pk > 0 ? ' not null' : ''}`)
      .sort(),
    primaryKey: keyed.map(({ name }) => name).join(', '),
    uniqueKeys: indexes
      .filter((index) => index.unique === 1 && index.origin !== 'pk')
      .map(
        (index) => index.columns.map(({ name }) => name).join(', ') + (index.partial === 1 ? ' where' : ''),
      )
      .sort(),
    foreignKeys: foreignKeysOf(rows<ForeignKeyRow>(`foreign_key_list(${table})`)),
    indexes: indexes
      .filter(
        (index) =>
          index.unique === 0 && index.columns.every(({ name }) => name !== null && !LONG_COLUMNS.has(name)),
      )
      .map((index) =>
        index.columns.map(({ name, desc }) => `${name ?? ''}${desc === 1 ? ' desc' : ''}`).join(', '),
      )
      .sort(),
  };
}

function foreignKeysOf(rows: readonly ForeignKeyRow[]): string[] {
  return [...Map.groupBy(rows, ({ id }) => id).values()]
    .map((parts) => {
      const [first] = parts;
      const from = parts.map((part) => part.from).join(', ');
      const to = parts.map((part) => part.to).join(', ');
      return `${from} -> ${first?.table ?? ''} (${to}) ${first?.on_delete ?? ''}`;
    })
    .sort();
}
