import { resolve } from 'node:path';

import { databaseName, type DatabaseUrl } from '../platform/config/database-url.js';
import type { CopySource, CopyTarget } from './copy.js';
import type { Database, OpenOptions } from './database.js';
import type { DatabaseTools } from './tools.js';

// Each function loads only the modules for the kind of database that the URL names.

/** Opens a database; creates or updates its tables. Errors: `DatabaseRefused`; `busy`; faults of a storage. */
export async function openDatabase(url: DatabaseUrl, options: OpenOptions = {}): Promise<Database> {
  if ('file' in url) return await (await import('./sqlite/open.js')).openDatabase(url.file, options);
  return await (await import('./postgres/open.js')).openDatabase(url.server, options);
}

export async function databaseTools(url: DatabaseUrl): Promise<DatabaseTools> {
  if ('file' in url) return new (await import('./sqlite/tools.js')).FileTools(url.file);
  return new (await import('./postgres/tools.js')).ServerTools(url.server, databaseName(url));
}

/** Opens the database to copy from. Errors: `DatabaseRefused`, for example if it lacks tables of this version. */
export async function openSource(url: DatabaseUrl): Promise<CopySource> {
  if ('file' in url) return (await import('./sqlite/copy.js')).openFileSource(url.file);
  return await (await import('./postgres/copy.js')).openServerSource(url.server);
}

/** Opens the database to copy into, and marks it as an unfinished copy. Errors: `DatabaseRefused` if it has records. */
export async function openTarget(
  url: DatabaseUrl,
  source: string,
  onProgress: (message: string) => void,
): Promise<CopyTarget> {
  if ('server' in url) {
    return await (await import('./postgres/copy.js')).openServerTarget(url.server, source, onProgress);
  }
  await (await import('./sqlite/open.js')).prepareFile(url.file);
  return (await import('./sqlite/copy.js')).openFileTarget(url.file, source);
}

/** Changes nothing. Errors: `DatabaseRefused` if the database has records and is not an unfinished copy. */
export async function requireEmptyPlace(url: DatabaseUrl): Promise<void> {
  if ('file' in url) (await import('./sqlite/copy.js')).requireEmptyFile(url.file);
  else await (await import('./postgres/copy.js')).requireEmptyServer(url.server);
}

/** Name of a database for the mark and for messages. A path is absolute: a relative one says little elsewhere. */
export function placeName(url: DatabaseUrl): string {
  return 'file' in url ? resolve(url.file) : databaseName(url);
}
