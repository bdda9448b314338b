import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { connect } from '../../src/database/sqlite/connect.js';

/** Makes an empty folder; the global setup removes it after the run if the test does not. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(inject('scratch'), 'test-'));
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Makes a migrated, empty database file. */
export function databaseFile(folder: string = scratchFolder()): string {
  const file = join(folder, 'gateway.db');
  copyFileSync(inject('imageFile'), file);
  return file;
}

/** Opens a migrated, empty database without a server; closed and removed after the test. */
export function testDatabase(): Database {
  const folder = scratchFolder();
  const database = connect(databaseFile(folder));
  onTestFinished(async () => {
    await database.close();
    removeFolder(folder);
  });
  return database;
}
