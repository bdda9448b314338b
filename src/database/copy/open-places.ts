import { resolve } from 'node:path';

import { databaseName, type DatabaseUrl } from '../../platform/config/database-url.js';
import { demandEmptyServer, openServerSource, openServerTarget } from '../postgres/copy.js';
import { demandEmptyFile, openFileSource, openFileTarget } from '../sqlite/copy.js';
import { prepareFile } from '../sqlite/open.js';
import type { CopySource, CopyTarget } from './copy.js';

/**
 * Opens the database to copy from. Errors: `DatabaseRefused`, for example if it lacks tables of this version.
 */
export async function openSource(url: DatabaseUrl): Promise<CopySource> {
  return 'file' in url ? openFileSource(url.file) : await openServerSource(url.server);
}

/**
 * Opens the database to copy into: creates its tables, and marks it as an unfinished copy. Errors:
 * `DatabaseRefused`, for example if it has records.
 */
export async function openTarget(
  url: DatabaseUrl,
  source: string,
  onProgress: (message: string) => void,
): Promise<CopyTarget> {
  if ('server' in url) return await openServerTarget(url.server, source, onProgress);
  await prepareFile(url.file);
  return openFileTarget(url.file, source);
}

/**
 * Checks the database to copy into, without changing it. Errors: `DatabaseRefused` if it has records and is
 * not an unfinished copy.
 */
export async function demandEmptyPlace(url: DatabaseUrl): Promise<void> {
  if ('file' in url) demandEmptyFile(url.file);
  else await demandEmptyServer(url.server);
}

/**
 * Name of a database for the mark and for messages. A path is absolute, since a relative one says little
 * elsewhere.
 */
export function placeName(url: DatabaseUrl): string {
  return 'file' in url ? resolve(url.file) : databaseName(url);
}
