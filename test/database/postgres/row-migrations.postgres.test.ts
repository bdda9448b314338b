import pg from 'pg';
import { expect, it } from 'vitest';

import { checkServer } from '../../../src/database/postgres/check.js';
import { bringUpToDate } from '../../../src/database/postgres/migrate.js';
import { adminUrlOf, createDatabase, dropDatabase } from '../../support/postgres/boot.js';
import { addCompanies, connectTo, schemaDatabase } from '../../support/postgres/schema.js';
import { beforePart, NAMES, noteOfGroups } from '../invented-migrations.js';

const database = schemaDatabase();

it('a migration adds a column, fills it in parts, and goes on with the parts that are left', async () => {
  const url = await createDatabase(database.server);
  const client = new pg.Client(url);
  await client.connect();
  const { run, close } = await connectTo(adminUrlOf(database.server, url));
  try {
    await bringUpToDate(client, 'test');
    await addCompanies(run);
    await run(`insert into groups (company_id, id, name, revision, created_at, updated_at, created_via)
      select 1 + n % 2, n, 'group ' || n, 1, now(), now(), 'api' from generate_series(1, 5) as n`);
    const filled = () => run("select count(*) as filled from groups where note = 'note of ' || name");
    const stop = beforePart(3, () => {
      throw new Error('power cut');
    });
    await expect(bringUpToDate(client, 'test', undefined, noteOfGroups(stop))).rejects.toThrow(
      'The migration 9102-group-notes failed',
    );
    expect(await filled()).toEqual([{ filled: 4 }]);
    expect(await bringUpToDate(client, 'test', undefined, noteOfGroups())).toEqual(NAMES.slice(1));
    expect(await filled()).toEqual([{ filled: 5 }]);
    await expect(run('update groups set note = null')).rejects.toThrow('groups_have_notes');
    expect(await checkServer(client)).toEqual([]);
  } finally {
    await close();
    await client.end();
    await dropDatabase(database.server, url);
  }
});
