import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

import { checkedSecret, ConfigError, readSecretFile, type Config } from './config.js';

const OWNER_ONLY = 0o600;

/**
 * What derived tokens are made with: the configured secret, or the one in a file beside the database, which
 * the first start draws. Errors: `ConfigError` where that file is malformed or can be read by others.
 */
export function loadTokenSecret(config: Pick<Config, 'databaseFile' | 'tokenSecret'>): string {
  if (config.tokenSecret !== null) return config.tokenSecret;
  const file = `${config.databaseFile}.secret`;
  try {
    if (!existsSync(file)) draw(file);
    return checkedSecret(readSecretFile(file));
  } catch (error) {
    throw new ConfigError([`The secret of the API tokens: ${explain(file, error)}`]);
  }
}

/** Written whole under another name first; where two processes draw at once, the first one's stays. */
function draw(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${process.pid}`;
  rmSync(unfinished, { force: true });
  const descriptor = openSync(unfinished, 'wx', OWNER_ONLY);
  try {
    writeSync(descriptor, `${randomBytes(32).toString('hex')}\n`);
    fsyncSync(descriptor);
    linkSync(unfinished, file);
    syncFolder(dirname(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(descriptor);
    rmSync(unfinished, { force: true });
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function explain(file: string, error: unknown): string {
  const { message } = error as Error;
  return message.includes(file) ? message : `${file} ${message}`;
}
