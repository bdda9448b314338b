import Sqlite from 'better-sqlite3';

/** While a connection is set up, others may be closing or recovering the same file. */
const OPENING_WAIT_MS = 5_000;
/** Waiting inside the engine stops everybody. Writers do not: their waiting is asynchronous. */
const READERS_WAIT_MS = 20;
/** A log that a long reader let grow is cut back to this. */
const LOG_BYTES_KEPT = 16 * 1024 * 1024;

/** Without these, acknowledged changes could be lost, companies linked, or the ledger and totals passed by. */
const DEMANDED = {
  journal_mode: 'wal',
  synchronous: 2,
  foreign_keys: 1,
  recursive_triggers: 1,
  trusted_schema: 0,
} as const;

/** A connection on which what is acknowledged is durable; anything else is refused. */
export function openFile(file: string, { readonly }: { readonly: boolean }): Sqlite.Database {
  const database = new Sqlite(file, { readonly, timeout: OPENING_WAIT_MS });
  try {
    if (!readonly) database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    // Else a row that replaces another takes it away without its triggers.
    database.pragma('recursive_triggers = ON');
    database.pragma('trusted_schema = OFF');
    // The engine's own checkpoints keep their failures to themselves: see SqliteConnection.
    database.pragma('wal_autocheckpoint = 0');
    database.pragma(`journal_size_limit = ${LOG_BYTES_KEPT}`);
    assertPragmas(database);
    database.pragma(`busy_timeout = ${readonly ? READERS_WAIT_MS : 0}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function assertPragmas(database: Sqlite.Database): void {
  for (const [pragma, value] of Object.entries(DEMANDED)) {
    const actual = database.pragma(pragma, { simple: true });
    if (actual !== value) throw new Error(`SQLite runs with ${pragma}=${String(actual)}, not ${value}`);
  }
}
