import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { readText, syncPath } from '../files.js';
import type { DatabaseUrl } from './database-url.js';
import { ConfigError } from './parsing.js';

const OWNER_ONLY = 0o600;
const MIN_SECRET_LENGTH = 32;
const NEEDS_SECRET =
  'TOKEN_SECRET: must be set with PostgreSQL, or TOKEN_SECRET_FILE: the same on all nodes. Make one with: openssl rand -hex 32';

interface SecretSettings {
  readonly database: DatabaseUrl;
  readonly tokenSecret: string | null;
}

export const tokenSecretPath = (databaseFile: string): string => `${databaseFile}.secret`;

/**
 * The secret that API tokens are derived from: the configured one, or the content of `DATABASE.secret`, which the first
 * start creates. Errors: `ConfigError` if other users can read that file, and with PostgreSQL.
 */
export function loadTokenSecret({ database, tokenSecret }: SecretSettings): string {
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

/** Writes the file under a temporary name, then links it. If two processes do so at once, the first file stays. */
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

/** The secret of the settings: a value, or the content of a file; null if neither is given. Errors: an `Error`. */
export function secretOf(value: string, file: string): string | null {
  if (value !== '' && file !== '') throw new Error('set TOKEN_SECRET or TOKEN_SECRET_FILE, not both');
  if (value === '' && file === '') return null;
  return checkedSecret(value === '' ? readSecretFile(file) : value);
}

/** Errors: an `Error` that says why the secret is too easy to guess. */
function checkedSecret(secret: string): string {
  if (secret.length < MIN_SECRET_LENGTH)
    throw new Error(`must have at least ${MIN_SECRET_LENGTH} characters`);
  if (new Set(secret).size < 8) throw new Error('must be random: it has fewer than 8 different characters');
  return secret;
}

/** Errors: an `Error` if the file cannot be read, or if other users can read it. */
function readSecretFile(file: string): string {
  const secret = readText(file).trim();
  if ((statSync(file).mode & 0o077) !== 0)
    throw new Error(`${file} can be read by other users: run chmod 600 on it`);
  return secret;
}
