import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely } from 'kysely';

import { openFile, SqliteConnection, type Watcher } from './sqlite/connection.js';
import { SqliteConnectionDialect } from './sqlite/dialect.js';
import { migrateFile } from './sqlite/migrate.js';
import type { Tables } from './tables.js';

/** The database as units of work use it: one handle for reads, one for writes, on one file. */
export interface Database {
  readonly file: string;
  readonly reads: Kysely<Tables>;
  readonly writes: Kysely<Tables>;
  /** Calls `listener` with the text of each statement until the returned function is called. */
  watchStatements(listener: (sql: string) => void): () => void;
  readonly health: DatabaseHealth;
  close(): Promise<void>;
}

export interface DatabaseHealth {
  /** The code of the storage's latest fault, until a write succeeds again; a damaged file stays damaged. */
  fault: string | null;
}

export interface OpenOptions {
  /** Called once when the engine can no longer promise that what it acknowledges is kept. */
  readonly onFatal?: (error: unknown) => void;
}

/** Opens a SQLite file, creating and migrating it where needed. */
export async function openDatabase(file: string, options: OpenOptions = {}): Promise<Database> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = !existsSync(file);
  await migrateFile(file);
  if (fresh) chmodSync(file, 0o600);
  return connect(file, options);
}

/** Opens a file that is known to be current. */
export function connect(file: string, options: OpenOptions = {}): Database {
  const listeners = new Set<(sql: string) => void>();
  const health: DatabaseHealth = { fault: null };
  const watcher: Watcher = {
    onStatement: (sql) => {
      for (const listener of listeners) listener(sql);
    },
    onFatal: options.onFatal ?? (() => undefined),
    onFault: (error) => {
      const { code } = error as { code: string };
      if (code !== 'busy' && code !== 'taken' && health.fault !== 'db_corrupt') health.fault = code;
    },
  };
  const handle = (readonly: boolean): Kysely<Tables> => {
    const connection = new SqliteConnection(openFile(file, { readonly }), watcher);
    return new Kysely<Tables>({
      dialect: new SqliteConnectionDialect(connection, readonly ? 'read' : 'write'),
    });
  };
  const writes = handle(false);
  const reads = handle(true);
  return {
    file,
    reads,
    writes,
    health,
    watchStatements: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      await reads.destroy();
      // The last connection to close writes the log back into the file.
      await writes.destroy();
    },
  };
}
