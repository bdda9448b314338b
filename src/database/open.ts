import { databaseName, type DatabaseUrl } from '../platform/config/database-url.js';
import type { Database, OpenOptions } from './database.js';
import type { DatabaseTools } from './tools.js';

/**
 * Opens the database of a URL; creates its tables or brings them up to date if necessary. Loads only the
 * modules for this kind of database. Errors: `DatabaseRefused`; `busy`; `storage_full` and the other faults
 * of a storage.
 */
export async function openDatabase(url: DatabaseUrl, options: OpenOptions = {}): Promise<Database> {
  if ('file' in url) return await (await import('./sqlite/open.js')).openDatabase(url.file, options);
  return await (await import('./postgres/open.js')).openDatabase(url.server, options);
}

export async function databaseTools(url: DatabaseUrl): Promise<DatabaseTools> {
  if ('file' in url) return new (await import('./sqlite/tools.js')).FileTools(url.file);
  return new (await import('./postgres/tools.js')).ServerTools(url.server, databaseName(url));
}
