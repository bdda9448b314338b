import type { TestProject } from 'vitest/node';

import { openDatabase } from '../../../src/database/open.js';
import { bootPostgres, createDatabase } from './boot.js';

/** Starts a PostgreSQL server for the whole run, with a migrated, empty database that tests copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await bootPostgres();
  const template = await createDatabase(server);
  const database = await openDatabase({ server: template });
  await database.close();
  const { adminUrl, ownerUrl } = server;
  project.provide('postgres', { adminUrl, ownerUrl, template });
  return () => server.stop();
}
