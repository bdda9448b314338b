import pg from 'pg';
import { expect, it } from 'vitest';

import { checkServer } from '../../../src/database/postgres/check.js';
import { bringUpToDate } from '../../../src/database/postgres/migrate.js';
import { MIGRATIONS } from '../../../src/database/postgres/migrations/index.js';
import { SCOPES } from '../../../src/platform/caller.js';
import { adminUrlOf, createDatabase, dropDatabase } from '../../support/postgres/boot.js';
import { addCompanies, connectTo, schemaDatabase } from '../../support/postgres/schema.js';

const database = schemaDatabase();

it('tokens of the token endpoint get the new scope by the migration, and named tokens do not', async () => {
  const url = await createDatabase(database.server);
  const client = new pg.Client(url);
  await client.connect();
  const { run, close } = await connectTo(adminUrlOf(database.server, url));
  try {
    const before = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0016'));
    await bringUpToDate(client, 'test', undefined, before);
    await addCompanies(run);
    await run('begin');
    await run(`insert into access_tokens (id, company_id, user_id, kind, scopes, token_hash, last_four, created_at) values
      (1, 1, 11, 'derived', '["read"]', 'a', '', now()), (2, 1, 11, 'named', '["read"]', 'b', '', now())`);
    await run('commit');
    expect((await bringUpToDate(client, 'test'))[0]).toBe('0016-terminals');
    await run('begin');
    const rows = await run('select scopes::text as scopes from access_tokens order by id');
    await run('commit');
    expect(rows.map((row) => JSON.parse((row as { scopes: string }).scopes) as unknown)).toEqual([
      SCOPES,
      ['read'],
    ]);
    expect(await checkServer(client)).toEqual([]);
  } finally {
    await close();
    await client.end();
    await dropDatabase(database.server, url);
  }
});
