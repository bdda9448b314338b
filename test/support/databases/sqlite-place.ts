import Sqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { closeSync, copyFileSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';

import { connect } from '../../../src/database/sqlite/connect.js';
import { checkFile } from '../../../src/database/sqlite/file/check.js';
import { reading } from '../../../src/database/sqlite/file/open-file.js';
import { openDatabase } from '../../../src/database/sqlite/open.js';
import { removeFolder, scratchFolder } from '../scratch.js';
import type { PlaceOptions, SqlValue, TestPlace } from './place.js';
import { insertText } from './rows.js';

/** How long a statement waits for the writers of other connections. */
const MAX_WAIT_MS = 5_000;

/** Makes a database file, migrated and empty unless it is a copy of another one. */
export function databaseFile(folder: string = scratchFolder(), source = inject('imageFile')): string {
  const file = join(folder, 'gateway.db');
  copyFileSync(source, file);
  return file;
}

/** Overwrites a part of a file, as a disk does that returns other bytes than were written. */
export function overwrite(file: string, offset: number, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, offset);
  closeSync(descriptor);
}

/** Overwrites the first page of a table with random bytes. */
export function damageTable(file: string, table: string): void {
  const query = 'select rootpage from sqlite_schema where name = ?';
  const page = reading(file, (database) => Number(database.prepare(query).pluck().get(table)));
  overwrite(file, (page - 1) * 4096, randomBytes(4096));
}

/** The `DATABASE_URL` of a file. */
export const urlOf = (file: string): string => `file:${file}`;

/** The file of a database, which must be one of SQLite. */
export function fileOf({ url }: Pick<TestPlace, 'url'>): string {
  if (!url.startsWith('file:')) throw new Error(`${url} is no file`);
  return url.slice('file:'.length);
}

export function newSqlitePlace({
  isMigrated = true,
  folder = scratchFolder(),
  copyOf,
}: PlaceOptions): TestPlace {
  if (copyOf !== undefined) return placeAt(databaseFile(folder, fileOf(copyOf)));
  return placeAt(isMigrated ? databaseFile(folder) : join(folder, 'gateway.db'));
}

/** The database of a file, which need not exist yet. */
export function placeAt(file: string): TestPlace {
  const connection = briefConnection(file);
  return {
    url: urlOf(file),
    failInserts: async (table) => {
      const run = (text: string) => withConnection(file, (database) => database.exec(text));
      await run(`create trigger fails before insert on ${table} begin
        select raise(abort, 'UNIQUE constraint failed: groups.name'); end`);
      return async () => void (await run('drop trigger fails'));
    },
    lock: async () => {
      const database = new Sqlite(file, { timeout: 0, fileMustExist: true });
      await whenFree(() => database.exec('begin immediate'));
      return () => {
        database.close();
        return Promise.resolve();
      };
    },
    open: async (options = {}) =>
      existsSync(file) ? connect(file, options) : await openDatabase(file, options),
    sql: async <Row>(text: string, values: readonly SqlValue[] = []) => {
      return await whenFree(() => run(connection(), text, values) as Row[]);
    },
    check: () => Promise.resolve(checkFile(file)),
    stored: () => {
      const files = [file, `${file}-wal`].filter((path) => existsSync(path));
      return Promise.resolve(files.map((path) => readFileSync(path, 'latin1')).join('\n'));
    },
    continueIdsAfter: async (last) => {
      await withConnection(file, (database) => {
        run(database, 'update sqlite_sequence set seq = $1', [last]);
        run(database, 'update counters set last_drawn = $1', [last]);
      });
    },
    insertForbidden: async (rows) => {
      await withConnection(file, (database) => {
        database.pragma('foreign_keys = off');
        for (const [table, row] of rows) run(database, ...insertText(table, [row]));
      });
    },
    unprotectLedger: async () => {
      await withConnection(file, (database) =>
        database.exec(`drop trigger if exists ledger_no_update; drop trigger if exists ledger_no_delete;
          drop index if exists ledger_of_company`),
      );
    },
    // The connection of `sql` ends with this turn.
    disconnect: () => setImmediate(),
    remove: () => {
      removeFolder(dirname(file));
      return Promise.resolve();
    },
  };
}

/**
 * A connection for the statements that follow each other in one turn of the event loop, closed before the next turn. To
 * open one reads the whole schema, which takes longer than most statements.
 */
function briefConnection(file: string): () => Sqlite.Database {
  let open: Sqlite.Database | undefined;
  return () => {
    if (open === undefined) {
      const opened = new Sqlite(file, { timeout: 0, fileMustExist: true });
      open = opened;
      process.nextTick(() => {
        opened.close();
        open = undefined;
      });
    }
    return open;
  };
}

async function withConnection<T>(file: string, use: (database: Sqlite.Database) => T): Promise<T> {
  const database = new Sqlite(file, { timeout: 0, fileMustExist: true });
  try {
    return await whenFree(() => use(database));
  } finally {
    database.close();
  }
}

/** Waits without holding up the event loop, since the server of the test may be what has the lock. */
async function whenFree<T>(use: () => T): Promise<T> {
  const began = performance.now();
  for (;;) {
    try {
      return use();
    } catch (error) {
      const isBusy = error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isBusy || performance.now() - began > MAX_WAIT_MS) throw error;
      await sleep(5);
    }
  }
}

function run(database: Sqlite.Database, text: string, values: readonly SqlValue[]): unknown[] {
  const given: (string | number | Uint8Array | null)[] = [];
  // SQLite looks numbered parameters up by name, which takes seconds for thousands of them.
  const anonymous = text.replace(/\$(\d+)/g, (_whole, number: string) => {
    given.push(bound(values[Number(number) - 1] ?? null));
    return '?';
  });
  const statement = database.prepare(anonymous);
  if (statement.reader) return statement.all(given);
  statement.run(given);
  return [];
}

function bound(value: SqlValue): string | number | Uint8Array | null {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'boolean' ? Number(value) : value;
}
