import { databaseName, type DatabaseUrl } from '../platform/config/database-url.js';
import type { Database, OpenOptions } from './database.js';
import { openDatabase as openServerDatabase } from './postgres/open.js';
import { ServerTools } from './postgres/tools.js';
import { openDatabase as openFileDatabase } from './sqlite/open.js';
import { FileTools } from './sqlite/tools.js';
import type { DatabaseTools } from './tools.js';

/**
 * Opens the database of a URL; creates its tables or brings them up to date if necessary. Errors: `DatabaseRefused`;
 * `busy`; `storage_full` and the other faults of a storage.
 */
export async function openDatabase(url: DatabaseUrl, options: OpenOptions = {}): Promise<Database> {
  return 'file' in url
    ? await openFileDatabase(url.file, options)
    : await openServerDatabase(url.server, options);
}

export function databaseTools(url: DatabaseUrl): DatabaseTools {
  return 'file' in url ? new FileTools(url.file) : new ServerTools(url.server, databaseName(url));
}
