import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';

import { fileOf } from '../support/databases/sqlite-place.js';
import { fleet } from '../support/fleet.js';
import { useServer } from '../support/server.js';

const server = useServer();

it('UP-06 an upload writes no file besides the database', async () => {
  await fleet.file(server.acme.client, '../beside');
  const folder = dirname(fileOf(server.place));
  const beside = readdirSync(folder).filter((name) => !/^gateway[.]db/.test(name));
  expect(beside.filter((name) => !/secret|lock/.test(name))).toEqual([]);
});
