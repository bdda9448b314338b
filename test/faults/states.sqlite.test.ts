import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { fileOf, urlOf } from '../support/databases/sqlite-place.js';
import { commandLineWithUser, serveHere } from '../support/program.js';
import { testCopies, testRemovedTables } from './states.js';

testRemovedTables(async (cli, table) => {
  await cli.place.sql('pragma foreign_keys = off');
  if (table === 'memberships') await cli.place.sql('drop view members');
  await cli.place.sql(`drop table ${table}`);
});

// A backup of a file that a server uses.
testCopies(async (cli) => {
  await cli.serve();
  const backup = join(cli.folder, 'backup.db');
  expect((await cli.run(['db', 'backup', backup])).code).toBe(0);
  return urlOf(backup);
});

it('RU-89 a file that db restore made is an original of its own, and one that was moved is no copy', async () => {
  const { cli } = await commandLineWithUser();
  const [backup, restored] = ['backup.db', 'restored.db'].map((name) => join(cli.folder, name)) as [
    string,
    string,
  ];
  const server = await cli.serve();
  expect((await cli.run(['db', 'backup', backup])).code).toBe(0);
  expect((await cli.with({ DATABASE_URL: urlOf(restored) }).run(['db', 'restore', backup])).code).toBe(0);
  await (await serveHere(urlOf(restored))).stop();
  await server.stop();
  const moved = join(cli.folder, 'moved.db');
  renameSync(fileOf(cli.place), moved);
  await (await serveHere(urlOf(moved))).stop();
});
