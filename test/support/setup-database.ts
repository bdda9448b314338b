import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

import { openDatabase } from '../../src/database/sqlite/open.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a migrated, empty database file; tests copy it. */
    imageFile: string;
    /** Folder for the files of all tests, in memory where possible; removed after the run. */
    scratch: string;
  }
}

/** Migrates one database for the whole run. */
export default async function setup(project: TestProject): Promise<() => void> {
  const memory = '/dev/shm';
  const scratch = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'terminal-gateway-test-'));
  const imageFile = join(scratch, 'image.db');
  const database = await openDatabase(imageFile);
  await database.close();
  project.provide('imageFile', imageFile);
  project.provide('scratch', scratch);
  return () => rmSync(scratch, { recursive: true, force: true });
}
