import { dirname } from 'node:path';
import { onTestFinished } from 'vitest';

import type { Database } from '../../../src/database/database.js';
import { connect } from '../../../src/database/sqlite/connect.js';
import { removeFolder } from '../scratch.js';
import { databaseFile } from './sqlite-place.js';

/** Opens a migrated, empty SQLite file without a server; closed and removed after the test. */
export function sqliteDatabase(): Database {
  const database = connect(databaseFile());
  onTestFinished(async () => {
    await database.close();
    removeFolder(dirname(database.name));
  });
  return database;
}
