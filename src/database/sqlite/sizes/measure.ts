import type Sqlite from 'better-sqlite3';

import type { StorageSizes, TableSize } from '../../database.js';

interface Page {
  readonly name: string;
  readonly pagetype: 'leaf' | 'internal' | 'overflow';
  readonly bytes: number;
  readonly cells: number;
}

/** Pages between two calls of `isStopped`. */
const PAGES = 512;

/**
 * Reads every page of the file: bytes and rows of each table, with its indexes. Null if it was stopped. To be
 * called in a separate process or thread.
 */
export function measureFile(
  database: Sqlite.Database,
  isStopped: () => boolean = () => false,
): StorageSizes | null {
  const trees = treesOf(database);
  const sizes = new Map<string, TableSize>();
  const pages = database
    .prepare('select name, pagetype, pgsize as bytes, ncell as cells from dbstat')
    .iterate() as IterableIterator<Page>;
  let count = 0;
  for (const { name, pagetype, bytes, cells } of pages) {
    if ((count += 1) % PAGES === 0 && isStopped()) return null;
    const { table = name, hasRows = false, isKeyed = false } = trees.get(name) ?? {};
    const before = sizes.get(table) ?? { bytes: 0, rows: 0 };
    const isRow = hasRows && (pagetype === 'leaf' || (isKeyed && pagetype === 'internal'));
    sizes.set(table, { bytes: before.bytes + bytes, rows: before.rows + (isRow ? cells : 0) });
  }
  const freePages = database.pragma('freelist_count', { simple: true }) as number;
  const pageBytes = database.pragma('page_size', { simple: true }) as number;
  return { tables: Object.fromEntries(sizes), freeBytes: freePages * pageBytes };
}

interface Tree {
  readonly table: string;
  /** Whether this is the table itself, not one of its indexes. */
  readonly hasRows: boolean;
  /** Whether rows are in the primary key (WITHOUT ROWID), so that inner pages have rows too. */
  readonly isKeyed: boolean;
}

function treesOf(database: Sqlite.Database): ReadonlyMap<string, Tree> {
  const keyed = new Set(database.prepare('select name from pragma_table_list where wr = 1').pluck().all());
  const objects = database.prepare('select name, tbl_name, type from sqlite_schema').all() as {
    name: string;
    tbl_name: string;
    type: string;
  }[];
  return new Map(
    objects.map(({ name, tbl_name: table, type }) => [
      name,
      { table, hasRows: type === 'table', isKeyed: keyed.has(table) },
    ]),
  );
}
