import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { syncPath } from '../storage/sync-path.js';
import { checkedSecret, ConfigError, readSecretFile, type Config } from './config.js';

const OWNER_ONLY = 0o600;
const NEEDS_SECRET =
  'TOKEN_SECRET: must be set with PostgreSQL, or TOKEN_SECRET_FILE: the same on all nodes. Make one with: openssl rand -hex 32';

/** Path of the secret file of a database. */
export const tokenSecretPath = (databaseFile: string): string => `${databaseFile}.secret`;

/**
 * The secret that API tokens are derived from: the configured one, or the content of the file
 * `DATABASE.secret`, which the first start creates. Errors: `ConfigError` if that file is malformed or other
 * users can read it, and with PostgreSQL, which has no such file.
 */
export function loadTokenSecret({ database, tokenSecret }: Pick<Config, 'database' | 'tokenSecret'>): string {
  if (tokenSecret !== null) return tokenSecret;
  if ('server' in database) throw new ConfigError([NEEDS_SECRET]);
  const file = tokenSecretPath(database.file);
  try {
    if (!existsSync(file)) createSecretFile(file);
    return checkedSecret(readSecretFile(file));
  } catch (error) {
    const { message } = error as Error;
    const reason = message.includes(file) ? message : `${file} ${message}`;
    throw new ConfigError([`The secret of the API tokens: ${reason}`]);
  }
}

export const newTokenSecret = (): string => randomBytes(32).toString('hex');

/**
 * Writes the file under a temporary name, then links it. If two processes do so at once, the first file
 * stays.
 */
function createSecretFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${process.pid}`;
  const secret = `${newTokenSecret()}\n`;
  rmSync(unfinished, { force: true });
  try {
    writeFileSync(unfinished, secret, { flag: 'wx', mode: OWNER_ONLY, flush: true });
    linkSync(unfinished, file);
    syncPath(dirname(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}
